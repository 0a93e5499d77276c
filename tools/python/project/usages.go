package project

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"manualslop/tools/python"
	"manualslop/tools/python/grammar"
)

// UsageQuery asks where a name is used.
type UsageQuery struct {
	Name    string                 // "f", or dotted: "A.m", "mod.f", "path/file.py:A.m"
	Within  func(path string) bool // selects the files to search
	Strings bool                   // also list whole words in strings and comments
	Others  bool                   // also list occurrences that refer to something else of that name
}

// Values of Usage.Certainty.
const (
	Certain  = "certain"  // the occurrence refers to one of the targets
	Possible = "possible" // what it refers to is unknown
	Other    = "other"    // it refers to something else, such as a local variable
	Mention  = "mention"  // in a string or comment
)

// unparsedKind is the kind of an occurrence in a statement that does not parse.
const unparsedKind = "unparsed"

// Usage is one occurrence of a name.
type Usage struct {
	Line   int `json:"line"`
	Column int `json:"column"` // 1-based byte column where the name begins
	// Kind is call, import, attribute, definition, assignment, reference, annotation, keyword, delete, decorator,
	// base, parameter, global, string, comment, or unparsed if the statement does not parse.
	Kind      string `json:"kind"`
	In        string `json:"in"`        // dotted path of the enclosing class or function; empty at module level
	Certainty string `json:"certainty"` // one of the constants above
	Text      string `json:"text"`      // the line without surrounding blanks, at most 200 characters
}

// FileUsages are the usages of one file, in order.
type FileUsages struct {
	Path   string  `json:"path"`
	Usages []Usage `json:"usages"`
}

// Usages is the result of a UsageQuery.
type Usages struct {
	Name     string       `json:"name"`
	Targets  []Definition `json:"targets"` // what the name refers to, if the project defines it
	Files    []FileUsages `json:"files"`
	Total    int          `json:"total"`    // number of listed usages
	Possible int          `json:"possible"` // how many of these are possible
	Others   int          `json:"others"`   // number of occurrences that refer to something else, listed or not
	Mentions int          `json:"mentions"` // number of occurrences in strings and comments, listed or not
	Warnings []string     `json:"warnings"`
}

// Usages finds every token equal to the last name of the query. A name without dots matches every function,
// class, variable and attribute of that name in the query's files. Local variables and parameters match only if
// nothing else does.
func (p *Project) Usages(ctx context.Context, q UsageQuery) (Usages, error) {
	t := parseTarget(q.Name)
	answer := Usages{Name: q.Name, Targets: []Definition{}, Files: []FileUsages{}, Warnings: []string{}}
	units, err := p.mentioning(ctx, t.last())
	if err != nil {
		return answer, err
	}
	units = slices.DeleteFunc(units, func(u *Unit) bool { return !q.Within(u.Path) })
	units, left, err := prepare(ctx, units)
	if err != nil {
		return answer, err
	}
	if left > 0 {
		answer.Warnings = append(answer.Warnings, fmt.Sprintf("the name occurs in too many files; %d of them were not "+
			"searched, give a narrower path", left))
	}
	s := &search{resolver: p.resolver(), query: q, target: t, units: units}
	if err := s.find(ctx); err != nil {
		return answer, err
	}
	if err := s.chooseTargets(); err != nil {
		return answer, err
	}
	s.report(&answer)
	return answer, nil
}

// search is the state of one search for usages.
type search struct {
	*resolver
	query  UsageQuery
	target target
	units  []*Unit
	found  [][]occurrence // for each unit
	wanted map[boundIn]bool
}

// occurrence is a token, or a word in a string or comment.
type occurrence struct {
	offset  int
	kind    string
	ref     reference
	mention bool
	use     *grammar.Use // nil for mentions and in statements that do not parse
}

