package project

import (
	"sort"
	"strconv"
	"strings"
	"sync"

	"manualslop/tools/document"
	"manualslop/tools/python"
	"manualslop/tools/python/grammar"
)

// Unit is one file of a project. It is decoded, parsed and analysed on first use. Its methods may be called
// concurrently.
type Unit struct {
	Path string
	data []byte

	decoding   sync.Once
	doc        document.Document
	text       bool  // false for a binary file
	odd        error // why CPython would not decode the file
	parsing    sync.Once
	python     *python.File
	analysing  sync.Once
	importing  sync.Once
	lastTokens lastTokens
	imported   []imported
	importOf   map[int]int // offset of the name that an import binds → index in imported
	names      *grammar.Names
	uses       map[int]int // offset of a name → index in names.Uses
	bound      map[binding][]int
	scopeOf    map[*python.Symbol]*grammar.Scope
}

// binding is a name in the scope that binds it. All its uses refer to it.
type binding struct {
	scope *grammar.Scope
	name  string
}

// Readable reports whether the file is text. A file that CPython would not decode may still be readable.
func (u *Unit) Readable() bool {
	u.decoding.Do(func() {
		doc, err := document.DecodePython(u.data)
		u.doc, u.text, u.odd = doc, doc.Encoding != "", err
	})
	return u.text
}

// Text returns the decoded text, or "" if the file is not Readable.
func (u *Unit) Text() string {
	if !u.Readable() {
		return ""
	}
	return u.doc.Text
}

// Python returns the parsed structure of the file.
func (u *Unit) Python() *python.File {
	u.parsing.Do(func() { u.python = python.Parse(u.Text()) })
	return u.python
}

// Names returns all names of the file with their scopes.
func (u *Unit) Names() *grammar.Names {
	u.analysing.Do(func() {
		u.names = grammar.AnalyzeFile(u.Python())
		u.index()
	})
	return u.names
}

// index builds the lookup tables.
func (u *Unit) index() {
	u.uses = make(map[int]int, len(u.names.Uses))
	u.bound = map[binding][]int{}
	for i, use := range u.names.Uses {
		u.uses[use.Span.Start] = i
		if use.Binding != nil && use.Context.Binds() && use.Context != grammar.Delete {
			key := binding{use.Binding, use.Key}
			u.bound[key] = append(u.bound[key], i)
		}
	}
	u.scopeOf = map[*python.Symbol]*grammar.Scope{}
	for _, scope := range u.names.Scopes {
		if s := symbolOf(scope); s != nil {
			u.scopeOf[s] = scope
		}
	}
}

// use returns the name that begins at offset, or nil if none does.
func (u *Unit) use(offset int) *grammar.Use {
	names := u.Names()
	if i, ok := u.uses[offset]; ok {
		return &names.Uses[i]
	}
	return nil
}

// module returns the outermost scope.
func (u *Unit) module() *grammar.Scope {
	if scopes := u.Names().Scopes; len(scopes) > 0 {
		return scopes[0]
	}
	return nil
}

// symbolOf returns the class or function whose body a scope is, or nil for other scopes.
func symbolOf(scope *grammar.Scope) *python.Symbol {
	if scope != nil && (scope.Kind == grammar.ClassScope || scope.Kind == grammar.FunctionScope) {
		return scope.Symbol
	}
	return nil
}

// Enclosing returns the innermost class or function that contains offset, or nil at module level. The header of a
// definition and its decorators belong to the enclosing scope.
func (u *Unit) Enclosing(offset int) *python.Symbol {
	var found *python.Symbol
	statements := u.Python().Body
	for len(statements) > 0 {
		i := sort.Search(len(statements), func(i int) bool { return statements[i].OuterStart() > offset }) - 1
		if i < 0 || statements[i].End <= offset {
			return found
		}
		s := statements[i]
		if s.Symbol != nil && offset >= s.Header.End {
			found = s.Symbol
		}
		statements = s.Body
	}
	return found
}

// statementAt returns the innermost statement that contains offset, or nil if none does.
func (u *Unit) statementAt(offset int) *python.Statement {
	var found *python.Statement
	statements := u.Python().Body
	for len(statements) > 0 {
		i := sort.Search(len(statements), func(i int) bool { return statements[i].OuterStart() > offset }) - 1
		if i < 0 || statements[i].End <= offset {
			return found
		}
		found = statements[i]
		statements = found.Body
	}
	return found
}

// LineText returns the line that contains offset without surrounding blanks, shortened to 200 characters.
func (u *Unit) LineText(offset int) string {
	file := u.Python()
	n := file.LineOf(offset)
	if n < 1 || n > len(file.Lines) {
		return ""
	}
	line := file.Lines[n-1]
	return document.Clip(strings.TrimSpace(u.Text()[line.Start:line.End]), 200)
}

// Broken returns why a file does not parse. Unless thorough is set, it checks only tokens and indentation.
func (u *Unit) Broken(thorough bool) (string, bool) {
	switch {
	case !u.Readable():
		return "it is binary", true
	case u.odd != nil:
		return u.odd.Error(), true
	}
	if thorough {
		if found := grammar.Check(u.Text(), 1); len(found) > 0 {
			return "line " + strconv.Itoa(found[0].Line) + ": " + found[0].Text, true
		}
		return "", false
	}
	if problem, broken := u.Python().Broken(); broken {
		return "line " + strconv.Itoa(u.Python().LineOf(problem.Offset)) + ": " + problem.Text, true
	}
	return "", false
}
