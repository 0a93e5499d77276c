package syntax

import (
	"strings"

	"github.com/smacker/go-tree-sitter/javascript"
	"github.com/smacker/go-tree-sitter/php"
	"github.com/smacker/go-tree-sitter/python"
	"github.com/smacker/go-tree-sitter/ruby"
	"github.com/smacker/go-tree-sitter/typescript/tsx"
	"github.com/smacker/go-tree-sitter/typescript/typescript"
)

// scriptGrammars returns the interpreted languages.
func scriptGrammars() []*grammar {
	js := &grammar{name: "javascript", endings: "js mjs cjs jsx es6", load: javascript.GetLanguage}
	ts := &grammar{name: "typescript", endings: "ts mts cts", load: typescript.GetLanguage}
	x := &grammar{name: "tsx", endings: "tsx", load: tsx.GetLanguage}
	for _, g := range []*grammar{js, ts, x} {
		g.defs = ecmaDefs()
		g.into = []string{
			"export_statement", "lexical_declaration", "variable_declaration", "class_body", "expression_statement",
			"ambient_declaration",
			"statement_block", "interface_body", "object_type", "object", "array", "if_statement", "else_clause",
			"try_statement",
			"parenthesized_expression", "call_expression", "new_expression", "member_expression", "unary_expression",
			"binary_expression", "sequence_expression", "await_expression", "ternary_expression", "arguments",
			"return_statement", "function_expression", "arrow_function", "as_expression", "satisfies_expression",
			"non_null_expression", "class_static_block",
		}
		loops := strings.Fields("for_statement for_in_statement while_statement do_statement switch_statement switch_body " +
			"switch_case switch_default labeled_statement with_statement")
		g.into = append(g.into, loops...)
		g.unnamed = append(loops, "function_expression", "arrow_function")
		g.lift = []string{"export_statement", "lexical_declaration", "variable_declaration", "expression_statement",
			"ambient_declaration"}
		g.lead = []string{"decorator"}
	}
	return []*grammar{js, ts, x, pythonGrammar(), rubyGrammar(), bashGrammar(), phpGrammar()}
}

// ecmaDefs returns the definitions of JavaScript and TypeScript, whose trees use the same node names.
func ecmaDefs() map[string]def {
	return map[string]def{
		"function_declaration":            {kind: "function"},
		"generator_function_declaration":  {kind: "function"},
		"function_signature":              {kind: "function", leaf: true},
		"class_declaration":               {kind: "class"},
		"abstract_class_declaration":      {kind: "class"},
		"class":                           {kind: "class", open: true, hook: defaultClass},
		"interface_declaration":           {kind: "interface"},
		"enum_declaration":                {kind: "enum", leaf: true},
		"type_alias_declaration":          {kind: "type", leaf: true, body: "value"},
		"internal_module":                 {kind: "namespace"},
		"module":                          {kind: "module"},
		"method_definition":               {kind: "method", leaf: true},
		"method_signature":                {kind: "method", leaf: true},
		"abstract_method_signature":       {kind: "method", leaf: true},
		"public_field_definition":         {kind: "field", leaf: true, hook: ecmaField("name"), body: ecmaBody("value")},
		"field_definition":                {kind: "field", leaf: true, hook: ecmaField("property"), body: ecmaBody("value")},
		"property_signature":              {kind: "field", leaf: true},
		"variable_declarator":             {kind: "variable", open: true, hook: ecmaVariable, body: ecmaBody("value")},
		"assignment_expression":           {kind: "function", open: true, hook: ecmaAssignment, body: ecmaBody("right")},
		"augmented_assignment_expression": {kind: "function", open: true, hook: ecmaAssignment, body: ecmaBody("right")},
		"function_expression":             {kind: "function", open: true, hook: defaultFunction},
		"generator_function":              {kind: "function", open: true, hook: defaultFunction},
		"arrow_function":                  {kind: "function", open: true, hook: defaultFunction},
		"pair":                            {kind: "function", hook: ecmaPair, body: ecmaBody("value")},
	}
}

// ecmaBody returns the paths to the body of a function in a field, also of one in brackets.
func ecmaBody(field string) string {
	return strings.ReplaceAll("*/body */<arrow_function>/body */<function_expression>/body *", "*", field)
}

func pythonGrammar() *grammar {
	return &grammar{
		name: "python", endings: "py pyi pyw", load: python.GetLanguage, nested: true,
		into: []string{
			"decorated_definition", "block", "if_statement", "else_clause", "elif_clause", "try_statement", "except_clause",
			"finally_clause",
			"with_statement", "for_statement", "while_statement", "match_statement", "case_clause",
		},
		lift: []string{"decorated_definition"}, lead: []string{"decorator"},
		defs: map[string]def{
			"class_definition":    {kind: "class"},
			"function_definition": {kind: "function", hook: pythonFunction},
		},
	}
}

func rubyGrammar() *grammar {
	return &grammar{
		name: "ruby", endings: "rb rake gemspec ru", files: "Rakefile Gemfile", load: ruby.GetLanguage,
		into: []string{"body_statement", "singleton_class", "if", "unless", "elsif", "begin", "then", "else", "call",
			"do_block",
			"block", "block_body", "argument_list", "rescue", "ensure", "case", "when", "if_modifier", "unless_modifier"},
		defs: map[string]def{
			"module":           {kind: "module"},
			"class":            {kind: "class"},
			"method":           {kind: "method", leaf: true},
			"singleton_method": {kind: "method", leaf: true},
			"assignment":       {kind: "constant", hook: rubyConstant, body: "right"},
		},
	}
}

func bashGrammar() *grammar {
	return &grammar{
		name: "bash", endings: "sh bash ksh zsh bats", files: ".bashrc .bash_profile .profile", read: readBash,
	}
}

func phpGrammar() *grammar {
	return &grammar{
		name: "php", endings: "php phtml php5 inc", load: php.GetLanguage,
		into: []string{"declaration_list", "enum_declaration_list", "compound_statement", "if_statement", "const_declaration",
			"property_declaration"},
		lift: []string{"const_declaration", "property_declaration"},
		defs: map[string]def{
			"namespace_definition":  {kind: "namespace", open: true},
			"class_declaration":     {kind: "class"},
			"interface_declaration": {kind: "interface"},
			"trait_declaration":     {kind: "trait"},
			"enum_declaration":      {kind: "enum"},
			"function_definition":   {kind: "function"},
			"method_declaration":    {kind: "method", leaf: true},
			"const_element":         {kind: "constant", name: "<name>", leaf: true},
			"property_element":      {kind: "property", name: "<variable_name>", leaf: true},
		},
	}
}
