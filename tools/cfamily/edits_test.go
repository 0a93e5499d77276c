package cfamily_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"manualslop/tools/cfamily"
	"manualslop/tools/document"
)

// Whatever definition of a real file is replaced, what clang does not count to it stays as it was, byte for byte. Of
// every hundredth result clang sees the same definitions as before. SLOP_LOAD=full makes 50,000 edits.
func TestEditsOfRealFilesKeepWhatClangSeesOutside(t *testing.T) {
	t.Parallel()
	clang, err := exec.LookPath("clang")
	if err != nil {
		t.Skip("clang is not installed, so there is nothing to judge by")
	}
	edits := 300
	if full() {
		edits = 50_000
	}
	files := judgedFiles(t, clang)
	if len(files) == 0 {
		t.Skip("there are no C files on this machine")
	}
	random := rand.New(rand.NewPCG(1, 2))
	made, refused := 0, map[string]int{}
	for i := range edits {
		f := files[random.IntN(len(files))]
		result, name, err := f.edited(t, random)
		var problem *cfamily.UpdateError
		if errors.As(err, &problem) {
			refused[problem.Text[:min(len(problem.Text), 25)]]++
			continue
		}
		require.NoError(t, err)
		if made++; i%100 == 0 {
			require.Equal(t, f.names, namesByClang(t, clang, f.path, result), "%s: %s replaced", f.path, name)
		}
	}
	t.Logf("%d edits of definitions in %d files; refused: %v", made, len(files), refused)
	require.Greater(t, made, edits*9/10)
}

// judgedFile is a file with the definitions that clang sees in it.
type judgedFile struct {
	path   string
	file   *cfamily.File
	lines  []document.Line
	truths []truth
	names  []string
}

// judgedFiles are small files of C that clang accepts.
func judgedFiles(t *testing.T, clang string) []judgedFile {
	t.Helper()
	var out []judgedFile
	for _, c := range corpora() {
		if c.language != cfamily.C {
			continue
		}
		for _, path := range c.files(t) {
			raw, err := os.ReadFile(path)
			require.NoError(t, err)
			if len(raw) > 30_000 {
				continue
			}
			f := judgedFile{path: path, file: cfamily.Read(string(raw), cfamily.C, cfamily.Macros{}),
				lines: document.Lines(string(raw))}
			err = clangDefinitions(t.Context(), t, clang, path, c.flags, func(tr truth) {
				if tr.file == path {
					f.names = append(f.names, tr.kind+" "+tr.name)
					f.truths = append(f.truths, tr)
				}
			})
			f.truths = slices.DeleteFunc(f.truths, func(tr truth) bool { return !braces(tr) || f.shared(tr) })
			if err == nil && len(f.truths) > 0 {
				out = append(out, f)
			}
		}
	}
	return out
}

// shared tells whether a definition is not found by its name alone, or has other code on its first or last line.
func (f judgedFile) shared(tr truth) bool {
	found := cfamily.Find(f.file.Symbols, tr.name)
	behind := strings.TrimLeft(f.file.Text[f.end(tr):f.lines[tr.end-1].End], " \t;")
	return len(found) != 1 || found[0].BodyEnd == 0 || behind != "" && !strings.HasPrefix(behind, "/")
}

// end is behind the last brace of a definition's last line.
func (f judgedFile) end(tr truth) int {
	last := f.lines[tr.end-1]
	return last.Start + strings.LastIndex(f.file.Text[last.Start:last.End], "}") + 1
}

// edited replaces a random definition by what clang counts to it, with a change in its body, and checks the rest.
func (f judgedFile) edited(t *testing.T, random *rand.Rand) (result, name string, err error) {
	t.Helper()
	tr := f.truths[random.IntN(len(f.truths))]
	s := cfamily.Find(f.file.Symbols, tr.name)[0]
	text := f.file.Text
	start, end := f.lines[tr.start-1].Start, f.end(tr)
	at := s.BodyStart + 1
	if start > s.BodyStart || end < s.BodyEnd {
		return "", tr.name, &cfamily.UpdateError{Text: "clang sees other ends"}
	}
	more := []string{fmt.Sprintf("\n/* %d */\n", random.Int()), "\n\n", " /* } */ "}[random.IntN(3)]
	content := text[start:at] + more + text[at:end]
	if random.IntN(4) == 0 && tr.kind == "FunctionDecl" {
		content = text[start:at] + "}"
	}
	splice, err := f.file.Update(t.Context(), s, content)
	if err != nil {
		return "", tr.name, err
	}
	before := text[:splice.Start] + blankFrom(splice.New, text[start:at])
	require.Equal(t, strings.Fields(text[:start]), strings.Fields(before), "%s: in front of %s", f.path, tr.name)
	require.GreaterOrEqual(t, splice.End, end-1)
	require.Equal(t, "", strings.Trim(text[end:max(splice.End, end)], " \t;\r\n"), "%s: behind %s", f.path, tr.name)
	return text[:splice.Start] + splice.New + text[splice.End:], tr.name, nil
}

// blankFrom is what new text has in front of a head.
func blankFrom(content, head string) string {
	at := strings.Index(content, strings.Fields(head)[0])
	return content[:max(at, 0)]
}

// namesByClang are the definitions that clang sees in a changed file.
func namesByClang(t *testing.T, clang, path, text string) []string {
	t.Helper()
	name := filepath.Join(t.TempDir(), filepath.Base(path))
	require.NoError(t, os.WriteFile(name, []byte(text), 0o600))
	var out []string
	_ = clangDefinitions(t.Context(), t, clang, name, []string{"-x", "c", "-I" + filepath.Dir(path)}, func(tr truth) {
		if tr.file == name {
			out = append(out, tr.kind+" "+tr.name)
		}
	})
	return out
}
