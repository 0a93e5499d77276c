package project

import (
	"sort"
	"strings"

	"manualslop/tools/document"
	"manualslop/tools/python"
	"manualslop/tools/python/grammar"
)

// mostUnresolved limits the lists of unresolved calls.
const mostUnresolved = 500

// callees returns what a function calls, in call order. For a class it returns
// its constructors and the calls in its body.
func (c *calls) callees(from owner, _ bool) ([]edge, error) {
	if err := c.ctx.Err(); err != nil {
		return nil, err
	}
	var edges []edge
	if isClass(from.symbol) {
		for _, to := range c.constructors(classValue(from.unit, from.symbol)) {
			edges = addSite(edges, to, CallSite{Line: from.unit.Python().Line(from.symbol), How: "call"})
		}
	}
	for _, call := range from.unit.callsIn(from.symbol) {
		if err := c.ctx.Err(); err != nil {
			return nil, err
		}
		values := c.eval(from.unit, call.CalleeSpan)
		site := CallSite{Line: from.unit.Python().LineOf(call.Span.Start), How: "call"}
		if call.Decorator {
			site.How = "decorator"
		}
		resolved := false
		for _, to := range c.reached(values, &resolved) {
			edges = addSite(edges, to, site)
		}
		if !resolved {
			c.unresolved(from, call)
		}
	}
	return edges, nil
}

// callsIn returns the calls in a function's own code and its decorators. For a class, it returns the calls in its
// body.
func (u *Unit) callsIn(s *python.Symbol) []grammar.Call {
	all := u.Names().Calls
	if s == nil {
		return nil
	}
	from := sort.Search(len(all), func(i int) bool { return all[i].Span.Start >= s.Statement.OuterStart() })
	var out []grammar.Call
	for _, call := range all[from:] {
		if call.Span.Start >= s.Statement.End {
			break
		}
		at := u.callerAt(call.Span.Start)
		if at == s || isClass(s) && u.Enclosing(call.Span.Start) == s {
			out = append(out, call)
		}
	}
	return out
}

// reached returns the functions and classes of the project that a call of the values may run. It counts calls of
// library code, and sets resolved if any value was recognised.
func (c *calls) reached(values []value, resolved *bool) []owner {
	var out []owner
	for _, v := range values {
		switch v.kind {
		case kindFunction:
			*resolved = true
			out = append(out, owner{v.unit, v.symbol})
		case kindClass:
			*resolved = true
			constructors := c.constructors(v)
			if len(constructors) == 0 {
				constructors = []owner{{v.unit, v.symbol}}
			}
			out = append(out, constructors...)
		case kindInstance:
			for _, m := range c.member(v, "__call__") {
				if m.kind == kindFunction {
					*resolved = true
					out = append(out, owner{m.unit, m.symbol})
				}
			}
		case kindLibrary, kindBuiltin:
			*resolved = true
			c.library[strings.ReplaceAll(v.name, "()", "")]++
		}
	}
	return implementations(out)
}

// constructors returns the __init__ and __new__ that creating an instance runs, if the project defines them.
func (c *calls) constructors(class value) []owner {
	var out []owner
	for _, name := range []string{"__init__", "__new__"} {
		for _, m := range c.member(class, name) {
			if m.kind == kindFunction {
				out = append(out, owner{m.unit, m.symbol})
			}
		}
	}
	return out
}

func (c *calls) unresolved(from owner, call grammar.Call) {
	text := call.Callee
	if text == "" {
		written := from.unit.Text()[call.CalleeSpan.Start:call.CalleeSpan.End]
		text = document.Clip(strings.Join(strings.Fields(written), " "), 60)
	}
	u := Unresolved{Text: text, In: symbolPath(from.symbol), Path: from.unit.Path,
		Line: from.unit.Python().LineOf(call.Span.Start)}
	if len(c.graph.Unresolved) < mostUnresolved {
		c.graph.Unresolved = append(c.graph.Unresolved, u)
	} else {
		c.graph.Truncated = true
	}
}
