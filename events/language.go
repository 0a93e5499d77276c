package events

import (
	"path"

	"manualslop/events/chars"
)

// What [Settings.Languages] names besides python, c and cpp.
const (
	// LanguageOther is every other language.
	LanguageOther = "other"
	// LanguageBeads says that the project has a Beads database.
	LanguageBeads = "beads"
)

// LanguageOf is the language of a source file by its name; empty where it is none.
func LanguageOf(file string) string {
	switch chars.Lower(path.Ext(file)) {
	case ".py", ".pyi":
		return "python"
	case ".c", ".h":
		return "c"
	case ".cc", ".cpp", ".cxx", ".hh", ".hpp", ".hxx", ".ipp":
		return "cpp"
	case ".go", ".rs", ".ts", ".tsx", ".js", ".jsx", ".mjs", ".java", ".kt", ".cs", ".rb", ".php", ".swift", ".scala",
		".ex", ".exs",
		".lua", ".ml", ".elm", ".groovy", ".sql", ".proto", ".sh", ".svelte", ".vue":
		return LanguageOther
	}
	return ""
}
