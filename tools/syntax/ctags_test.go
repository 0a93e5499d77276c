package syntax_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"manualslop/tools/syntax"
)

// judged is a language with what universal-ctags calls it, and the kinds of ctags that the outline lists, too.
type judged struct {
	language, ctags string
	kinds           []string
}

func judgedLanguages() []judged {
	return []judged{
		{"bash", "Sh", []string{"function"}},
		{"ruby", "Ruby", []string{"class", "method", "module", "singletonMethod"}},
		{"javascript", "JavaScript", []string{"function", "class", "method", "generator", "getter", "setter"}},
		{"typescript", "TypeScript", []string{"function", "class", "interface", "enum", "method", "namespace", "generator",
			"alias"}},
		{"protobuf", "Protobuf", []string{"message", "enum", "service", "rpc", "oneof"}},
		{"php", "PHP", []string{"class", "function", "interface", "namespace", "trait"}},
		{"go", "Go", []string{"func", "const", "type", "var", "struct", "interface", "methodSpec"}},
		{"java", "Java", []string{"class", "interface", "enum", "method", "annotation", "field"}},
		{"rust", "Rust", []string{"module", "struct", "interface", "implementation", "function", "enum", "typedef", "method",
			"macro", "variable"}},
		{"csharp", "C#", []string{"class", "interface", "enum", "method", "namespace", "property", "struct", "field",
			"event"}},
		{"sql", "SQL", []string{"function", "procedure", "table", "trigger", "view", "index"}},
		{"css", "CSS", []string{"selector"}},
		{"html", "HTML", []string{"heading1", "heading2", "heading3", "id"}},
		{"markdown", "Markdown", []string{"chapter", "section", "subsection", "subsubsection", "l4subsection",
			"l5subsection"}},
	}
}

// tag is a definition as ctags sees it.
type tag struct {
	Name, Path, Kind, ScopeKind, Pattern string
	Line                                 int
}

// wanted tells whether outlines list what ctags found: not functions in functions or without a name, and nothing that
// ctags takes for something else.
func (j judged) wanted(of tag, source []string) bool {
	if !slices.Contains(j.kinds, of.Kind) || strings.HasSuffix(of.Path, ".min.js") ||
		strings.HasPrefix(of.Name, "Anonymous") ||
		slices.Contains([]string{"function", "method", "generator"}, of.ScopeKind) || of.Line > len(source) {
		return false
	}
	line := source[of.Line-1]
	switch j.language {
	case "bash": // arrays, and text in strings and here-documents
		return shellHead().MatchString(of.Pattern)
	case "javascript", "typescript": // objects with functions, parts of minified lines, what a type extends
		return len(line) < 500 && strings.Contains(line, of.Name) && of.Name != "exports" &&
			!insideFunction(source, of.Line, "function", "=>", ") {") &&
			(of.Kind != "class" || strings.Contains(line, "class") || strings.Contains(line, "function")) &&
			(of.Kind != "method" || !strings.Contains(line, "prototype.") || strings.Contains(line, "= function")) &&
			(of.Kind != "alias" || strings.Contains(line, "type "+of.Name))
	case "rust": // the parts of a tuple that a trait is implemented for
		return !insideFunction(source, of.Line, "fn ") && (of.Kind != "implementation" || !strings.Contains(line, "for ("))
	case "ruby": // names that are put together, and what a method is defined on
		return !strings.Contains(line, "#{") && of.Name != "self" && !insideFunction(source, of.Line, "def ")
	}
	return true
}

// insideFunction tells, by indentation, whether a line lies in a block whose first line has one of the marks.
func insideFunction(source []string, line int, marks ...string) bool {
	depth := indentation(source[line-1])
	for i := line - 2; i >= 0 && depth > 0; i-- {
		text := strings.TrimSpace(source[i])
		if at := indentation(source[i]); text != "" && at < depth {
			if depth = at; strings.HasPrefix(text, "{") || strings.HasPrefix(text, ")") || strings.HasPrefix(text, "where") {
				depth++ // the head of the block begins above, as deep
			}
			for _, mark := range marks {
				if strings.Contains(text, mark) {
					return true
				}
			}
		}
	}
	return false
}

func indentation(line string) int { return len(line) - len(strings.TrimLeft(line, " \t")) }

