package syntax

import (
	"slices"
	"strings"

	sitter "github.com/smacker/go-tree-sitter"
)

// callable reports whether a JavaScript node is a function or a class expression, and which.
func callable(node *sitter.Node) (kind string, ok bool) {
	if node == nil {
		return "", false
	}
	switch node.Type() {
	case "parenthesized_expression": // only in brackets, not called
		if node.NamedChildCount() == 1 {
			return callable(node.NamedChild(0))
		}
	case "arrow_function", "function_expression", "generator_function", "function":
		return "function", true
	case "class":
		return "class", true
	}
	return "", false
}

// defaultClass names the class of "export default class {}", and a class expression by its own name. A class that
// is assigned gets the name of its target instead.
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

// defaultFunction names the function of "export default function () {}".
func defaultFunction(node *sitter.Node, src []byte) (naming, bool) {
	if parent := node.Parent(); parent == nil || parent.Type() != "export_statement" {
		return naming{}, false
	}
	if n, ok := plain(node, "name", src); ok {
		return n, ok
	}
	return naming{title: "default", at: int(node.StartByte())}, true
}

// maxObjects limits the levels of nested objects that are searched for functions.
const maxObjects = 4

// holdsFunctions reports whether a node is an object with functions as members, or with such objects, down to the
// given number of levels.
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

// ecmaField names a field whose value is a function as a method.
func ecmaField(field string) hook {
	return func(node *sitter.Node, src []byte) (naming, bool) {
		n, ok := plain(node, field, src)
		if _, is := callable(follow(node, "value")); is {
			n.kind = "method"
		}
		return n, ok
	}
}

// ecmaVariable names a variable whose value is a function as a function. Patterns are not symbols.
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

// ecmaAssignment names a function, or an object with functions, that is assigned to a name or a member. It also
// names the object that a CommonJS module exports. A function that is the whole module keeps its own name.
func ecmaAssignment(node *sitter.Node, src []byte) (naming, bool) {
	left, right := follow(node, "left"), follow(node, "right")
	if left == nil || right == nil ||
		!slices.Contains([]string{"identifier", "member_expression", "subscript_expression"}, left.Type()) {
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

// ecmaPair names a function in an object, or a nested object with functions.
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
