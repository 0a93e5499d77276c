package edit

import (
	"fmt"
	"slices"
	"strings"

	"manualslop/tools/python"
)

// site is one call.
type site struct {
	offset     int
	receiver   string // name in front of the dot, empty where there is none
	positional int
	keywords   []string
	unpacks    bool // *args or **kwargs
}

// sites finds the calls of a symbol by its name: of a function the bare name, of a method the name
// behind a dot, of a constructor the name of its class.
func (s Source) sites(symbol *python.Symbol) []site {
	method := symbol.Kind == python.KindMethod || symbol.Kind == python.KindAsyncMethod
	name := symbol.Name
	if method && (name == "__init__" || name == "__new__") && symbol.Parent != nil {
		name, method = symbol.Parent.Name, false
	}
	var out []site
	var last [3]python.Token // the three tokens before this one
	for token := range s.Tokens(python.Span{End: len(s.Text)}) {
		if token.Kind == python.Comment || token.Kind == python.NL {
			continue
		}
		called := token.Kind == python.Op && token.Of(s.Text) == "(" && last[2].Kind == python.Name &&
			python.Normalize(last[2].Of(s.Text)) == name
		if before := last[1].Of(s.Text); called && before != "def" && before != "class" && (before == ".") == method {
			receiver := ""
			if method {
				receiver = last[0].Of(s.Text)
			}
			out = append(out, s.site(last[2].Start, token.Start, receiver))
		}
		last = [3]python.Token{last[1], last[2], token}
	}
	return out
}

// site reads the arguments of the call whose bracket opens at open.
func (s Source) site(offset, open int, receiver string) site {
	call := site{offset: offset, receiver: receiver}
	for _, item := range items(s, open, len(s.Text)) {
		switch first := item[0].Of(s.Text); {
		case first == "*" || first == "**":
			call.unpacks = true
		case len(item) > 1 && item[0].Kind == python.Name && item[1].Of(s.Text) == "=":
			call.keywords = append(call.keywords, python.Normalize(first))
		default:
			call.positional++
		}
	}
	return call
}

// problem says why a call does not fit, or nothing. skip parameters are filled by the call itself.
func (p parameters) problem(call site, skip int) string {
	if call.unpacks {
		return ""
	}
	names := p.names[min(skip, len(p.names)):]
	if call.positional > len(names) && !p.many {
		return fmt.Sprintf("gives %s, %d taken", counted(call.positional), len(names))
	}
	given := map[string]bool{}
	for _, name := range names[:min(call.positional, len(names))] {
		given[name] = true
	}
	for _, keyword := range call.keywords {
		at := slices.Index(names, keyword)
		_, own := p.keywords[keyword]
		switch {
		case given[keyword]:
			return fmt.Sprintf("gives '%s' twice", keyword)
		case !own && !p.any && (at < 0 || at < p.only-skip):
			return fmt.Sprintf("gives '%s', which is not taken", keyword)
		}
		given[keyword] = true
	}
	return p.lacking(names, given, skip)
}

// lacking names the required parameters that are not given.
func (p parameters) lacking(names []string, given map[string]bool, skip int) string {
	var lacking []string
	for i, name := range names {
		if i+skip < p.required && !given[name] {
			lacking = append(lacking, name)
		}
	}
	for name, required := range p.keywords {
		if required && !given[name] {
			lacking = append(lacking, name)
		}
	}
	slices.Sort(lacking)
	if len(lacking) == 0 {
		return ""
	}
	return "does not give " + strings.Join(lacking, ", ")
}

func counted(n int) string {
	if n == 1 {
		return "1 positional argument"
	}
	return fmt.Sprintf("%d positional arguments", n)
}
