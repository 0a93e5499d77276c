package syntax

import (
	"github.com/smacker/go-tree-sitter/elixir"
	"github.com/smacker/go-tree-sitter/elm"
	"github.com/smacker/go-tree-sitter/ocaml"
)

// functionalGrammars are Elixir, Elm and OCaml.
func functionalGrammars() []*grammar {
	return []*grammar{
		{
			name: "elixir", endings: "ex exs", load: elixir.GetLanguage, into: []string{"do_block"},
			defs: map[string]def{"call": {kind: "function", hook: elixirCall, body: "<do_block>"}},
		},
		{
			name: "elm", endings: "elm", load: elm.GetLanguage, lead: []string{"type_annotation"},
			defs: map[string]def{
				"type_alias_declaration": {kind: "type", leaf: true, body: "typeExpression"},
				"type_declaration":       {kind: "type", leaf: true, body: "unionVariant"},
				"port_annotation":        {kind: "port", leaf: true},
				"value_declaration":      {kind: "function", leaf: true, name: "functionDeclarationLeft/<lower_case_identifier>"},
			},
		},
		{
			name: "ocaml", endings: "ml", load: ocaml.GetLanguage,
			into: []string{"structure", "signature", "object_expression", "type_definition", "module_definition",
				"value_definition", "class_definition"},
			lift: []string{"type_definition", "module_definition", "value_definition", "class_definition"},
			defs: map[string]def{
				"type_binding":           {kind: "type", leaf: true},
				"exception_definition":   {kind: "exception", leaf: true, name: "<constructor_declaration>/<constructor_name>"},
				"module_binding":         {kind: "module"},
				"module_type_definition": {kind: "signature"},
				"let_binding":            {kind: "value", leaf: true, hook: ocamlLet},
				"value_specification":    {kind: "value", leaf: true, name: "<value_name>"},
				"external":               {kind: "function", leaf: true, name: "<value_name>"},
				"class_binding":          {kind: "class"},
				"method_definition":      {kind: "method", leaf: true},
			},
		},
	}
}
