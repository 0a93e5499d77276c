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

// wanted tells whether outlines list what ctags found: not functions in functions or without a name. For Bash ctags
// takes arrays, and text in strings and here-documents, for functions.
func (j judged) wanted(of tag) bool {
	switch {
	case !slices.Contains(j.kinds, of.Kind):
		return false
	case j.language == "bash":
		return shellHead().MatchString(of.Pattern)
	case strings.HasSuffix(of.Path, ".min.js") || strings.HasPrefix(of.Name, "Anonymous"):
		return false
	}
	return !slices.Contains([]string{"function", "method", "generator"}, of.ScopeKind)
}

var shellHead = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^/\^\s*(?:function\s+[\w:.-]+\s*(?:\(\s*\)|\{|\$)|[\w:.-]+\s*\(\s*\))`)
})

// floors are the least percentages that were measured over the files that docs/tools.md tells of, rounded down.
func floors() map[string]float64 {
	return map[string]float64{
		"bash": 99.5, "protobuf": 99.5, "php": 99.5, "go": 99.5, "java": 99, "ruby": 98.5, "rust": 97.5, "typescript": 97,
	}
}

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
			const enough = 500 // definitions, below which one counts for too much
			if total >= enough {
				require.GreaterOrEqual(t, 100*float64(found)/float64(total), floors()[j.language])
			}
			for _, m := range missed[:min(len(missed), shownMisses())] {
				t.Log("missed ", m)
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
	out := map[string][]tag{}
	lines := bufio.NewScanner(bytes.NewReader(raw))
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var of tag
		require.NoError(t, json.Unmarshal(lines.Bytes(), &of), lines.Text())
		if of.Path != "" && j.wanted(of) {
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
		if _, of, found := strings.Cut(title, " for "); found {
			title = of
		}
		title, _, _ = strings.Cut(title, "<")
		out[fmt.Sprint(s.Line, title)] = true
		if at := strings.LastIndexAny(title, ".:\\# "); at >= 0 {
			out[fmt.Sprint(s.Line, title[at+1:])] = true
		}
	}
	return out
}
