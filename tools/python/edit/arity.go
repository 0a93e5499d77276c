package edit

import (
	"slices"

	"manualslop/tools/python"
)

// Call is a call that does not match the new header of its definition. Its line numbers are those of the changed
// text.
type Call struct {
	Line    int    `json:"line"`
	Problem string `json:"problem"`
}

// mostCalls limits the reported calls.
const mostCalls = 50

// parameters describes what a definition accepts, without the self or cls of a bound method.
type parameters struct {
	names    []string        // positional ones, in order
	only     int             // how many of them are positional only
	required int             // how many of them have no default
	keywords map[string]bool // keyword-only ones, true where required
	many     bool            // has *args
	any      bool            // has **kwargs
}

// parametersOf reads the parameters of a header.
func parametersOf(file Source, header *python.Statement) parameters {
	p := parameters{keywords: map[string]bool{}}
	tail := false
	for _, item := range items(file, header.Symbol.NameSpan.End, header.Header.End) {
		first := file.Text[item[0].Start:item[0].End]
		name := ""
		for _, token := range item {
			if token.Kind == python.Name {
				name = python.Normalize(token.Of(file.Text))
				break
			}
		}
		optional := slices.ContainsFunc(item, func(t python.Token) bool { return t.Of(file.Text) == "=" })
		switch {
		case first == "/":
			p.only = len(p.names)
		case first == "**":
			p.any = true
		case first == "*":
			tail = true
			p.many = p.many || len(item) > 1
		case tail:
			p.keywords[name] = !optional
		default:
			p.names = append(p.names, name)
			if !optional {
				p.required = len(p.names)
			}
		}
	}
	return p
}

// items splits the contents of the first bracket after from at its commas. Nested commas do not count, and empty
// items are left out.
func items(file Source, from, to int) [][]python.Token {
	var out [][]python.Token
	var item []python.Token
	depth, started, lambda := 0, false, false
	for token := range file.Tokens(python.Span{Start: from, End: to}) {
		text := token.Of(file.Text)
		switch {
		case token.Kind == python.Comment || token.Kind == python.NL:
			continue
		case text == "(" && token.Kind == python.Op && !started && depth == 0:
			started, depth = true, 1
			continue
		case token.Kind == python.Op && (text == "(" || text == "[" || text == "{"):
			depth++
		case token.Kind == python.Op && (text == ")" || text == "]" || text == "}"):
			depth--
		case depth == 1 && (text == "lambda" || text == ":"):
			lambda = text == "lambda"
		}
		switch {
		case started && depth == 0:
			if len(item) > 0 {
				out = append(out, item)
			}
			return out
		case started && depth == 1 && text == "," && !lambda:
			out, item = append(out, item), nil
		case started && (depth == 1 || len(item) == 0):
			item = append(item, token)
		}
	}
	return slices.DeleteFunc(out, func(item []python.Token) bool { return len(item) == 0 })
}

// brokenCalls lists the calls that matched the old parameters but do not match the new ones. It compares only
// names and skips calls that unpack arguments.
func (s Source) brokenCalls(symbol *python.Symbol, after parameters, change Change) []Call {
	out := []Call{}
	if symbol.Kind == python.KindClass || symbol.Of > 1 {
		return out
	}
	before := parametersOf(s, symbol.Statement)
	now := s.with(change.Result)
	for _, site := range now.sites(symbol) {
		skip := s.bound(symbol, site.receiver)
		problem := after.problem(site, skip)
		if problem != "" && before.problem(site, skip) == "" && len(out) < mostCalls {
			out = append(out, Call{Line: now.LineOf(site.Span.Start), Problem: problem})
		}
	}
	return out
}

// bound returns the number of parameters that a call fills implicitly: 1 for
// the self of a method.
func (s Source) bound(symbol *python.Symbol, receiver string) int {
	if symbol.Kind != python.KindMethod && symbol.Kind != python.KindAsyncMethod {
		return 0
	}
	decorators := s.Decorators(symbol)
	switch {
	case slices.Contains(decorators, "staticmethod"):
		return 0
	case slices.Contains(decorators, "classmethod"), symbol.Name == "__init__", symbol.Name == "__new__":
		return 1
	case symbol.Parent != nil && receiver == symbol.Parent.Name:
		return 0
	}
	return 1
}
