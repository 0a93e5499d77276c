package docs_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// foreignWords are what no decision may be made of: their results change with a
// release of Go, a version of Unicode or a library. A name that ends in "*"
// stands for all that begin so.
var foreignWords = map[string]string{
	"unicode.*":         "tables change with Unicode: use events/chars",
	"strings.TrimSpace": "what is blank changes with Unicode: use chars.Trim",
	"strings.Fields":    "what is blank changes with Unicode: use chars.Words",
	"strings.ToLower":   "cases change with Unicode: use chars.Lower",
	"strings.ToUpper":   "cases change with Unicode: use events/chars",
	"strings.ToTitle":   "cases change with Unicode: use events/chars",
	"strings.Title":     "cases change with Unicode: use events/chars",
	"strings.EqualFold": "cases change with Unicode: use events/chars",
	"bytes.ToLower":     "cases change with Unicode: use events/chars",
	"bytes.ToUpper":     "cases change with Unicode: use events/chars",
	"bytes.EqualFold":   "cases change with Unicode: use events/chars",
	"bytes.Fields":      "what is blank changes with Unicode: use events/chars",
	"strconv.Quote*":    "what can be printed changes with Unicode: use chars.Quote",
	"regexp.*":          "what an expression matches is a library's: write it out",
	"(error).Error":     "an error's text may be a library's: say above it whose words these are (// " + ourWords + " …)",
}

// ourWords marks an error's text that is made of our own words only. A reason
// follows it, and the line follows the comment.
const ourWords = "our words:"

// decidingPackages are those whose words stand in decisions.
func decidingPackages() []string {
	return append([]string{"events", "events/chars", "events/policy/commands", "tiers", "tiers/basis",
		"tiers/conversation", "tiers/fence", "tiers/planning", "tiers/tokens"}, deciders...)
}

func TestTheWordsOfDecisionsAreOurs(t *testing.T) {
	t.Parallel()
	checkSources(t, decidingPackages(), foreignIn)
}

// foreignIn checks one package and returns a line for each breach.
func foreignIn(t *testing.T, fset *token.FileSet, path string, files []*ast.File, from types.Importer) []string {
	t.Helper()
	info := &types.Info{Uses: map[*ast.Ident]types.Object{}}
	_, err := (&types.Config{Importer: from}).Check(path, fset, files, info)
	require.NoError(t, err, "%s must compile before it can be judged", path)
	var found []string
	for _, file := range files {
		allowed := commentedLines(fset, file, ourWords)
		ast.Inspect(file, func(node ast.Node) bool {
			switch n := node.(type) {
			case *ast.CallExpr:
				called, isName := n.Fun.(*ast.Ident)
				return !isName || called.Name != "panic" // no decision follows
			case *ast.BasicLit:
				if n.Kind == token.STRING && strings.Contains(n.Value, "%q") {
					found = append(found, where(fset, n.Pos())+": %q: what can be printed changes with Unicode: use chars.Quote")
				}
			case *ast.Ident:
				name := fullName(info.Uses[n])
				if why := foreign(name); why != "" && !allowed[fset.Position(n.Pos()).Line] {
					found = append(found, where(fset, n.Pos())+": uses "+name+": "+why)
				}
			}
			return true
		})
	}
	return found
}

// foreign is why a name may not be used; empty where it may.
func foreign(name string) string {
	if why, exactly := foreignWords[name]; exactly {
		return why
	}
	for pattern, why := range foreignWords {
		if head, all := strings.CutSuffix(pattern, "*"); all && name != "" && strings.HasPrefix(name, head) {
			return why
		}
	}
	return ""
}

func TestRulesAboutWordsCatchWhatTheyForbid(t *testing.T) {
	t.Parallel()
	load := exportImporter(t, "unicode", "strings", "strconv", "regexp", "errors", "fmt")
	for _, c := range []struct{ name, imports, body, want string }{
		{"a table", `"unicode"`, `_ = unicode.Cf`, "unicode.Cf"},
		{"a table's function", `"unicode"`, `_ = unicode.IsPrint('a')`, "unicode.IsPrint"},
		{"cases", `"strings"`, `_ = strings.ToLower("A")`, "strings.ToLower"},
		{"blanks", `"strings"`, `_ = strings.TrimSpace("A")`, "strings.TrimSpace"},
		{"other functions of strings", `"strings"`, `_ = strings.Trim("A", " ")`, ""},
		{"quoting", `"strconv"`, `_ = strconv.QuoteToASCII("A")`, "strconv.Quote"},
		{"numbers", `"strconv"`, `_ = strconv.Itoa(1)`, ""},
		{"an expression", `"regexp"`, `_ = regexp.MustCompile("a")`, "regexp.MustCompile"},
		{"quoting by fmt", `"fmt"`, `_ = fmt.Sprintf("%q", "a")`, "%q"},
		{"an error's text", `"errors"`, `_ = errors.New("a").Error()`, "(error).Error"},
		{"an error's text with a reason", `"errors"`, "// our words: written right here.\n_ = errors.New(\"a\").Error()", ""},
		{"an error's text with an empty reason", `"errors"`, "// our words:\n_ = errors.New(\"a\").Error()", "(error).Error"},
		{"an error's text in a panic", `"errors"`, `panic(errors.New("a").Error())`, ""},
	} {
		fset := token.NewFileSet()
		source := "package snippet\nimport (" + c.imports + ")\nfunc f() {\n" + c.body + "\n}\n"
		file, err := parser.ParseFile(fset, "snippet.go", source, parser.ParseComments)
		require.NoError(t, err)
		found := foreignIn(t, fset, "snippet", []*ast.File{file}, load(fset))
		if c.want == "" {
			require.Empty(t, found, c.name)
			continue
		}
		require.Len(t, found, 1, c.name)
		require.Contains(t, found[0], c.want, c.name)
	}
}
