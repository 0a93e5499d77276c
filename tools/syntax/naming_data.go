package syntax

import (
	"strings"

	sitter "github.com/smacker/go-tree-sitter"
)

// hclBlock names a block by its type and labels: resource.aws_instance.web.
func hclBlock(node *sitter.Node, src []byte) (naming, bool) {
	var parts []string
	for i := range min(int(node.NamedChildCount()), maxSearched) {
		child := node.NamedChild(i)
		if kind := child.Type(); kind != "identifier" && kind != "string_lit" {
			break
		}
		parts = append(parts, strings.Trim(child.Content(src), `"`))
	}
	return naming{title: strings.Join(parts, "."), at: int(node.StartByte())}, len(parts) > 0
}

// tomlTable names a table by its key.
func tomlTable(node *sitter.Node, src []byte) (naming, bool) {
	if node.NamedChildCount() == 0 {
		return naming{}, false
	}
	key := node.NamedChild(0)
	return naming{title: key.Content(src), at: int(key.StartByte())}, strings.HasSuffix(key.Type(), "key")
}

// yamlKey lists the two outermost levels of keys.
func yamlKey(node *sitter.Node, src []byte) (naming, bool) {
	level := 0
	for up := node.Parent(); up != nil && level < 3; up = up.Parent() {
		if up.Type() == "block_mapping_pair" {
			level++
		}
	}
	n, ok := plain(node, "key", src)
	n.title = strings.Trim(n.title, `"'`)
	return n, ok && level < 2
}

// upToBlock names a node by the text before its block.
func upToBlock(node *sitter.Node, src []byte) (naming, bool) {
	title := node.Content(src)
	if block := childOf(node, "block"); block != nil {
		title = string(src[node.StartByte():block.StartByte()])
	}
	return naming{title: title, at: int(node.StartByte())}, true
}

// dockerStage names a stage by its alias, or else by its image.
func dockerStage(node *sitter.Node, src []byte) (naming, bool) {
	if n, ok := plain(node, "as", src); ok {
		return n, ok
	}
	return plain(node, "<image_spec>", src)
}

// markupElement lists scripts, styles, headings, and elements with an id.
func markupElement(node *sitter.Node, src []byte) (naming, bool) {
	tag, at := text(node, "<start_tag>/<tag_name>", src)
	n := naming{title: tag, at: at}
	if tag == "script" || tag == "style" {
		return n, true
	}
	if id := attribute(node, "id", src); id != "" {
		n.title = tag + "#" + id
		return n, true
	}
	if len(tag) == 2 && tag[0] == 'h' && tag[1] >= '1' && tag[1] <= '6' {
		n.kind = "heading"
		content, _ := text(node, "<text>", src)
		n.title = tag + " " + content
		return n, true
	}
	return naming{}, false
}

// attribute returns the value of an element's attribute.
func attribute(element *sitter.Node, name string, src []byte) string {
	start := childOf(element, "start_tag")
	if start == nil {
		return ""
	}
	for i := range min(int(start.NamedChildCount()), maxSearched) {
		child := start.NamedChild(i)
		if key, _ := text(child, "<attribute_name>", src); child.Type() != "attribute" || key != name {
			continue
		}
		value, _ := text(child, "<quoted_attribute_value>/<attribute_value>", src)
		return value
	}
	return ""
}
