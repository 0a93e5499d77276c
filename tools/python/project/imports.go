package project

import (
	"slices"
	"strings"

	"manualslop/tools/python"
)

// imported is one name that an import statement binds.
type imported struct {
	unit   *Unit
	from   bool
	level  int         // leading dots of the module
	module string      // dotted; may be empty after dots
	name   string      // for "from m import name"; "*" for all
	at     python.Span // span of name, or of the dotted module in an import without from
	as     python.Span // span of the alias; empty if there is none
	start  int         // start of the statement
}

// imports lists everything that a file imports, at any depth, in order.
func (u *Unit) imports() []imported {
	u.importing.Do(func() {
		last := -1
		for _, imp := range u.Python().Imports() {
			if imp.Statement.Start != last {
				last = imp.Statement.Start
				u.imported = append(u.imported, u.readImport(imp.Statement.Span)...)
			}
		}
		u.importOf = make(map[int]int, len(u.imported))
		for i, imp := range u.imported {
			if imp.as.End > 0 {
				u.importOf[imp.as.Start] = i
			} else {
				u.importOf[imp.at.Start] = i
			}
		}
	})
	return u.imported
}

// importAt returns the import that binds the name at offset, or false if there is none.
func (u *Unit) importAt(offset int) (imported, bool) {
	all := u.imports()
	if i, ok := u.importOf[offset]; ok {
		return all[i], true
	}
	return imported{}, false
}

// readImport parses an import statement.
func (u *Unit) readImport(span python.Span) []imported {
	tokens := u.tokens(span)
	if len(tokens) > 0 && u.is(tokens, len(tokens)-1, ";") {
		tokens = tokens[:len(tokens)-1]
	}
	base := imported{unit: u, start: span.Start}
	i := 1
	if u.is(tokens, 0, "from") {
		base.from = true
		for ; i < len(tokens) && !u.is(tokens, i, "import"); i++ {
			switch word := u.word(tokens[i]); {
			case strings.Trim(word, ".") == "" && base.module == "":
				base.level += len(word)
			case word != "\\":
				base.module += python.Normalize(word)
			}
		}
		i++
	}
	rest := slices.DeleteFunc(slices.Clone(tokens[min(i, len(tokens)):]), func(t python.Token) bool {
		word := u.word(t)
		return word == "(" || word == ")" || word == "\\"
	})
	var out []imported
	for _, part := range u.splitAt(rest, ",") {
		if imp, ok := u.readAlias(base, part); ok {
			out = append(out, imp)
		}
	}
	return out
}

func (u *Unit) readAlias(imp imported, part []python.Token) (imported, bool) {
	if len(part) == 0 {
		return imp, false
	}
	name := part
	if n := len(part); n > 2 && u.is(part, n-2, "as") {
		name, imp.as = part[:n-2], part[n-1].Span
	}
	imp.at = spanOf(name)
	text := ""
	for _, t := range name {
		text += python.Normalize(u.word(t))
	}
	if imp.from {
		imp.name = text
	} else {
		imp.module = text
	}
	return imp, true
}

// binds returns the name that the import binds in its scope, or "*" for all names.
func (i imported) binds() string {
	switch {
	case i.as.End > 0:
		return python.Normalize(i.unit.Text()[i.as.Start:i.as.End])
	case i.from:
		return i.name
	}
	top, _, _ := strings.Cut(i.module, ".")
	return top
}

// source returns the module that an import names.
func (m *modules) source(i imported) place {
	if i.level > 0 {
		return m.relative(i.unit, i.level, i.module)
	}
	at, _ := m.absolute(i.unit, i.module)
	return at
}

// importedValue returns the value that an import binds.
func (r *resolver) importedValue(i imported) []value {
	switch {
	case i.from:
		at := r.modules.source(i)
		if !at.found() {
			return []value{library(strings.Repeat(".", i.level) + strings.TrimPrefix(i.module+"."+i.name, "."))}
		}
		if sub, ok := r.ownSubmodule(i, at); ok {
			return []value{moduleValue(sub)}
		}
		values := r.members([]value{moduleValue(at)}, i.name)
		if len(values) == 0 {
			return []value{{kind: kindUnknown}}
		}
		return values
	case i.as.End > 0:
		if at := r.modules.source(i); at.found() {
			return []value{moduleValue(at)}
		}
		return []value{library(i.module)}
	}
	top, _, _ := strings.Cut(i.module, ".")
	at, root := r.modules.absolute(i.unit, i.module)
	if at.found() {
		at = r.modules.child(root, top)
	}
	if !at.found() {
		return []value{library(top)}
	}
	return []value{moduleValue(at)}
}

