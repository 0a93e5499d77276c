package syntax

import (
	"strings"

	sitter "github.com/smacker/go-tree-sitter"
)

// The functions here name symbols that a path of fields cannot. Each is the hook of one kind of node.

type hook = func(node *sitter.Node, src []byte) (naming, bool)

// text returns the text of the node at a path, with its offset.
func text(node *sitter.Node, path string, src []byte) (string, int) {
	at := follow(node, path)
	if at == nil {
		return "", 0
	}
	return at.Content(src), int(at.StartByte())
}

// plain names a node by a path.
func plain(node *sitter.Node, path string, src []byte) (naming, bool) {
	title, at := text(node, path, src)
	return naming{title: title, at: at}, title != ""
}

// fixed names every node title.
func fixed(title string) hook {
	return func(node *sitter.Node, _ []byte) (naming, bool) {
		return naming{title: title, at: int(node.StartByte())}, true
	}
}

// tilde names a destructor.
func tilde(node *sitter.Node, src []byte) (naming, bool) {
	n, ok := plain(node, "name", src)
	n.title = "~" + n.title
	return n, ok
}

// goMethod prefixes a method with its receiver's type.
func goMethod(node *sitter.Node, src []byte) (naming, bool) {
	n, ok := plain(node, "name", src)
	receiver, _ := text(node, "receiver/<parameter_declaration>/type", src)
	receiver, _, _ = strings.Cut(strings.TrimLeft(receiver, "*( "), "[")
	if receiver = strings.Trim(receiver, " )"); receiver != "" {
		n.title = receiver + "." + n.title
	}
	return n, ok
}

// goType distinguishes structs and interfaces from other types.
func goType(node *sitter.Node, src []byte) (naming, bool) {
	n, ok := plain(node, "name", src)
	n.kind = "type"
	if of := follow(node, "type"); of != nil {
		switch of.Type() {
		case "struct_type":
			n.kind = "struct"
		case "interface_type":
			n.kind = "interface"
		}
	}
	return n, ok
}

// javaField distinguishes constants of interfaces from fields.
func javaField(node *sitter.Node, src []byte) (naming, bool) {
	n, ok := plain(node, "name", src)
	if around := node.Parent(); around != nil && around.Type() == "constant_declaration" {
		n.kind = "constant"
	}
	return n, ok
}

// rubyConstant names the target of an assignment if it is a constant.
func rubyConstant(node *sitter.Node, src []byte) (naming, bool) {
	n, ok := plain(node, "left", src)
	left := follow(node, "left")
	return n, ok && (left.Type() == "constant" || left.Type() == "scope_resolution")
}

// csharpField distinguishes events from fields.
func csharpField(node *sitter.Node, src []byte) (naming, bool) {
	n, ok := plain(node, "name", src)
	if of := node.Parent(); of != nil && of.Parent() != nil && of.Parent().Type() == "event_field_declaration" {
		n.kind = "event"
	}
	return n, ok
}

// csharpOperator names an operator or a conversion by its header.
func csharpOperator(node *sitter.Node, src []byte) (naming, bool) {
	head := node.Content(src)
	if parameters := follow(node, "parameters"); parameters != nil {
		head = string(src[node.StartByte():parameters.StartByte()])
	}
	at := strings.Index(head, "operator")
	if at < 0 {
		return naming{}, false
	}
	return naming{title: head[at:], at: int(node.StartByte()) + at}, true
}

// rustImpl names an impl block by its header; the names inside it begin with its type.
func rustImpl(node *sitter.Node, src []byte) (naming, bool) {
	of, at := text(node, "type", src)
	n := naming{title: "impl " + of, scope: of, at: at}
	if generic := follow(node, "type/type"); generic != nil {
		n.scope = generic.Content(src)
	}
	if trait, _ := text(node, "trait", src); trait != "" {
		n.title = "impl " + trait + " for " + of
	}
	return n, of != ""
}

// pythonFunction distinguishes async functions.
func pythonFunction(node *sitter.Node, src []byte) (naming, bool) {
	n, ok := plain(node, "name", src)
	if strings.HasPrefix(node.Content(src), "async") {
		n.kind = "async_function"
	}
	return n, ok
}
