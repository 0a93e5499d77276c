package syntax

import (
	"slices"
	"strings"

	sitter "github.com/smacker/go-tree-sitter"
)

// callable tells whether a node of JavaScript is a function, or a class as an expression.
func callable(node *sitter.Node) (kind string, ok bool) {
	if node == nil {
		return "", false
	}
	switch node.Type() {
	case "arrow_function", "function_expression", "generator_function", "function":
		return "function", true
	case "class":
		return "class", true
	}
	return "", false
}

// defaultClass names the class of "export default class {}".
func defaultClass(node *sitter.Node, src []byte) (naming, bool) {
	if n, ok := plain(node, "name", src); ok {
		return n, ok
	}
	parent := node.Parent()
	return naming{title: "default", at: int(node.StartByte())}, parent != nil && parent.Type() == "export_statement"
}

// ecmaField is a method where its value is a function.
func ecmaField(field string) hook {
	return func(node *sitter.Node, src []byte) (naming, bool) {
		n, ok := plain(node, field, src)
		if _, is := callable(follow(node, "value")); is {
			n.kind = "method"
		}
		return n, ok
	}
}

// ecmaVariable is a function where its value is one. Patterns are no symbols.
func ecmaVariable(node *sitter.Node, src []byte) (naming, bool) {
	name := follow(node, "name")
	if name == nil || name.Type() != "identifier" {
		return naming{}, false
	}
	n := naming{title: name.Content(src), at: int(name.StartByte())}
	if kind, ok := callable(follow(node, "value")); ok {
		n.kind = kind
	}
	return n, true
}

// ecmaAssignment is a function that is assigned to a name or a member, or the object that a module
// of CommonJS exports.
func ecmaAssignment(node *sitter.Node, src []byte) (naming, bool) {
	left, right := follow(node, "left"), follow(node, "right")
	if left == nil || right == nil || !slices.Contains([]string{"identifier", "member_expression"}, left.Type()) {
		return naming{}, false
	}
	kind, ok := callable(right)
	title := left.Content(src)
	if !ok && right.Type() == "object" && strings.HasSuffix(title, "exports") {
		kind, ok = "object", true
	}
	return naming{title: title, kind: kind, at: int(left.StartByte())}, ok
}

// ecmaPair is a function in an object.
func ecmaPair(node *sitter.Node, src []byte) (naming, bool) {
	kind, ok := callable(follow(node, "value"))
	n, named := plain(node, "key", src)
	n.kind = kind
	return n, ok && named
}
