package syntax

import (
	"path"
	"slices"
	"strings"
)

// Language is one of the supported languages. The zero value is not a language.
type Language struct{ grammar *grammar }

// Name returns the language's name in lower case, such as "go", "csharp" or "typescript".
func (l Language) Name() string {
	if l.grammar == nil {
		return ""
	}
	return l.grammar.name
}

// Separator returns the separator of the parts of a symbol's name: "::" in C++ and Rust, "." elsewhere.
func (l Language) Separator() string {
	if l.grammar == nil || l.grammar.separator == "" {
		return "."
	}
	return l.grammar.separator
}

// Note says what an outline of the language lists if it is not code definitions. It is empty for programming
// languages.
func (l Language) Note() string {
	if l.grammar == nil {
		return ""
	}
	return l.grammar.note
}

// Languages returns all languages, sorted by name.
func Languages() []Language {
	var out []Language
	for _, g := range grammars() {
		out = append(out, Language{g})
	}
	return out
}

// ByName finds a language by its name or by one of its file name extensions.
func ByName(name string) (Language, bool) {
	name = strings.ToLower(strings.TrimPrefix(name, "."))
	for _, g := range grammars() {
		if g.name == name || slices.Contains(strings.Fields(g.endings), name) {
			return Language{g}, true
		}
	}
	return Language{}, false
}

// ByPath finds the language of a file by the extension of its name, or by the whole name, such as "Dockerfile".
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
