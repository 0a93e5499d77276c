package edit

import (
	"fmt"
	"regexp"
	"strings"
	"sync"

	"manualslop/tools/python"
)

// definition finds the only definition with the given name.
func (s Source) definition(name string) (*python.Symbol, error) {
	found := s.Find(name)
	switch len(found) {
	case 0:
		return nil, s.noDefinition(name)
	case 1:
		return found[0], nil
	}
	return nil, refuse("'%s' is ambiguous in %s: %s; choose one by its number, as in %s#1", name, s.Path,
		s.candidates(found), found[0].Path)
}

// mostCandidates limits the definitions of one name that are listed.
const mostCandidates = 20

// candidates lists the definitions that share a path, with their lines.
func (s Source) candidates(found []*python.Symbol) string {
	var out []string
	for _, symbol := range found[:min(len(found), mostCandidates)] {
		out = append(out, fmt.Sprintf("%s#%d (%s)", symbol.Path, symbol.Ordinal, s.span(symbol)))
	}
	if more := len(found) - len(out); more > 0 {
		out = append(out, fmt.Sprintf("and %d more", more))
	}
	return strings.Join(out, ", ")
}

// noDefinition returns the error for a name without a definition. It says what else the name is, or suggests
// similar names.
func (s Source) noDefinition(name string) error {
	path, ordinal := python.CutOrdinal(name)
	if all := s.Find(path); ordinal > 0 && len(all) > 0 {
		return refuse("no definition '%s' in %s; it has %s", shorten(name), s.Path, s.candidates(all))
	}
	for _, v := range s.Variables() {
		if v.Path == path {
			return refuse("no definition '%s' in %s; it is a variable (line %d), see py_set_var_declaration", shorten(name),
				s.Path, s.LineOf(v.Target.Start))
		}
	}
	if len(s.Symbols) == 0 {
		return refuse("no definition '%s' in %s, which has no class or function", shorten(name), s.Path)
	}
	return s.missing("definition", name, s.Suggest(name))
}

// missing returns the error for a missing name and lists the nearest ones.
func (s Source) missing(what, name string, near []string) error {
	nearest := ""
	if len(near) > 0 {
		nearest = "nearest: " + strings.Join(near, ", ") + "; "
	}
	return refuse("no %s '%s' in %s; %scall py_get_code_outline to see all", what, shorten(name), s.Path, nearest)
}

// dotted matches a path of names. The part before the last name may end with a number, as in A#2.m.
var dotted = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^(` + word + `(\.` + word + `)*(#[1-9][0-9]*)?\.)?` + word + `$`)
})

const word = `[\pL\p{Nl}_][\pL\p{Nl}\p{Mn}\p{Mc}\p{Nd}\p{Pc}·]*`

// split splits the dotted path of a new definition into its parent's path and its own name.
func split(label, path string) (parent, name string, err error) {
	path = strings.TrimSpace(path)
	if !dotted().MatchString(path) {
		return "", "", refuse("%s '%s' is not a dotted path of names such as f or A.m", label, shorten(path))
	}
	if at := strings.LastIndexByte(path, '.'); at >= 0 {
		return path[:at], path[at+1:], nil
	}
	return "", path, nil
}

// span returns the 1-based lines of a symbol with its decorators.
func (s Source) span(symbol *python.Symbol) string {
	from, to := s.StartLine(symbol), s.EndLine(symbol)
	if from == to {
		return fmt.Sprintf("line %d", from)
	}
	return fmt.Sprintf("lines %d-%d", from, to)
}
