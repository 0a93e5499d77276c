package edit

import (
	"fmt"
	"slices"
	"strings"

	"manualslop/tools/python"
)

// SetVariable replaces the statement that binds a variable of the module or of
// a class. Other statements on its line and the comment after it stay.
func (s Source) SetVariable(name, declaration string) (Change, error) {
	variable, err := s.variable(name)
	if err != nil {
		return Change{}, err
	}
	fr, err := newFragment("new_declaration", declaration)
	if err != nil {
		return Change{}, err
	}
	own, comment, err := fr.declaration(variable.Name)
	if err != nil {
		return Change{}, err
	}
	old := variable.Statement
	lines := fr.cut(own, s.layout(old))
	splice := s.replacement(old.Start, old.End, lines)
	if comment != "" {
		end := s.Lines[s.last(old.End)].End
		gap, code, have := s.rest(old.End, end)
		switch {
		case code:
			return Change{}, refuse("line %d of %s continues after '%s'; leave the comment out of new_declaration",
				s.LineOf(old.End), s.Path, name)
		case !have:
			gap = "  "
		}
		splice.End = end
		splice.New += gap + comment
	}
	return s.finishWhole(splice)
}

// rest examines the text between a statement and the end of its line. It returns the gap before a comment,
// whether another statement follows, and whether a comment follows.
func (s Source) rest(from, end int) (gap string, code, comment bool) {
	for token := range s.Tokens(python.Span{Start: from, End: end}) {
		switch {
		case token.Kind == python.Comment:
			return s.Text[from:token.Start], code, true
		case s.Text[token.Start:token.End] != ";":
			code = true
		}
	}
	return "", code, false
}

// variable finds the only binding of the given name.
func (s Source) variable(name string) (python.Variable, error) {
	path, ordinal := python.CutOrdinal(name)
	var found []python.Variable
	for _, v := range s.Variables() {
		if v.Path == path {
			found = append(found, v)
		}
	}
	others := s.otherBindings(path)
	switch {
	case len(found) == 0 && len(others) > 0:
		return python.Variable{}, refuse("'%s' is bound by %s in %s, so it is not a variable; use py_update_definition for "+
			"definitions, edit_file for imports",
			path, strings.Join(others, " and "), s.Path)
	case len(found) == 0:
		return python.Variable{}, s.missing("variable", name, s.nearVariables(path))
	case ordinal > len(found):
		return python.Variable{}, refuse("%s binds '%s' %d times; there is no #%d", s.Path, path, len(found), ordinal)
	case ordinal == 0 && len(found)+len(others) > 1:
		return python.Variable{}, refuse("'%s' is bound more than once in %s: %s; choose one by its number, as in name=%s#1",
			path, s.Path, strings.Join(append(s.bindingLines(found), others...), ", "), path)
	}
	v := found[max(ordinal, 1)-1]
	if !v.Alone || v.Statement.Kind.Compound() {
		return python.Variable{}, refuse("'%s' is bound together with others or by a compound statement at line %d of %s: "+
			"%q; change it with edit_file",
			path, s.LineOf(v.Target.Start), s.Path, shorten(s.content(s.index(v.Target.Start))))
	}
	return v, nil
}

// bindingLines lists the bindings that share a path, with their lines.
func (s Source) bindingLines(found []python.Variable) []string {
	var out []string
	for i, v := range found {
		out = append(out, fmt.Sprintf("%s#%d (line %d)", v.Path, i+1, s.LineOf(v.Statement.Start)))
	}
	return out
}

// otherBindings describes the imports and definitions that bind a path.
func (s Source) otherBindings(path string) []string {
	var out []string
	for _, imported := range s.imported() {
		if imported.path == path {
			out = append(out, fmt.Sprintf("the import at line %d", s.LineOf(imported.Statement.Start)))
		}
	}
	for _, symbol := range s.Symbols {
		if symbol.Path == path {
			out = append(out, fmt.Sprintf("the definition at line %d", s.LineOf(symbol.Statement.Start)))
		}
	}
	return out
}

// nearVariables returns the paths of similar variables, at most five.
func (s Source) nearVariables(path string) []string {
	_, own, _ := strings.Cut("."+path, path[:strings.LastIndexByte(path, '.')+1])
	var near, rest []string
	for _, v := range s.Variables() {
		switch {
		case slices.Contains(near, v.Path) || slices.Contains(rest, v.Path):
		case strings.EqualFold(v.Name, own) || strings.Contains(strings.ToLower(v.Name), strings.ToLower(own)) ||
			strings.Contains(strings.ToLower(own), strings.ToLower(v.Name)):
			near = append(near, v.Path)
		default:
			rest = append(rest, v.Path)
		}
	}
	if near = append(near, rest...); len(near) > 5 {
		near = near[:5]
	}
	return near
}

// declaration checks that the fragment is one statement that binds the name and nothing else, and returns it with
// the comment after it.
func (fr fragment) declaration(name string) (*python.Statement, string, error) {
	bad := func(what string) (*python.Statement, string, error) {
		return nil, "", refuse("new_declaration must be one declaration of '%s', such as '%s = 1', %s", name, name, what)
	}
	body, variables := fr.file.Body, fr.file.Variables()
	switch {
	case len(body) != 1:
		return bad(fmt.Sprintf("and not %d statements", len(body)))
	case fr.code > 0:
		return bad("without comment lines above it; add those with edit_file")
	case body[0].Kind.Compound():
		return bad("and not a compound statement")
	case len(variables) != 1 || !variables[0].Alone || variables[0].Name != name:
		return bad(fmt.Sprintf("and bind only that name, unlike %q", shorten(fr.lines[0])))
	}
	text := fr.file.Text
	end := fr.file.Lines[fr.file.last(body[0].End)]
	if end.Next < len(text) {
		return bad("without comment lines below it; add those with edit_file")
	}
	gap, _, comment := fr.file.rest(body[0].End, end.End)
	if !comment {
		return body[0], "", nil
	}
	return body[0], text[body[0].End+len(gap):], nil
}

// cut returns the re-indented lines of one statement of the fragment, without the text after it.
func (fr fragment) cut(statement *python.Statement, place layout) []string {
	last := fr.file.last(statement.End)
	for last > fr.code && fr.file.Lines[last].Start >= statement.End {
		last--
	}
	lines := fr.at(place)
	behind := fr.file.Lines[last].End - statement.End
	lines[last] = lines[last][:len(lines[last])-behind]
	return lines[fr.code : last+1]
}
