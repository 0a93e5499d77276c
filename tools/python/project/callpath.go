package project

import (
	"cmp"
	"context"
	"slices"

	"manualslop/tools/python"
	"manualslop/tools/python/grammar"
)

// CallQuery asks which functions a function calls and which call it.
type CallQuery struct {
	Target string // "f", "A.m", "pkg.mod.f", "path/file.py:A.m", "f#2"
	Depth  int    // levels in each direction; zero means DefaultCallDepth; at most MaxCallDepth
	Nodes  int    // nodes in each direction; zero means DefaultCallNodes
}

// Limits of a CallQuery.
const (
	DefaultCallDepth = 3
	MaxCallDepth     = 20
	DefaultCallNodes = 300
)

// CallGraph is the result of a CallQuery.
type CallGraph struct {
	Target     Definition   `json:"target"`
	Depth      int          `json:"depth"`
	Callees    []CallNode   `json:"callees"`
	Callers    []CallNode   `json:"callers"`
	Unresolved []Unresolved `json:"unresolved"` // calls in the target and its callees whose callee is unknown
	// Possible are calls of this name on objects of unknown type, which may call the target.
	Possible  []Unresolved `json:"possible"`
	Library   []Library    `json:"library"`   // calls by the target and its callees to code outside the project
	Truncated bool         `json:"truncated"` // nodes were left out because of the limit
	Warnings  []string     `json:"warnings"`
}

// CallNode is a function, class or module at one position in a call graph.
type CallNode struct {
	Name  string     `json:"name"` // dotted path within the file; "<module>" for code outside functions
	Path  string     `json:"path"`
	Line  int        `json:"line"`
	Kind  string     `json:"kind"`
	Calls []CallSite `json:"calls"` // where the caller calls the callee
	// Mark is "cycle" for a node that is its own ancestor, "seen" for one whose calls are shown elsewhere in the
	// tree, "cut" if the limit on nodes left out some of its calls, "deep" at the last level, where calls are not
	// searched for, and otherwise empty.
	Mark  string     `json:"mark"`
	Nodes []CallNode `json:"nodes"`
}

// CallSite is one call in the file of the caller.
type CallSite struct {
	Line int    `json:"line"`
	How  string `json:"how"` // "call", "decorator", or "reference" if the function is passed as a value
}

// Unresolved is a call whose callee is unknown.
type Unresolved struct {
	Text string `json:"text"` // the callee as written, shortened
	In   string `json:"in"`
	Path string `json:"path"`
	Line int    `json:"line"`
}

// Library counts calls of one function or class outside the project.
type Library struct {
	Name  string `json:"name"`
	Count int    `json:"count"`
}

// edge is one neighbour of a node with the calls between them.
type edge struct {
	to    owner
	sites []CallSite
}

// calls is the state of one search for a call graph.
type calls struct {
	*resolver
	ctx     context.Context
	query   CallQuery
	graph   CallGraph
	library map[string]int
	holders map[string][]*Unit // for the names of a level, the files that mention them
}

// Calls traces callees and callers of a function over the whole project. The error is a
// *NotFoundError, an *AmbiguousError or the context's.
func (p *Project) Calls(ctx context.Context, q CallQuery) (CallGraph, error) {
	q.Depth = min(cmp.Or(q.Depth, DefaultCallDepth), MaxCallDepth)
	q.Nodes = cmp.Or(q.Nodes, DefaultCallNodes)
	c := &calls{resolver: p.resolver(), ctx: ctx, query: q, library: map[string]int{}}
	t := parseTarget(q.Target)
	anything := func(*python.Symbol) bool { return true }
	found, err := p.symbols(ctx, t, anything)
	if err != nil {
		return c.graph, err
	}
	if len(found) == 0 {
		found, err = c.reexported(t)
	}
	if err != nil {
		return c.graph, err
	}
	start, err := p.one(ctx, t, implementations(found), anything)
	if err != nil {
		return c.graph, err
	}
	c.graph = CallGraph{
		Target: start.unit.definition(start.symbol), Depth: q.Depth, Unresolved: []Unresolved{}, Possible: []Unresolved{},
		Library: []Library{}, Warnings: []string{},
	}
	if c.graph.Callees, err = c.tree(start, c.callees); err != nil {
		return c.graph, err
	}
	if c.graph.Callers, err = c.tree(start, c.callers); err != nil {
		return c.graph, err
	}
	c.finish(start)
	return c.graph, nil
}

// reexported finds a function by a name under which a module imports it.
func (c *calls) reexported(t target) ([]owner, error) {
	units, err := c.mentioning(c.ctx, t.last())
	var out []owner
	for _, u := range units {
		module := "." + c.modules.name(u)
		if !(t.file == u.Path || len(t.names) > 1 && hasDottedSuffix(module, joined(t.names[:len(t.names)-1]))) {
			continue
		}
		name := joined(t.names)
		if t.file == "" {
			name = t.last()
		}
		for _, v := range c.dotted(u, u.module(), name) {
			if o := (owner{v.unit, v.symbol}); v.symbol != nil && !slices.Contains(out, o) {
				out = append(out, o)
			}
		}
	}
	return out, err
}

