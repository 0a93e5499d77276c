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

// defaultClass names the class of "export default class {}", and a class expression by its own name. One that is
// assigned has the name of what it is assigned to.
func defaultClass(node *sitter.Node, src []byte) (naming, bool) {
	parent := node.Parent()
	if parent == nil {
		return naming{}, false
	}
	switch parent.Type() {
	case "variable_declarator", "assignment_expression", "pair":
		return naming{}, false
	case "export_statement":
		if n, ok := plain(node, "name", src); ok {
			return n, ok
		}
		return naming{title: "default", at: int(node.StartByte())}, true
	}
	return plain(node, "name", src)
}

// maxObjects bounds the objects inside of each other that are looked into for functions.
const maxObjects = 4

// holdsFunctions tells whether a node is an object with functions as members, or with such objects, at most so many
// levels deep.
func holdsFunctions(node *sitter.Node, levels int) bool {
	if node == nil || node.Type() != "object" || levels == 0 {
		return false
	}
	for i := range min(int(node.NamedChildCount()), maxSearched) {
		member := node.NamedChild(i)
		value := follow(member, "value")
		if _, ok := callable(value); ok || member.Type() == "method_definition" || holdsFunctions(value, levels-1) {
			return true
		}
	}
	return false
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
	value := follow(node, "value")
	if kind, ok := callable(value); ok {
		n.kind = kind
	} else if holdsFunctions(value, maxObjects) {
		n.kind = "object"
	}
	return n, true
}

// ecmaAssignment is a function or an object with functions that is assigned to a name or a member, or the object that a
// module of CommonJS exports. A function that is the whole module has its own name.
func ecmaAssignment(node *sitter.Node, src []byte) (naming, bool) {
	left, right := follow(node, "left"), follow(node, "right")
	if left == nil || right == nil || !slices.Contains([]string{"identifier", "member_expression"}, left.Type()) {
		return naming{}, false
	}
	kind, ok := callable(right)
	title := left.Content(src)
	if own, named := plain(right, "name", src); ok && named && title == "module.exports" {
		own.kind = kind
		return own, true
	}
	if !ok && (holdsFunctions(right, maxObjects) || right.Type() == "object" && strings.HasSuffix(title, "exports")) {
		kind, ok = "object", true
	}
	return naming{title: title, kind: kind, at: int(left.StartByte())}, ok
}

// ecmaPair is a function in an object, or an object in it that has some.
func ecmaPair(node *sitter.Node, src []byte) (naming, bool) {
	value := follow(node, "value")
	kind, ok := callable(value)
	if !ok && holdsFunctions(value, maxObjects) {
		kind, ok = "object", true
	}
	n, named := plain(node, "key", src)
	n.kind = kind
	return n, ok && named
}