// find collects the occurrences and resolves what they refer to.
func (s *search) find(ctx context.Context) error {
	s.found = make([][]occurrence, len(s.units))
	name := s.target.last()
	err := parallel(ctx, len(s.units), func(i int) { s.found[i] = s.units[i].occurrences(name) })
	for i, u := range s.units {
		for j := range s.found[i] {
			if err := ctx.Err(); err != nil {
				return err
			}
			o := &s.found[i][j]
			if o.use == nil {
				continue
			}
			o.ref = s.refer(u, o.use)
			o.ref.targets = s.allOrigins(o.ref.targets)
		}
	}
	return err
}

func (r *resolver) allOrigins(targets []boundIn) []boundIn {
	var out []boundIn
	for _, at := range targets {
		for _, o := range r.origins(at) {
			if !slices.Contains(out, o) {
				out = append(out, o)
			}
		}
	}
	return out
}

// occurrences finds the tokens of a file that equal a name, and the name as a whole word in strings and comments.
func (u *Unit) occurrences(name string) []occurrence {
	var out []occurrence
	names := u.Names()
	have := map[int]bool{}
	for i := range names.Uses {
		if use := &names.Uses[i]; use.Name == name {
			out = append(out, occurrence{offset: use.Span.Start, kind: u.kindOf(use), use: use})
			have[use.Span.Start] = true
		}
	}
	rest := 0
	for _, at := range words(u.Text(), name) {
		if !have[at] {
			rest++
		}
	}
	if rest == 0 {
		return out
	}
	for t := range u.Python().Tokens(python.Span{Start: 0, End: len(u.Text())}) {
		out = append(out, u.inToken(t, name, have)...)
	}
	slices.SortStableFunc(out, func(a, b occurrence) int { return a.offset - b.offset })
	return out
}

// inToken finds a name in a token where grammar recorded no name.
func (u *Unit) inToken(t python.Token, name string, have map[int]bool) []occurrence {
	kind := ""
	switch t.Kind {
	case python.String, python.FStringMiddle:
		kind = "string"
	case python.Comment:
		kind = "comment"
	case python.Name, python.Keyword:
		if !have[t.Start] && python.Normalize(u.word(t)) == name {
			return []occurrence{{offset: t.Start, kind: unparsedKind}}
		}
		return nil
	default:
		return nil
	}
	var out []occurrence
	for _, at := range words(u.word(t), name) {
		out = append(out, occurrence{offset: t.Start + at, kind: kind, mention: true})
	}
	return out
}

// kindOf returns the kind of a use as a value of Usage.Kind.
func (u *Unit) kindOf(use *grammar.Use) string {
	switch use.Context {
	case grammar.Import, grammar.ImportOriginal, grammar.ImportPath:
		return "import"
	case grammar.Definition:
		return "definition"
	case grammar.Store, grammar.Augmented, grammar.Declaration:
		return "assignment"
	case grammar.Parameter, grammar.TypeParameter:
		return "parameter"
	case grammar.Delete:
		return "delete"
	case grammar.Global, grammar.Nonlocal:
		return "global"
	case grammar.KeywordArgument:
		return "keyword"
	case grammar.Annotation:
		return "annotation"
	}
	return u.kindOfRead(use)
}

// kindOfRead distinguishes calls, decorators, bases and attribute assignments from other reads.
func (u *Unit) kindOfRead(use *grammar.Use) string {
	switch use.Access {
	case grammar.Store, grammar.Augmented:
		return "assignment"
	case grammar.Delete:
		return "delete"
	}
	if s := u.statementAt(use.Span.Start); s != nil {
		if use.Span.Start < s.Start {
			return u.kindInDecorator(s, use)
		}
		if s.Kind == python.Class && use.Span.Start < s.Header.End && !u.followed(use.Span.End, "(") {
			return "base"
		}
	}
	switch {
	case u.followed(use.Span.End, "("):
		return "call"
	case use.Context == grammar.Attribute:
		return "attribute"
	}
	return "reference"
}

