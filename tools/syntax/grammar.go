package syntax

import (
	"cmp"
	"slices"
	"strings"
	"sync"

	sitter "github.com/smacker/go-tree-sitter"
)

// grammar says how a language's tree shows its definitions. Lists of node types and file names are
// separated by blanks in strings where they are long.
type grammar struct {
	name      string
	endings   string // of file names, without the dot
	files     string // whole file names
	separator string // between parts of a path; empty means "."
	note      string // what is listed where there are no definitions of code
	load      func() *sitter.Language
	read      func(text string) Structure // in place of load, where the language is read without tree-sitter
	defs      map[string]def
	into      []string // nodes that are no symbols but hold some
	lift      []string // those of them whose place a lone symbol takes
	lead      []string // decorators and attributes that stand in front of what they belong to
	unnamed   []string // functions without a name, in which variables are not listed
	nested    bool     // functions inside functions are listed
}

// def says what a type of node defines.
type def struct {
	kind string
	// name leads to the node with the name: fields, or types in angle brackets, separated by
	// slashes. Empty means the field "name".
	name string
	// body are the fields or types in angle brackets of which the first one there ends the
	// signature. Empty means the field "body".
	body string
	leaf bool // nothing inside is looked for
	open bool // where it turns out to be no symbol, what is inside is looked for
	// hook names what a path cannot; false means that the node is no symbol.
	hook func(node *sitter.Node, src []byte) (naming, bool)
}

// naming is what a symbol is called.
type naming struct {
	title string
	kind  string
	scope string // what the names inside begin with, where that is not the title
	at    int    // offset of the name
}

// named gives the name of a node, false where it has none.
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

// maxTitle bounds a name in bytes; longer ones are no names but damage.
const maxTitle = 300

// tidy makes a name one line.
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

// follow walks a path of fields and types; nil where it ends early.
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

// maxSearched bounds the children that are looked at for one of a type.
const maxSearched = 40

// childOf is the first child of a type.
func childOf(node *sitter.Node, kind string) *sitter.Node {
	for i := range min(int(node.NamedChildCount()), maxSearched) {
		if child := node.NamedChild(i); child.Type() == kind {
			return child
		}
	}
	return nil
}

// grammars is the table of all languages, by name.
var grammars = sync.OnceValue(func() []*grammar {
	all := slices.Concat(systemGrammars(), scriptGrammars(), dataGrammars())
	slices.SortFunc(all, func(a, b *grammar) int { return strings.Compare(a.name, b.name) })
	return all
})
