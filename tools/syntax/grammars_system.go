package syntax

import (
	"github.com/smacker/go-tree-sitter/c"
	"github.com/smacker/go-tree-sitter/cpp"
	"github.com/smacker/go-tree-sitter/csharp"
	"github.com/smacker/go-tree-sitter/golang"
	"github.com/smacker/go-tree-sitter/java"
	"github.com/smacker/go-tree-sitter/rust"
)

// systemGrammars returns the compiled languages. C and C++ have no definitions here: package cfamily reads them,
// and uses these grammars only to find damage.
func systemGrammars() []*grammar {
	return []*grammar{
		{name: "c", endings: "c", load: c.GetLanguage},
		{name: "cpp", endings: "cc cpp cxx c++ h hh hpp hxx h++ ipp ixx inl tpp txx cu cuh", separator: "::",
			load: cpp.GetLanguage},
		goGrammar(), javaGrammar(), csharpGrammar(), rustGrammar(),
	}
}

func goGrammar() *grammar {
	return &grammar{
		name: "go", endings: "go", load: golang.GetLanguage,
		into: []string{"const_declaration", "var_declaration", "var_spec_list", "type_declaration", "interface_type"},
		lift: []string{"const_declaration", "var_declaration", "type_declaration"},
		defs: map[string]def{
			"function_declaration": {kind: "function"},
			"method_declaration":   {kind: "method", hook: goMethod},
			"method_elem":          {kind: "method", leaf: true},
			"type_spec":            {hook: goType, body: "type/<field_declaration_list> type"},
			"type_alias":           {kind: "type", leaf: true},
			"const_spec":           {kind: "constant", leaf: true, body: "value", names: true},
			"var_spec":             {kind: "variable", leaf: true, body: "value", names: true},
		},
	}
}

func javaGrammar() *grammar {
	return &grammar{
		name: "java", endings: "java", load: java.GetLanguage,
		into: []string{"class_body", "interface_body", "enum_body", "enum_body_declarations", "annotation_type_body",
			"module_body", "field_declaration", "constant_declaration"},
		lift: []string{"field_declaration", "constant_declaration"},
		defs: map[string]def{
			"class_declaration":                   {kind: "class"},
			"interface_declaration":               {kind: "interface"},
			"enum_declaration":                    {kind: "enum"},
			"record_declaration":                  {kind: "record"},
			"annotation_type_declaration":         {kind: "annotation"},
			"method_declaration":                  {kind: "method", leaf: true},
			"constructor_declaration":             {kind: "constructor", leaf: true},
			"compact_constructor_declaration":     {kind: "constructor", leaf: true},
			"annotation_type_element_declaration": {kind: "method", leaf: true},
			"variable_declarator":                 {kind: "field", hook: javaField, leaf: true},
		},
	}
}

func csharpGrammar() *grammar {
	return &grammar{
		name: "csharp", endings: "cs csx", load: csharp.GetLanguage,
		into: []string{"declaration_list", "field_declaration", "event_field_declaration", "variable_declaration"},
		lift: []string{"field_declaration", "event_field_declaration"},
		defs: map[string]def{
			"namespace_declaration":             {kind: "namespace"},
			"file_scoped_namespace_declaration": {kind: "namespace"},
			"class_declaration":                 {kind: "class"},
			"interface_declaration":             {kind: "interface"},
			"struct_declaration":                {kind: "struct"},
			"record_declaration":                {kind: "record"},
			"record_struct_declaration":         {kind: "record"},
			"enum_declaration":                  {kind: "enum"},
			"delegate_declaration":              {kind: "delegate", leaf: true},
			"method_declaration":                {kind: "method", leaf: true},
			"constructor_declaration":           {kind: "constructor", leaf: true},
			"destructor_declaration":            {kind: "destructor", leaf: true, hook: tilde},
			"operator_declaration":              {kind: "operator", leaf: true, hook: csharpOperator},
			"conversion_operator_declaration":   {kind: "operator", leaf: true, hook: csharpOperator},
			"indexer_declaration":               {kind: "indexer", leaf: true, body: "accessors", hook: fixed("this[]")},
			"property_declaration":              {kind: "property", leaf: true, body: "accessors value"},
			"event_declaration":                 {kind: "event", leaf: true, body: "accessors"},
			"variable_declarator":               {kind: "field", hook: csharpField, leaf: true},
			"local_function_statement":          {kind: "function", leaf: true},
		},
	}
}

func rustGrammar() *grammar {
	return &grammar{
		name: "rust", endings: "rs", separator: "::", load: rust.GetLanguage,
		into: []string{"declaration_list", "foreign_mod_item"}, lead: []string{"attribute_item"},
		defs: map[string]def{
			"struct_item":             {kind: "struct", leaf: true},
			"enum_item":               {kind: "enum", leaf: true},
			"union_item":              {kind: "union", leaf: true},
			"trait_item":              {kind: "trait"},
			"impl_item":               {kind: "impl", hook: rustImpl},
			"mod_item":                {kind: "module"},
			"function_item":           {kind: "function"},
			"function_signature_item": {kind: "function", leaf: true},
			"const_item":              {kind: "constant", leaf: true, body: "value"},
			"static_item":             {kind: "variable", leaf: true, body: "value"},
			"type_item":               {kind: "type", leaf: true},
			"associated_type":         {kind: "type", leaf: true},
			"macro_definition":        {kind: "macro", leaf: true, body: "<macro_rule>"},
		},
	}
}