func (u *Unit) kindInDecorator(s *python.Statement, use *grammar.Use) string {
	for _, d := range s.Decorators {
		if use.Span.Start < d.Start || use.Span.End > d.End {
			continue
		}
		if head := u.Text()[d.Start:use.Span.End]; !strings.ContainsAny(head, "([{,") {
			return "decorator"
		}
	}
	if u.followed(use.Span.End, "(") {
		return "call"
	}
	return "reference"
}

// followed reports whether a word is the next token after offset.
func (u *Unit) followed(offset int, word string) bool {
	return strings.HasPrefix(strings.TrimLeft(u.Text()[offset:], " \t\f"), word)
}

// chooseTargets determines the bindings to search for.
func (s *search) chooseTargets() error {
	s.wanted = map[boundIn]bool{}
	if len(s.target.names) > 1 || s.target.file != "" {
		for _, at := range s.named(s.target) {
			s.wanted[at] = true
		}
		if len(s.wanted) == 0 {
			return &NotFoundError{Name: s.query.Name, Nearest: s.nearestOf()}
		}
		return nil
	}
	for _, list := range s.found {
		for _, o := range list {
			for _, at := range o.ref.targets {
				if !at.local() {
					s.wanted[at] = true
				}
			}
		}
	}
	return nil
}

// local reports whether a binding is in a function.
func (at boundIn) local() bool {
	return at.scope != nil && at.scope.Kind != grammar.ModuleScope && at.scope.Kind != grammar.ClassScope
}

// nearestOf returns the definitions with the same last name in the searched files.
func (s *search) nearestOf() []string {
	var out []string
	for _, u := range s.units {
		for _, symbol := range u.Python().Symbols {
			if symbol.Name == s.target.last() && len(out) < 5 {
				out = append(out, u.Path+":"+symbol.Path)
			}
		}
	}
	return out
}

// certainty returns the certainty of an occurrence.
func (s *search) certainty(o occurrence) string {
	switch {
	case o.mention:
		return Mention
	case o.use != nil && o.use.Context == grammar.Attribute && o.ref.unknown() && s.onlyLocal():
		return Other
	case o.use == nil || o.ref.unknown():
		return Possible
	case len(s.wanted) == 0:
		return Certain
	}
	for _, at := range o.ref.targets {
		if s.wanted[at] {
			return Certain
		}
	}
	return Other
}

// onlyLocal reports whether all targets are local, so that no attribute can refer to them.
func (s *search) onlyLocal() bool {
	for at := range s.wanted {
		if !at.local() {
			return false
		}
	}
	return len(s.wanted) > 0
}

// report fills in the result.
func (s *search) report(answer *Usages) {
	for i, u := range s.units {
		file := FileUsages{Path: u.Path, Usages: []Usage{}}
		unparsed := false
		for _, o := range s.found[i] {
			certainty := s.certainty(o)
			switch certainty {
			case Mention:
				answer.Mentions++
			case Other:
				answer.Others++
			}
			if certainty == Mention && !s.query.Strings || certainty == Other && !s.query.Others {
				continue
			}
			if certainty == Possible {
				answer.Possible++
			}
			unparsed = unparsed || o.kind == unparsedKind
			file.Usages = append(file.Usages, u.usage(o, certainty))
		}
		if len(file.Usages) > 0 {
			answer.Files = append(answer.Files, file)
			answer.Total += len(file.Usages)
		}
		if problem, broken := u.Broken(unparsed); broken {
			answer.Warnings = append(answer.Warnings, fmt.Sprintf("%s does not parse (%s), so the results from it may be "+
				"incomplete", u.Path, problem))
		}
	}
	answer.Targets = s.definitions()
}

func (u *Unit) usage(o occurrence, certainty string) Usage {
	f := u.Python()
	line := f.LineOf(o.offset)
	return Usage{
		Line: line, Column: o.offset - f.Lines[line-1].Start + 1, Kind: o.kind, In: symbolPath(u.Enclosing(o.offset)),
		Certainty: certainty, Text: u.LineText(o.offset),
	}
}