// ownSubmodule returns the submodule that "from . import a" binds in a package's own __init__, if it exists.
// There the bound name can only be that submodule.
func (r *resolver) ownSubmodule(i imported, from place) (place, bool) {
	if from.unit != i.unit || from.folder == "" {
		return place{}, false
	}
	at := r.modules.child(from.folder, i.name)
	return at, at.found()
}

// stars returns the modules of the project from which a file imports all names.
func (r *resolver) stars(u *Unit) []place {
	var out []place
	for _, i := range u.imports() {
		if i.name == "*" {
			if at := r.modules.source(i); at.unit != nil && at.unit != u {
				out = append(out, at)
			}
		}
	}
	return out
}

// starredFrom returns the binding of a name that a file gets through a star import.
func (r *resolver) starredFrom(u *Unit, name string) (boundIn, bool) {
	return r.starredBehind(u, name, map[*Unit]bool{u: true})
}

// starredBehind is starredFrom without the modules in seen.
func (r *resolver) starredBehind(u *Unit, name string, seen map[*Unit]bool) (boundIn, bool) {
	for _, at := range slices.Backward(r.stars(u)) {
		if seen[at.unit] {
			continue
		}
		seen[at.unit] = true
		if !at.unit.exports(name) {
			continue
		}
		if key := (binding{at.unit.module(), name}); len(at.unit.bound[key]) > 0 {
			return boundIn{at.unit, key}, true
		}
		if found, ok := r.starredBehind(at.unit, name, seen); ok {
			return found, true
		}
	}
	return boundIn{}, false
}

// starred evaluates a name that comes from "import *". It returns nil if no star import binds it.
func (r *resolver) starred(u *Unit, name string) []value {
	if found, ok := r.starredFrom(u, name); ok {
		return r.bound(found.unit, found.binding)
	}
	return nil
}

// exports reports whether "import *" from the unit includes a name that the unit binds.
func (u *Unit) exports(name string) bool {
	u.Names()
	listed := u.listed("__all__")
	if len(u.bound[binding{u.module(), "__all__"}]) == 0 {
		return !strings.HasPrefix(name, "_")
	}
	for _, s := range listed {
		if s.text == name {
			return true
		}
	}
	return false
}

// listedName is a string in a list of names such as __all__.
type listedName struct {
	text string
	at   python.Span // span of the name inside the quotes
}

// listed returns the strings in the module-level statements that begin with variable, such as __all__.
func (u *Unit) listed(variable string) []listedName {
	var out []listedName
	for _, s := range u.topLevel(u.Python().Body, 0) {
		tokens := u.tokens(s.Span)
		if !u.is(tokens, 0, variable) {
			continue
		}
		out = append(out, u.strings(tokens)...)
	}
	return out
}

// strings returns the plain string literals among tokens.
func (u *Unit) strings(tokens []python.Token) []listedName {
	var out []listedName
	for _, t := range tokens {
		if t.Kind != python.String {
			continue
		}
		source := u.word(t)
		if text, ok := python.PlainString(source); ok {
			start := t.Start + strings.LastIndex(source, text)
			out = append(out, listedName{text, python.Span{Start: start, End: start + len(text)}})
		}
	}
	return out
}

// topLevel returns the simple statements of a module, including those inside if, try and with.
func (u *Unit) topLevel(statements []*python.Statement, depth int) []*python.Statement {
	var out []*python.Statement
	for _, s := range statements {
		switch {
		case s.Symbol != nil:
		case len(s.Body) > 0 && depth < 100:
			out = append(out, u.topLevel(s.Body, depth+1)...)
		default:
			out = append(out, s)
		}
	}
	return out
}
