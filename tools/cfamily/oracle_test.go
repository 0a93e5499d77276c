package cfamily_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"manualslop/tools/cfamily"
)

// corpus is a set of real files that clang reads in one or more runs.
type corpus struct {
	name     string
	language cfamily.Language
	globs    []string // what is compared
	flags    []string
	each     int      // every file is a run of its own: so many of them in the ordinary test, all in make load
	headers  []string // else one run that includes these, or all files
	light    []string // what it includes in the ordinary test, which is without the corpus where there are none
}

func corpora() []corpus {
	c, cpp := []string{"-x", "c"}, []string{"-x", "c++", "-std=c++17"}
	std := func(names ...string) []string {
		for i := range names {
			names[i] = "/usr/include/c++/12/" + names[i]
		}
		return names
	}
	return []corpus{
		{
			name: "glibc and kernel headers", language: cfamily.C, flags: c, each: 25,
			globs: []string{"/usr/include/*.h", "/usr/include/linux/*.h", "/usr/include/x86_64-linux-gnu/sys/*.h",
				"/usr/include/net/*.h"},
		},
		{
			name: "C sources", language: cfamily.C, flags: c, each: 12,
			globs: []string{os.Getenv("HOME") + "/go/pkg/mod/github.com/smacker/go-tree-sitter*/*.c",
				"/usr/share/doc/*/examples/*.c", "/usr/local/go/src/runtime/cgo/*.c"},
		},
		{
			name: "nlohmann/json", language: cfamily.CPP, flags: cpp,
			globs: []string{"/usr/include/nlohmann/*.hpp", "/usr/include/nlohmann/detail/*.hpp",
				"/usr/include/nlohmann/detail/*/*.hpp"},
			headers: []string{"/usr/include/nlohmann/json.hpp", "/usr/include/nlohmann/ordered_map.hpp"},
		},
		{name: "fmt", language: cfamily.CPP, flags: append(cpp, "-DFMT_HEADER_ONLY"), globs: []string{"/usr/include/fmt/*.h"},
			light: []string{"/usr/include/fmt/core.h"}},
		{name: "abseil", language: cfamily.CPP, flags: cpp, globs: []string{"/usr/include/absl/*/*.h"},
			light: []string{"/usr/include/absl/strings/string_view.h"}},
		{
			name: "libstdc++", language: cfamily.CPP, flags: append(cpp, "-std=c++20"), globs: std("bits/*.h", "ext/*.h"),
			light: std("algorithm", "vector"),
			headers: std("algorithm", "string", "vector", "map", "unordered_map", "memory", "regex", "ranges", "random",
				"thread", "filesystem", "deque", "list", "fstream"),
		},
	}
}

// Of what clang finds in real headers and sources, we find nearly all with the same name, kind,
// first and last line.
func TestDefinitionsAgreeWithClang(t *testing.T) {
	clang, err := exec.LookPath("clang")
	if err != nil {
		t.Skip("clang is not installed, so there is no truth to compare with")
	}
	floors := map[cfamily.Language]float64{cfamily.C: 99.9, cfamily.CPP: 98}
	found, total := map[cfamily.Language]int{}, map[cfamily.Language]int{}
	for _, c := range corpora() {
		files := c.files(t)
		if len(files) == 0 {
			t.Logf("%s: not installed, or only for make load", c.name)
			continue
		}
		good, all := c.compare(t, clang, files)
		t.Logf("%-28s %d files, %d of %d definitions, %.2f %%", c.name, len(files), good, all,
			100*float64(good)/float64(max(all, 1)))
		found[c.language] += good
		total[c.language] += all
	}
	for language, floor := range floors {
		if total[language] == 0 {
			continue
		}
		share := 100 * float64(found[language]) / float64(total[language])
		t.Logf("%s: %d of %d definitions, %.3f %%", language, found[language], total[language], share)
		require.GreaterOrEqual(t, share, floor, "%s", language)
	}
}

func (c corpus) files(t *testing.T) []string {
	t.Helper()
	var out []string
	for _, glob := range c.globs {
		files, err := filepath.Glob(glob)
		require.NoError(t, err)
		out = append(out, files...)
	}
	if full() {
		return out
	}
	if c.each == 0 && c.light == nil {
		return nil
	}
	if c.each > 0 && len(out) > c.each {
		step := len(out) / c.each
		var some []string
		for i := 0; i < len(out); i += step {
			some = append(some, out[i])
		}
		return some
	}
	return out
}

// full tells whether make load runs.
func full() bool { return os.Getenv("SLOP_LOAD") == "full" }

// compare counts the definitions of clang that we have, too.
func (c corpus) compare(t *testing.T, clang string, files []string) (good, all int) {
	t.Helper()
	var mu sync.Mutex
	truths := map[truth]bool{}
	wanted := map[string]bool{}
	for _, f := range files {
		wanted[f] = true
	}
	emit := func(tr truth) {
		tr.file = filepath.Clean(tr.file)
		if wanted[tr.file] && (tr.kind == "namespace" || braces(tr)) {
			mu.Lock()
			truths[tr] = true
			mu.Unlock()
		}
	}
	if c.each == 0 {
		headers := c.headers
		if headers == nil {
			headers = files
		}
		if !full() {
			headers = c.light
		}
		// errors of one header leave the rest
		_ = clangDefinitions(t.Context(), t, clang, including(t, ".cc", headers...), c.flags, emit)
	} else {
		for _, f := range files {
			var some []truth
			err := clangDefinitions(t.Context(), t, clang, f, c.flags, func(tr truth) { some = append(some, tr) })
			if err == nil { // a file that clang refuses is no truth
				for _, tr := range some {
					emit(tr)
				}
			}
		}
	}
	ours := map[string]map[truth]bool{}
	var missed []string
	for tr := range truths {
		if ours[tr.file] == nil {
			ours[tr.file] = mine(t, tr.file, c.language)
		}
		if ours[tr.file][normal(tr)] {
			good++
		} else {
			missed = append(missed, fmt.Sprintf("%s:%d-%d %s %s; ours: %s", tr.file, tr.start, tr.end, tr.kind, tr.name,
				near(ours[tr.file], normal(tr))))
		}
	}
	slices.Sort(missed)
	for _, m := range missed[:min(len(missed), missesShown())] {
		t.Log("missed ", m)
	}
	return good, len(truths)
}

