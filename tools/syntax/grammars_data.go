package syntax

import (
	"github.com/smacker/go-tree-sitter/css"
	"github.com/smacker/go-tree-sitter/dockerfile"
	"github.com/smacker/go-tree-sitter/hcl"
	"github.com/smacker/go-tree-sitter/html"
	"github.com/smacker/go-tree-sitter/toml"
	"github.com/smacker/go-tree-sitter/yaml"
)

// dataGrammars returns the languages of schemas, configuration and documents.
func dataGrammars() []*grammar {
	return []*grammar{
		{name: "protobuf", endings: "proto", read: readProtobuf}, {name: "sql", endings: "sql", read: readSQL}, htmlGrammar(),
		{
			name: "hcl", endings: "hcl tf tfvars nomad", load: hcl.GetLanguage, note: "blocks", into: []string{"body"},
			defs: map[string]def{"block": {kind: "block", hook: hclBlock, body: "<block_start>"}},
		},
		{
			name: "toml", endings: "toml", files: "Cargo.lock Pipfile poetry.lock uv.lock pdm.lock", load: toml.GetLanguage,
			note: "tables and their keys",
			defs: map[string]def{
				"table":               {kind: "table", hook: tomlTable, body: "<pair>"},
				"table_array_element": {kind: "table", hook: tomlTable, body: "<pair>"},
				"pair":                {kind: "key", leaf: true, hook: tomlTable},
			},
		},
		{
			name: "yaml", endings: "yaml yml", load: yaml.GetLanguage, note: "keys of the two outermost levels",
			into: []string{"document", "block_node", "block_mapping"},
			defs: map[string]def{"block_mapping_pair": {kind: "key", hook: yamlKey, body: "value"}},
		},
		{
			name: "css", endings: "css", load: css.GetLanguage, note: "rules", into: []string{"block"},
			defs: map[string]def{
				"rule_set":            {kind: "rule", leaf: true, name: "<selectors>", body: "<block>"},
				"media_statement":     {kind: "media", hook: upToBlock, body: "<block>"},
				"supports_statement":  {kind: "supports", hook: upToBlock, body: "<block>"},
				"keyframes_statement": {kind: "keyframes", leaf: true, name: "<keyframes_name>", body: "<keyframe_block_list>"},
				"at_rule":             {kind: "rule", leaf: true, hook: upToBlock, body: "<block>"},
			},
		},
		{
			name: "dockerfile", endings: "dockerfile containerfile", files: "Dockerfile Containerfile",
			load: dockerfile.GetLanguage, note: "build stages (their FROM line)",
			defs: map[string]def{"from_instruction": {kind: "stage", leaf: true, hook: dockerStage}},
		},
		{
			name: "markdown", endings: "md markdown mdown", read: readMarkdown, note: "headings with their sections",
		},
	}
}

func htmlGrammar() *grammar {
	return &grammar{
		name: "html", endings: "html htm xhtml", load: html.GetLanguage,
		note: "headings, elements with an id, scripts and styles",
		into: []string{"element"},
		defs: map[string]def{
			"element":        {kind: "element", hook: markupElement, open: true},
			"script_element": {kind: "script", leaf: true, hook: markupElement},
			"style_element":  {kind: "style", leaf: true, hook: markupElement},
		},
	}
}
