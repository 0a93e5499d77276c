package syntax

import (
	"path"
	"slices"
	"strings"
)

// Language is one of the grammars. The zero value is none.
type Language struct{ grammar *grammar }

// Name is the language's name in lower case, such as "go", "csharp" or "typescript".
func (l Language) Name() string {
	if l.grammar == nil {
		return ""
	}
	return l.grammar.name
}

// Separator stands between the parts of a symbol's name: "::" in C++ and Rust, "." elsewhere.
func (l Language) Separator() string {
	if l.grammar == nil || l.grammar.separator == "" {
		return "."
	}
	return l.grammar.separator
}

// Note says what an outline of the language lists where that is not definitions of code; it is
// empty for programming languages.
func (l Language) Note() string {
	if l.grammar == nil {
		return ""
	}
	return l.grammar.note
}

// Languages lists every grammar, by name.
func Languages() []Language {
	var out []Language
	for _, g := range grammars() {
		out = append(out, Language{g})
	}
	return out
}

// ByName finds a language by its name or by one of its file name endings without the dot.
func ByName(name string) (Language, bool) {
	name = strings.ToLower(strings.TrimPrefix(name, "."))
	for _, g := range grammars() {
		if g.name == name || slices.Contains(strings.Fields(g.endings), name) {
			return Language{g}, true
		}
	}
	return Language{}, false
}

// ByPath finds the language of a file by the ending of its name, or by the name itself, such as
// "Dockerfile".
func ByPath(name string) (Language, bool) {
	base := path.Base(strings.ReplaceAll(name, `\`, "/"))
	for _, g := range grammars() {
		if slices.Contains(strings.Fields(g.files), base) {
			return Language{g}, true
		}
	}
	ending := strings.ToLower(strings.TrimPrefix(path.Ext(base), "."))
	if ending == "" {
		return Language{}, false
	}
	for _, g := range grammars() {
		if slices.Contains(strings.Fields(g.endings), ending) {
			return Language{g}, true
		}
	}
	return Language{}, false
}