// braces tells whether a definition has any. What has none is an instantiation, or made by a macro.
func braces(tr truth) bool {
	raw, err := os.ReadFile(tr.file)
	if err != nil {
		return false
	}
	lines := strings.Split(string(raw), "\n")
	return strings.Contains(strings.Join(lines[tr.start-1:min(tr.end, len(lines))], "\n"), "{")
}

// near lists what we have that begins or ends at the same line, or has the name within a few lines.
func near(ours map[truth]bool, want truth) string {
	var out []string
	for o := range ours {
		if o.start == want.start || o.end == want.end || o.name == want.name && o.start-want.start < 20 &&
			want.start-o.start < 20 {
			out = append(out, fmt.Sprintf("%d-%d %s %s", o.start, o.end, o.kind, o.name))
		}
	}
	slices.Sort(out)
	return strings.Join(out, ", ")
}

// missesShown is how many differences are logged.
func missesShown() int {
	if os.Getenv("SLOP_MISSES") != "" {
		return 10_000
	}
	return 10
}

// mine reads a file with the macros of the headers that it includes.
func mine(t *testing.T, name string, language cfamily.Language) map[truth]bool {
	t.Helper()
	raw, err := os.ReadFile(name)
	require.NoError(t, err)
	read := func(path string) (string, bool) {
		raw, err := os.ReadFile(path)
		return string(raw), err == nil
	}
	macros := cfamily.LearnIncluded(t.Context(), name, string(raw), []string{"/usr/include", "/usr/include/c++/12",
		"/usr/include/x86_64-linux-gnu", "/usr/include/x86_64-linux-gnu/c++/12"}, read)
	file := cfamily.Read(string(raw), language, macros)
	out := map[truth]bool{}
	for _, s := range file.Symbols {
		if s.Declaration {
			continue
		}
		name := s.Title
		if i := strings.Index(name, "operator"); i >= 0 && s.Kind == "operator" {
			name = name[i:]
		} else if i := strings.LastIndex(name, "::"); i >= 0 {
			for part := range strings.SplitSeq(name[:i], "::") { // of nested namespaces
				out[normal(truth{"", part, s.Kind, s.StartLine, s.EndLine})] = true
			}
			name = name[i+2:]
		}
		for _, start := range starts(file, s) {
			out[normal(truth{"", name, s.Kind, start, s.EndLine})] = true
			if s.BodyEnd > 0 { // a typedef's name and the ";" behind a type are ours, not clang's
				out[normal(truth{"", name, s.Kind, start, s.StartLine + strings.Count(file.Text[s.Start:s.BodyEnd], "\n")})] = true
			}
		}
	}
	return out
}

// leading is what clang does not count to a declaration, and we do: attributes and macros in front,
// and all but the last template<…> of a member of a template.
var leading = regexp.MustCompile(
	`^(?:\s+|\[\[[^\]]*\]\]|//[^\n]*|[A-Z_][A-Z0-9_]+(?:\([^()]*\))?|__attribute__ ?\(\([^()]*\)\)|\[\[[^\]]*\([^()]*\)[^\]]*\]\])`)

func starts(file *cfamily.File, s cfamily.Symbol) []int {
	out := []int{s.StartLine}
	at, head := s.Start, file.Text[s.Start:s.End]
	line := func() int { return s.StartLine + strings.Count(file.Text[s.Start:at], "\n") }
	for range 20 {
		piece := leading.FindString(head)
		if piece == "" {
			break
		}
		at, head = at+len(piece), head[len(piece):]
		out = append(out, line())
	}
	for at = s.Start; at < s.Head; {
		next := strings.Index(file.Text[at+1:s.Head], "template")
		if next < 0 {
			break
		}
		at += 1 + next
		out = append(out, line())
	}
	return out
}

// normal brings our words and clang's together.
func normal(tr truth) truth {
	tr.file = ""
	switch tr.kind {
	case "FunctionDecl", "function", "CXXMethodDecl", "method", "operator":
		tr.kind = "function"
	case "CXXConversionDecl": // clang writes the types of templates by their numbers
		tr.kind, tr.name = "function", "operator T"
	case "CXXConstructorDecl":
		tr.kind = "constructor"
	case "CXXDestructorDecl":
		tr.kind = "destructor"
	}
	if i := strings.IndexByte(tr.name, '<'); i > 0 && (tr.kind == "constructor" || tr.kind == "destructor") {
		tr.name = tr.name[:i]
	}
	if rest, ok := strings.CutPrefix(tr.name, "operator "); ok && !strings.HasPrefix(rest, "new") &&
		!strings.HasPrefix(rest, "delete") {
		tr.name = "operator T"
	}
	tr.name = strings.ReplaceAll(tr.name, " ", "")
	return tr
}
