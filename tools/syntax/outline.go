package syntax

import (
	"context"
	"fmt"
	"slices"
	"strings"

	sitter "github.com/smacker/go-tree-sitter"
)

// maxDepth limits how deeply definitions are searched for.
const maxDepth = 400

// Structure is the result of Outline.
type Structure struct {
	Symbols []Symbol // in source order, outer before inner ones
	Damage  []Damage // text that could not be parsed; empty does not mean valid
}

// Outline lists the definitions of a text. The error matches ErrTooLarge, ErrTooHard, ErrNoLanguage or is the
// context's. A broken text is not an error.
func Outline(ctx context.Context, language Language, src []byte) (Structure, error) {
	if language.grammar != nil && language.grammar.read != nil {
		return scanned(ctx, language, src)
	}
	keeps := language.grammar != nil && len(src) <= maxKeptSize && ctx.Err() == nil
	var at digest
	if keeps {
		at = digestOf(language.grammar, src)
		if found, ok := kept.get(at); ok {
			return found, nil
		}
	}
	out, err := parsed(ctx, language, src)
	if keeps && err == nil {
		kept.put(at, out)
	}
	return out, err
}

// parsed is Outline for languages that are read with tree-sitter.
func parsed(ctx context.Context, language Language, src []byte) (Structure, error) {
	var scripts []script
	out, err := withTree(ctx, language, src, func(root *sitter.Node) Structure {
		w := walker{grammar: language.grammar, src: src, lines: newLines(src), separator: language.Separator()}
		w.cursor = sitter.NewTreeCursor(root)
		defer w.cursor.Close()
		w.children(scope{}, 0)
		Number(w.found)
		scripts = w.scripts
		return Structure{Symbols: append([]Symbol{}, w.found...), Damage: damageOf(root, src, w.lines)}
	})
	if err != nil || len(scripts) == 0 {
		return out, err
	}
	return withScripts(ctx, out, scripts, src)
}

// scanned is Outline for languages that are read without tree-sitter.
func scanned(ctx context.Context, language Language, src []byte) (Structure, error) {
	if len(src) > MaxSize {
		return Structure{}, fmt.Errorf("%w: %d bytes, at most %d", ErrTooLarge, len(src), MaxSize)
	}
	if ctx.Err() != nil {
		return Structure{}, ctx.Err()
	}
	return language.grammar.read(string(src)), nil
}

// walker collects symbols. It visits only the content of containers, because the binding keeps every visited node
// on the heap until the tree is released.
type walker struct {
	grammar   *grammar
	cursor    *sitter.TreeCursor
	src       []byte
	lines     lines
	separator string
	found     []Symbol
	scripts   []script // scripts of an HTML page
}

// scope describes what encloses a symbol.
type scope struct {
	path  string // empty at top level
	kind  string // kind of the innermost symbol
	depth int    // number of enclosing symbols
	// unnamed means that an anonymous function encloses it, whose variables are not listed.
	unnamed bool
}

// children visits the children of the cursor's node. level counts nodes, not symbols.
func (w *walker) children(in scope, level int) {
	if level > maxDepth || !w.cursor.GoToFirstChild() {
		return
	}
	var front lead
	for {
		node := w.cursor.CurrentNode()
		if node.IsNamed() {
			w.visit(node, in, level, &front)
		}
		if !w.cursor.GoToNextSibling() {
			break
		}
	}
	w.cursor.GoToParent()
}

func (w *walker) visit(node *sitter.Node, in scope, level int, front *lead) {
	kind := node.Type()
	if strings.Contains(kind, "comment") {
		front.comment(w, node)
		return
	}
	if slices.Contains(w.grammar.lead, kind) {
		front.attribute(w, node)
		return
	}
	rule, defines := w.grammar.defs[kind]
	if defines {
		if named, ok := rule.named(node, w.src); ok && !(in.unnamed && named.kind == "variable") {
			w.define(node, rule, named, in, level, *front)
			for _, named := range rule.others(node, w.src) {
				w.define(node, rule, named, in, level, *front)
			}
			*front = lead{end: int(node.EndByte())}
			return
		}
	}
	if rule.open || slices.Contains(w.grammar.into, kind) || node.IsError() {
		w.container(node, kind, in, level, *front)
	}
	*front = lead{end: int(node.EndByte())}
}