// implementations removes overloads, whose bodies never run, unless nothing else is left.
func implementations(found []owner) []owner {
	rest := slices.DeleteFunc(slices.Clone(found), func(o owner) bool { return isOverload(o.unit, o.symbol) })
	if len(rest) == 0 {
		return found
	}
	return rest
}

func isOverload(u *Unit, s *python.Symbol) bool {
	return slices.ContainsFunc(u.Python().Decorators(s), func(d string) bool { return lastPart(d) == "overload" })
}

// finish sorts what the search collected.
func (c *calls) finish(start owner) {
	for name, count := range c.library {
		c.graph.Library = append(c.graph.Library, Library{name, count})
	}
	slices.SortFunc(c.graph.Library, func(a, b Library) int {
		return cmp.Or(b.Count-a.Count,
			cmp.Compare(a.Name, b.Name))
	})
	order := func(a, b Unresolved) int {
		return cmp.Or(cmp.Compare(a.Path, b.Path), a.Line-b.Line, cmp.Compare(a.Text, b.Text))
	}
	slices.SortFunc(c.graph.Unresolved, order)
	slices.SortFunc(c.graph.Possible, order)
	if problem, broken := start.unit.Broken(true); broken {
		c.graph.Warnings = append(c.graph.Warnings, start.unit.Path+" does not parse ("+problem+
			"), so calls in it may be missing")
	}
}

// spot is a node of the growing tree.
type spot struct {
	at    owner
	above *spot
	node  *CallNode
}

// tree builds the graph breadth first. The neighbours of each function are expanded only once.
func (c *calls) tree(start owner, neighbours func(owner, bool) ([]edge, error)) ([]CallNode, error) {
	root := &CallNode{Nodes: []CallNode{}}
	level := []*spot{{at: start, node: root}}
	expanded := map[owner]bool{start: true}
	nodes := 0
	for depth := 1; len(level) > 0 && depth <= c.query.Depth; depth++ {
		if err := c.prefetch(level); err != nil {
			return nil, err
		}
		var next []*spot
		for _, s := range level {
			edges, err := neighbours(s.at, depth == 1)
			if err != nil {
				return nil, err
			}
			if over := nodes + len(edges) - c.query.Nodes; over > 0 {
				edges = edges[:max(0, len(edges)-over)]
				c.graph.Truncated, s.node.Mark = true, "cut"
			}
			nodes += len(edges)
			s.node.Nodes = make([]CallNode, len(edges))
			for i, e := range edges {
				child := &spot{at: e.to, above: s, node: &s.node.Nodes[i]}
				*child.node = newCallNode(e)
				switch {
				case s.isBelow(e.to):
					child.node.Mark = "cycle"
				case expanded[e.to]:
					child.node.Mark = "seen"
				default:
					expanded[e.to] = true
					next = append(next, child)
					if depth == c.query.Depth && e.to.symbol != nil {
						child.node.Mark = "deep"
					}
				}
			}
		}
		level = next
	}
	return root.Nodes, nil
}

// prefetch finds the files that mention the functions of a level in one pass.
func (c *calls) prefetch(level []*spot) error {
	const few = 4 // up to this number, one pass for each is faster
	if len(level) <= few {
		return nil
	}
	var names []string
	for _, s := range level {
		if s.at.symbol != nil {
			names = append(names, s.at.symbol.Name)
		}
	}
	holders, err := c.mentioningEach(c.ctx, names)
	c.holders = holders
	return err
}

// holding returns the files that mention one of the names.
func (c *calls) holding(names []string) ([]*Unit, error) {
	if len(names) == 1 {
		if units, known := c.holders[names[0]]; known {
			return units, nil
		}
	}
	return c.mentioning(c.ctx, names...)
}

// isBelow reports whether the spot or one of its ancestors is the function o.
func (s *spot) isBelow(o owner) bool {
	for ; s != nil; s = s.above {
		if s.at == o {
			return true
		}
	}
	return false
}

func newCallNode(e edge) CallNode {
	n := CallNode{Name: "<module>", Path: e.to.unit.Path, Line: 1, Kind: "module", Calls: e.sites, Nodes: []CallNode{}}
	if s := e.to.symbol; s != nil {
		d := e.to.unit.definition(s)
		n.Name, n.Line, n.Kind = d.Name, d.Line, d.Kind
	}
	return n
}

// addSite adds a call to the edge to a function, and creates the edge if it does not exist.
func addSite(edges []edge, to owner, site CallSite) []edge {
	for i := range edges {
		if edges[i].to == to {
			if !slices.Contains(edges[i].sites, site) {
				edges[i].sites = append(edges[i].sites, site)
			}
			return edges
		}
	}
	return append(edges, edge{to, []CallSite{site}})
}

// callerAt returns the function that runs the code at offset. A decorator belongs to the function that it decorates.
func (u *Unit) callerAt(offset int) *python.Symbol {
	if s := u.statementAt(offset); s != nil && s.Symbol != nil && offset < s.Start {
		return s.Symbol
	}
	for s := u.Enclosing(offset); s != nil; s = s.Parent {
		if isFunction(s) {
			return s
		}
	}
	return nil
}

// how returns how a use affects a function: call, decorator, reference, or "" for none of these.
func (u *Unit) how(use *grammar.Use) string {
	switch u.kindOf(use) {
	case "call":
		return "call"
	case "decorator":
		return "decorator"
	case "reference", "attribute":
		return "reference"
	}
	return ""
}
