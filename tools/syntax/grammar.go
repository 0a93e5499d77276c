package syntax

import (
	"cmp"
	"slices"
	"strings"
	"sync"

	sitter "github.com/smacker/go-tree-sitter"
)

// grammar describes how a language's tree represents definitions. Long lists of node types and file names are
// strings separated by blanks.
type grammar struct {
	name      string
	endings   string // file name extensions, without the dot
	files     string // whole file names
	separator string // separator of path elements; empty means "."
	note      string // what is listed for a language without code definitions
	load      func() *sitter.Language
	read      func(text string) Structure // replaces load for a language that is read without tree-sitter
	defs      map[string]def
	into      []string // nodes that are not symbols but contain some
	lift      []string // those of into that are replaced by their only symbol
	lead      []string // decorators and attributes that precede what they belong to
	unnamed   []string // anonymous functions, whose variables are not listed
	nested    bool     // functions inside functions are listed
}

// def describes the symbol that a type of node defines.
type def struct {
	kind string
	// name is the path to the node with the name: fields, or types in angle brackets, separated by slashes. Empty
	// means the field "name".
	name string
	// body lists fields, or types in angle brackets; the first one that exists ends the signature. Empty means
	// the field "body".
	body string
	leaf bool // the inside is not searched
	// names means that each child in the field "name" is a symbol with the range of the whole node.
	names bool
	open  bool // the inside is searched if the node turns out not to be a symbol
	// hook names symbols that a path cannot; false means that the node is not a symbol.
	hook func(node *sitter.Node, src []byte) (naming, bool)
}

// naming is the name of a symbol.
type naming struct {
	title string
	kind  string
	scope string // prefix of the names inside, if it is not the title
	at    int    // offset of the name
}

// named returns the name of a node, or false if it has none.
func (d def) named(node *sitter.Node, src []byte) (naming, bool) {
	if d.hook != nil {
		n, ok := d.hook(node, src)
		n.title = tidy(n.title)
		n.kind = cmp.Or(n.kind, d.kind)
		return n, ok && n.title != ""
	}
	at := follow(node, cmp.Or(d.name, "name"))
	if at == nil {
		return naming{}, false
	}
	title := tidy(at.Content(src))
	return naming{title: title, kind: d.kind, at: int(at.StartByte())}, title != ""
}

// others returns the names of a node behind the first one.
func (d def) others(node *sitter.Node, src []byte) (out []naming) {
	if !d.names {
		return nil
	}
	first := follow(node, "name")
	for i := range int(node.ChildCount()) {
		if child := node.Child(i); node.FieldNameForChild(i) == "name" && child.IsNamed() && !child.Equal(first) {
			out = append(out, naming{title: tidy(child.Content(src)), kind: d.kind, at: int(child.StartByte())})
		}
	}
	return out
}

// maxTitle limits a name in bytes; longer ones are damage.
const maxTitle = 300

// tidy joins a name into one line.
func tidy(name string) string {
	name = strings.Join(strings.Fields(strings.ToValidUTF8(name, "\uFFFD")), " ")
	if len(name) > maxTitle {
		name = strings.ToValidUTF8(name[:maxTitle], "") + "…"
	}
	return name
}

func (d def) bodyOf(node *sitter.Node) *sitter.Node {
	for _, step := range strings.Fields(cmp.Or(d.body, "body")) {
		if at := follow(node, step); at != nil {
			return at
		}
	}
	return nil
}

// follow follows a path of fields and types. It returns nil if the path ends early.
func follow(node *sitter.Node, path string) *sitter.Node {
	for step := range strings.SplitSeq(path, "/") {
		if node == nil {
			return nil
		}
		kind, byType := strings.CutPrefix(step, "<")
		if !byType {
			node = node.ChildByFieldName(step)
			continue
		}
		node = childOf(node, strings.TrimSuffix(kind, ">"))
	}
	return node
}

// maxSearched limits the children that are examined for a type.
const maxSearched = 40

// childOf returns the first child of a type, or nil.
func childOf(node *sitter.Node, kind string) *sitter.Node {
	for i := range min(int(node.NamedChildCount()), maxSearched) {
		if child := node.NamedChild(i); child.Type() == kind {
			return child
		}
	}
	return nil
}

// grammars lists all languages, sorted by name.
var grammars = sync.OnceValue(func() []*grammar {
	all := slices.Concat(systemGrammars(), scriptGrammars(), dataGrammars())
	slices.SortFunc(all, func(a, b *grammar) int { return strings.Compare(a.name, b.name) })
	return all
})
