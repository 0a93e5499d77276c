package edit

import (
	"fmt"
	"slices"
	"strings"

	"manualslop/tools/python"
	"manualslop/tools/python/grammar"
)

// site is one call of a definition.
type site struct {
	grammar.Call
	receiver string // the text before the dot; empty if there is none
}

// sites finds the calls of a symbol by its name: the bare name for a function, the name after a dot for a method,
// the name of the class for a constructor.
func (s Source) sites(symbol *python.Symbol) []site {
	method := symbol.Kind == python.KindMethod || symbol.Kind == python.KindAsyncMethod
	name := symbol.Name
	if method && (name == "__init__" || name == "__new__") && symbol.Parent != nil {
		name, method = symbol.Parent.Name, false
	}
	var out []site
	for _, call := range grammar.AnalyzeFile(s.File).Calls {
		callee := call.Callee
		if callee == "" {
			callee = call.CalleeSpan.Of(s.Text)
		}
		receiver, own := "", callee
		if at := strings.LastIndexByte(callee, '.'); at >= 0 {
			receiver, own = callee[:at], python.Normalize(strings.TrimSpace(callee[at+1:]))
		}
		if own == name && (receiver != "") == method && !call.Decorator {
			out = append(out, site{call, receiver})
		}
	}
	return out
}

// problem returns why a call does not match, or "" if it does. The first skip parameters are filled implicitly.
func (p parameters) problem(call site, skip int) string {
	if call.Star || call.DoubleStar {
		return ""
	}
	names := p.names[min(skip, len(p.names)):]
	if call.Positional > len(names) && !p.many {
		return fmt.Sprintf("passes %s, %d accepted", counted(call.Positional), len(names))
	}
	given := map[string]bool{}
	for _, name := range names[:min(call.Positional, len(names))] {
		given[name] = true
	}
	for _, keyword := range call.Keywords {
		at := slices.Index(names, keyword)
		_, own := p.keywords[keyword]
		switch {
		case given[keyword]:
			return fmt.Sprintf("passes '%s' twice", keyword)
		case !own && !p.any && (at < 0 || at < p.only-skip):
			return fmt.Sprintf("passes '%s', which is not accepted", keyword)
		}
		given[keyword] = true
	}
	return p.lacking(names, given, skip)
}

// lacking returns the required parameters that a call does not give.
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
	return "does not pass " + strings.Join(lacking, ", ")
}

func counted(n int) string {
	if n == 1 {
		return "1 positional argument"
	}
	return fmt.Sprintf("%d positional arguments", n)
}