var shellHead = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^/\^\s*(?:function\s+[\w:.-]+\s*(?:\(\s*\)|\{|\$)|[\w:.-]+\s*\(\s*\))`)
})

// floor is the least percentage of a language's definitions, of those that docs/tools.md names.
const floor = 99.5

// Of what universal-ctags finds in real files, the outlines have nearly all under the same name at the same line. Files
// are the samples, a folder of the Go tree, and what is in the folders of SLOP_CTAGS_CORPUS.
func TestDefinitionsAgreeWithCtags(t *testing.T) {
	t.Parallel()
	ctags, err := exec.LookPath("ctags")
	if err != nil {
		t.Skip("universal-ctags is not installed, so there is nothing to compare with")
	}
	version, err := exec.CommandContext(t.Context(), ctags, "--version").Output()
	if err != nil || !bytes.Contains(version, []byte("Universal Ctags")) {
		t.Skip("ctags is not universal-ctags")
	}
	files := filesByLanguage(t)
	for _, j := range judgedLanguages() {
		t.Run(j.language, func(t *testing.T) {
			t.Parallel()
			tags := j.tags(t, ctags, files[j.language])
			found, missed := 0, []string{}
			for path, of := range tags {
				have := named(t, path)
				for _, tag := range of {
					if have[fmt.Sprint(tag.Line, tag.Name)] {
						found++
					} else {
						missed = append(missed, fmt.Sprintf("%s:%d: %s %s", path, tag.Line, tag.Kind, tag.Name))
					}
				}
			}
			slices.Sort(missed)
			total := found + len(missed)
			t.Logf("%d files, %d of %d definitions, %.2f %%", len(files[j.language]), found, total, 100*float64(found)/
				float64(max(total, 1)))
			for _, m := range missed[:min(len(missed), shownMisses())] {
				t.Log("missed ", m)
			}
			// definitions, below which one counts for too much
			const enough = 500
			if total >= enough && j.language != "css" && j.language != "html" { // ctags lists other things there
				require.GreaterOrEqual(t, 100*float64(found)/float64(total), floor)
			}
		})
	}
}

func shownMisses() int {
	if os.Getenv("SLOP_MISSES") != "" {
		return 10_000
	}
	return 10
}

// filesByLanguage are at most 1,500 files of each language.
func filesByLanguage(t *testing.T) map[string][]string {
	t.Helper()
	out := map[string][]string{}
	roots := append([]string{"testdata/samples", "/usr/local/go/src/net/http"},
		filepath.SplitList(os.Getenv("SLOP_CTAGS_CORPUS"))...)
	for _, root := range roots {
		_ = filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
			if err != nil || !entry.Type().IsRegular() {
				return nil
			}
			language, ok := syntax.ByPath(path)
			if info, err := entry.Info(); ok && err == nil && info.Size() < 300_000 && len(out[language.Name()]) < 1_500 {
				out[language.Name()] = append(out[language.Name()], path)
			}
			return nil
		})
	}
	return out
}

// tags runs ctags over files and gives the tags of the wanted kinds by file.
func (j judged) tags(t *testing.T, ctags string, files []string) map[string][]tag {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), ctags, "--options=NONE", "--output-format=json", "--fields=+nsP",
		"--language-force="+
			j.ctags, "-L", "-", "-f", "-")
	cmd.Stdin = strings.NewReader(strings.Join(files, "\n"))
	raw, err := cmd.Output()
	require.NoError(t, err)
	out, sources := map[string][]tag{}, map[string][]string{}
	lines := bufio.NewScanner(bytes.NewReader(raw))
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var of tag
		require.NoError(t, json.Unmarshal(lines.Bytes(), &of), lines.Text())
		if of.Path == "" {
			continue
		}
		if sources[of.Path] == nil {
			source, err := os.ReadFile(of.Path)
			require.NoError(t, err)
			sources[of.Path] = strings.Split(string(source), "\n")
		}
		if j.wanted(of, sources[of.Path]) {
			out[of.Path] = append(out[of.Path], of)
		}
	}
	return out
}

// named are the lines and names of an outline; of a path each part counts.
func named(t *testing.T, path string) map[string]bool {
	t.Helper()
	language, _ := syntax.ByPath(path)
	src, err := os.ReadFile(path)
	require.NoError(t, err)
	got, err := syntax.Outline(t.Context(), language, src)
	require.NoError(t, err, path)
	out := map[string]bool{}
	for _, s := range got.Symbols {
		title := s.Title
		out[fmt.Sprint(s.Line, title)] = true
		if s.Kind == "impl" { // ctags calls it by a part of its type
			for _, word := range words().FindAllString(title, -1) {
				out[fmt.Sprint(s.Line, word)] = true
			}
		}
		title = typeParameters().ReplaceAllString(title, "$1")
		out[fmt.Sprint(s.Line, title)] = true
		if at := strings.LastIndexAny(title, ".:\\# "); at >= 0 {
			out[fmt.Sprint(s.Line, title[at+1:])] = true
		}
	}
	return out
}

var words = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\w+`) })

// typeParameters are those behind a name, not the operators of Ruby.
var typeParameters = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(\w)<.*`) })