// container visits a node that is not itself a symbol. If it contains only one symbol, such as an export or a
// declaration with one name, or several in one range, they get the container's range.
func (w *walker) container(node *sitter.Node, kind string, in scope, level int, front lead) {
	first := len(w.found)
	in.unnamed = in.unnamed || slices.Contains(w.grammar.unnamed, kind)
	w.children(in, level+1)
	if !slices.Contains(w.grammar.lift, kind) || len(w.found) == first {
		return
	}
	start := w.found[first].Start
	for _, s := range w.found[first:] {
		if s.Depth == in.depth && s.Start != start {
			return
		}
	}
	if !w.held(node, start) {
		return
	}
	for i := range w.found[first:] {
		if s := &w.found[first+i]; s.Depth == in.depth {
			w.lift(s, node, front)
		}
	}
}

// lift extends a symbol to the container that holds only it, or only it and others in the same range.
func (w *walker) lift(s *Symbol, node *sitter.Node, front lead) {
	s.Start, s.End = front.start(w.trimmed(node))
	s.StartLine, s.EndLine = w.lines.number(s.Start), w.lines.number(max(s.End-1, s.Start))
	s.Decorators = slices.Concat(front.texts, s.Decorators)
	s.SignatureEnd = min(s.SignatureEnd, s.End)
	if s.Doc == "" {
		s.Doc = front.doc(w, s.Start)
	}
}

// held reports whether a symbol in a container is defined by the container's child itself, rather than inside an
// expression.
func (w *walker) held(node *sitter.Node, start int) bool {
	for i := range min(int(node.NamedChildCount()), maxSearched) {
		child := node.NamedChild(i)
		if int(child.StartByte()) > start || int(child.EndByte()) <= start {
			continue
		}
		_, defines := w.grammar.defs[child.Type()]
		return defines || slices.Contains(w.grammar.lead, child.Type()) ||
			slices.Contains(w.grammar.into, child.Type()) && !strings.HasSuffix(child.Type(), "_expression")
	}
	return false
}

func (w *walker) define(node *sitter.Node, rule def, named naming, in scope, level int, front lead) {
	start, end := w.trimmed(node)
	s := Symbol{Title: named.title, Kind: named.kind, Depth: in.depth, Decorators: front.texts, Doc: front.doc(w, start)}
	s.Start, s.End = front.start(start, end)
	s.SignatureEnd = s.End
	if body := rule.bodyOf(node); body != nil && int(body.StartByte()) < s.End {
		s.SignatureEnd = w.headEnd(s.Start, int(body.StartByte()))
	}
	if s.Kind == "function" && memberful(in.kind) {
		s.Kind = "method"
	}
	s.Name = s.Title
	if in.path != "" {
		s.Name = in.path + w.separator + s.Title
	}
	s.Line = w.lines.number(max(named.at, start))
	s.StartLine, s.EndLine = w.lines.number(s.Start), w.lines.number(max(s.End-1, s.Start))
	w.found = append(w.found, s)
	if s.Kind == "script" {
		w.script(node)
	}
	if rule.leaf || s.Kind == "function" && !w.grammar.nested || s.Kind == "method" && !w.grammar.nested {
		return
	}
	inner := scope{path: s.Name, kind: s.Kind, depth: in.depth + 1}
	if named.scope != "" {
		inner.path = named.scope
		if in.path != "" {
			inner.path = in.path + w.separator + named.scope
		}
	}
	w.children(inner, level+1)
}

// memberful reports whether functions directly in a symbol of the given kind are methods.
func memberful(kind string) bool {
	switch kind {
	case "class", "struct", "interface", "trait", "enum", "impl", "protocol", "object", "record", "union", "extension",
		"actor":
		return true
	}
	return false
}

// trimmed returns a node's range without the blanks that some grammars include.
func (w *walker) trimmed(node *sitter.Node) (start, end int) {
	start, end = int(node.StartByte()), min(int(node.EndByte()), len(w.src))
	for start < end && isBlank(w.src[start]) {
		start++
	}
	for end > start && isBlank(w.src[end-1]) {
		end--
	}
	return start, end
}

// headEnd returns the end of a header that precedes a body, without blanks and a definition sign such as "=".
func (w *walker) headEnd(start, body int) int {
	head := strings.TrimRight(string(w.src[start:max(body, start)]), " \t\r\n\f")
	for _, sign := range []string{" =>", " ="} {
		head = strings.TrimRight(strings.TrimSuffix(head, sign), " \t\r\n\f")
	}
	return start + len(head)
}

func isBlank(c byte) bool { return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f' }
