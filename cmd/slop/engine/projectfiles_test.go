package engine

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"manualslop/cmd/slop/site"
	"manualslop/events"
	"manualslop/hookgw/core"
	"manualslop/projections"
)

// inFolder opens the project files of a folder that holds the given ones.
func inFolder(t *testing.T, contents map[string]string) (*projectFiles, string) {
	t.Helper()
	folder, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	for name, text := range contents {
		file := filepath.Join(folder, filepath.FromSlash(name))
		require.NoError(t, os.MkdirAll(filepath.Dir(file), 0o755))
		require.NoError(t, os.WriteFile(file, []byte(text), 0o644))
	}
	f, err := openProjectFiles(site.Place{Project: folder, Data: filepath.Join(folder, ".slop")})
	require.NoError(t, err)
	t.Cleanup(f.Close)
	return f, folder
}

func requireProblem(t *testing.T, kind core.FileProblemKind, err error, about string) {
	t.Helper()
	var p *core.FileProblem
	require.ErrorAs(t, err, &p, about)
	require.Equal(t, kind, p.Kind, "%s: %s", about, p.Message)
	require.NotEmpty(t, p.Hint, about)
}

func TestAProjectDocumentIsReadAndWrittenBack(t *testing.T) {
	t.Parallel()
	f, folder := inFolder(t, map[string]string{"sub/p.toml": "[project]\nname = \"demo\"\nn = 3\nx = " +
		"1.5\n[files]\npaths = [\"*.go\", {path = \"a\", force_full = true}]\n"})
	got, err := f.Load(t.Context(), "./sub/../sub/p.toml")
	require.NoError(t, err)
	require.Equal(t, "sub/p.toml", got.Path)
	require.JSONEq(t, `{"project":{"name":"demo","n":3,"x":1.5},"files":{"paths":["*.go",{"path":"a","force_full":true}]}}`, string(got.Document))
	again, err := f.Load(t.Context(), filepath.Join(folder, "sub", "p.toml"))
	require.NoError(t, err, "an absolute path inside the folder is one of it")
	require.Equal(t, got, again)
	saved, err := f.Save(t.Context(), "sub/p.toml", got.Document, got.SHA256, false)
	require.NoError(t, err)
	back, err := f.Load(t.Context(), "sub/p.toml")
	require.NoError(t, err)
	require.Equal(t, saved.SHA256, back.SHA256)
	require.JSONEq(t, string(got.Document), string(back.Document))
}

func TestAFileThatSomebodyElseChangedIsNotOverwritten(t *testing.T) {
	t.Parallel()
	f, folder := inFolder(t, map[string]string{"p.toml": "a = 1\n"})
	doc := json.RawMessage(`{"a":2}`)
	_, err := f.Save(t.Context(), "p.toml", doc, "", false)
	requireProblem(t, core.FileChanged, err, "there is a file already")
	_, err = f.Save(t.Context(), "new.toml", doc, "abcd", false)
	requireProblem(t, core.FileChanged, err, "the file is gone")
	text, err := os.ReadFile(filepath.Join(folder, "p.toml"))
	require.NoError(t, err)
	require.Equal(t, "a = 1\n", string(text))
	_, err = f.Save(t.Context(), "p.toml", doc, "", true)
	require.NoError(t, err)
	_, err = f.Save(t.Context(), "p.toml", doc, "", false)
	require.NoError(t, err, "what is written already needs no writing")
	names, err := filepath.Glob(filepath.Join(folder, ".*"))
	require.NoError(t, err)
	require.Empty(t, names, "nothing is left beside it")
}

func TestPathsThatAreNoProjectDocumentsAreRefused(t *testing.T) {
	t.Parallel()
	f, folder := inFolder(t, map[string]string{
		"config.toml": "", "Credentials.TOML": "", "demo_history.toml": "", "HISTORY.toml": "", ".slop/p.toml": "",
		"slop.toml": "", "mcp_env.toml": "",
		"x/config.toml/p.toml": "", "logs/sessions/p.toml": "", "p.txt": "", "d.toml/keep": "",
	})
	outside := filepath.Join(t.TempDir(), "p.toml")
	require.NoError(t, os.WriteFile(outside, nil, 0o600))
	require.NoError(t, os.Symlink(outside, filepath.Join(folder, "link.toml")))
	require.NoError(t, os.Symlink(filepath.Dir(outside), filepath.Join(folder, "dir")))
	for _, path := range []string{
		"config.toml", "CONFIG.TOML", "Credentials.TOML", "credentials.toml", "demo_history.toml", "HISTORY.toml",
		".slop/p.toml", ".SLOP/p.toml", "slop.toml",
		"mcp_env.toml", "x/config.toml/p.toml", "logs/sessions/p.toml", "p.txt", "p", "", ".", "..", "../p.toml",
		"a/../../p.toml", "/etc/p.toml", outside,
		"link.toml", "dir/p.toml", "d.toml", "a\x00.toml", "p.toml\x00", "~/p.toml/..",
	} {
		_, err := f.Load(t.Context(), path)
		requireProblem(t, core.FileDenied, err, path)
		_, err = f.Save(t.Context(), path, json.RawMessage(`{}`), "", true)
		requireProblem(t, core.FileDenied, err, path)
	}
	_, err := f.Load(t.Context(), strings.Repeat("x", 300)+".toml")
	requireProblem(t, core.FileBroken, err, "a name that no file can have")
	_, err = f.Load(t.Context(), "gone.toml")
	requireProblem(t, core.FileMissing, err, "gone")
	still, err := os.ReadFile(outside)
	require.NoError(t, err)
	require.Empty(t, still)
}

func TestADocumentHasALimitAndMustBeTOML(t *testing.T) {
	t.Parallel()
	head := "a = \""
	fits := head + strings.Repeat("x", core.MaxProjectFile-len(head)-2) + "\"\n"
	f, _ := inFolder(t, map[string]string{
		"fits.toml": fits, "over.toml": fits + "\n", "broken.toml": "a = 1\nb = [\n", "nan.toml": "a = nan\n",
		"twice.toml": "a = 1\na = 2\n", "bytes.toml": "a = \"\xff\"\n",
	})
	_, err := f.Load(t.Context(), "fits.toml")
	require.NoError(t, err)
	_, err = f.Load(t.Context(), "over.toml")
	requireProblem(t, core.FileTooLarge, err, "over")
	for _, name := range []string{"broken.toml", "nan.toml", "twice.toml", "bytes.toml"} {
		_, err = f.Load(t.Context(), name)
		requireProblem(t, core.FileBroken, err, name)
	}
	_, err = f.Load(t.Context(), "twice.toml")
	require.ErrorContains(t, err, "line 2")
	big, err := json.Marshal(map[string]string{"a": strings.Repeat("x", core.MaxProjectFile)})
	require.NoError(t, err)
	_, err = f.Save(t.Context(), "big.toml", big, "", false)
	requireProblem(t, core.FileTooLarge, err, "big")
	for _, doc := range []string{`{"a":[null]}`, `{"a":18446744073709551616}`, `[]`} {
		_, err = f.Save(t.Context(), "x.toml", json.RawMessage(doc), "", false)
		requireProblem(t, core.FileBroken, err, doc)
	}
}

func TestPatternsFindFilesOfTheProjectOnly(t *testing.T) {
	t.Parallel()
	f, folder := inFolder(t, map[string]string{
		"a.go": "", "src/b.go": "", "src/deep/c.go": "", "src/d.md": "", "key.pem": "", "src/.env": "", ".slop/e.go": "",
		"node/f.go": "", ".gitignore": "node/\n", "config.toml": "",
	})
	outside := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(outside, "g.go"), nil, 0o600))
	require.NoError(t, os.Symlink(outside, filepath.Join(folder, "link")))
	require.NoError(t, os.Symlink(filepath.Join(outside, "g.go"), filepath.Join(folder, "g.go")))
	paths, skipped, err := f.Expand(t.Context(), "", []string{"**/*.go", "src/d.md", "src/not/yet.txt",
		filepath.Join(folder, "a.go")})
	require.NoError(t, err)
	require.Equal(t, []string{"a.go", "src/b.go", "src/d.md", "src/deep/c.go", "src/not/yet.txt"}, paths)
	require.Empty(t, skipped)
	paths, _, err = f.Expand(t.Context(), "src", []string{"*.go", "../a.go"})
	require.NoError(t, err)
	require.Equal(t, []string{"a.go", "src/b.go"}, paths)
	paths, skipped, err = f.Expand(t.Context(), "", []string{"../x", "/etc/passwd", outside + "/g.go", "[", "a\x00", "",
		"key.pem", "src/.env", "config.toml", "link/g.go", "{a,b"})
	require.NoError(t, err)
	require.Empty(t, paths)
	require.Len(t, skipped, 11)
	paths, skipped, err = f.Expand(t.Context(), "", []string{"a.{go,md}", strings.Repeat("{a,aa,*}", 16) + "b"})
	require.NoError(t, err)
	require.Equal(t, []string{"a.go"}, paths)
	require.Len(t, skipped, 1, "a project file cannot keep a core busy for ever")
}

func TestAFileIsCheckedAsToolsFindIt(t *testing.T) {
	t.Parallel()
	f, folder := inFolder(t, map[string]string{"a.go": "", "src/b [1.go": "", "key.pem": "", "lib/c.go": ""})
	require.NoError(t, f.Check("a.go"))
	require.NoError(t, f.Check("./src/../src/b [1.go"))
	requireProblem(t, core.FileMissing, f.Check("no.go"), "missing")
	requireProblem(t, core.FileMissing, f.Check("*.go"), "a pattern is a name here")
	requireProblem(t, core.FileDenied, f.Check("src"), "a folder")
	requireProblem(t, core.FileDenied, f.Check("key.pem"), "protected")
	requireProblem(t, core.FileDenied, f.Check("../a.go"), "outside")
	requireProblem(t, core.FileDenied, f.Check("a\x00"), "no path")

	f.root = filepath.Join(folder, "lib")
	require.NoError(t, f.Check("c.go"))
	requireProblem(t, core.FileMissing, f.Check("a.go"), "relative paths start at the first base directory")
	f.root = t.TempDir()
	require.NoError(t, f.Check("d.go"), "a folder that is not open here")
}

func TestMoreFilesThanARefreshCanNameAreRefused(t *testing.T) {
	t.Parallel()
	f, folder := inFolder(t, nil)
	for i := range events.MaxTracked {
		require.NoError(t, os.WriteFile(filepath.Join(folder, fmt.Sprintf("f%04d", i)), nil, 0o600))
	}
	paths, _, err := f.Expand(t.Context(), "", []string{"*"})
	require.NoError(t, err)
	require.Len(t, paths, events.MaxTracked)
	require.NoError(t, os.WriteFile(filepath.Join(folder, "one-more"), nil, 0o600))
	_, _, err = f.Expand(t.Context(), "", []string{"*"})
	requireProblem(t, core.FileTooLarge, err, "one more")
}

func TestAHistoryOfTheOriginalComesBackAsItWas(t *testing.T) {
	t.Parallel()
	f, _ := inFolder(t, nil)
	const text = `roles = ["User", "AI", "Vendor API", "System"]
active = "main"

[discussions.main]
git_commit = "abc123"
last_updated = "2026-02-22T10:00:00"
history = [
    "@2026-02-22T10:00:00\nUser:\nhello",
    """@2026-02-22T10:00:05
AI:
two
lines""",
]

[discussions."main_take_1"]
git_commit = ""
last_updated = ""
history = []
`
	h, err := f.ReadHistory(text)
	require.NoError(t, err)
	require.Equal(t, "main", h.Active)
	require.Equal(t, projections.HistoryStretch{GitCommit: "abc123", LastUpdated: "2026-02-22T10:00:00",
		History: []string{"@2026-02-22T10:00:00\nUser:\nhello", "@2026-02-22T10:00:05\nAI:\ntwo\nlines"}},
		h.Discussions["main"])
	written, err := f.WriteHistory(h)
	require.NoError(t, err)
	again, err := f.ReadHistory(written)
	require.NoError(t, err)
	require.Equal(t, h, again)
	nested, err := f.ReadHistory("[discussion]\nactive = \"x\"\n[discussion.discussions.x]\nhistory = [\"User:\\nhi\"]\n")
	require.NoError(t, err)
	require.Equal(t, []string{"User:\nhi"}, nested.Discussions["x"].History)
}

func TestUnknownKeysOfAHistoryAreIgnoredAndListed(t *testing.T) {
	t.Parallel()
	f, _ := inFolder(t, nil)
	for text, ignored := range map[string][]string{
		"colour = \"red\"\n[discussions.a]\nhistory = [\"User:\\nhi\"]\n":                 {"colour"},
		"[discussions.a]\nhistory = [\"User:\\nhi\"]\ncolour = \"red\"\nx = 1\n":          {"discussions.a.colour", "discussions.a.x"},
		"[discussion.discussions.a]\nhistory = [\"User:\\nhi\"]\n[discussion.b]\nc = 1\n": {"discussion.b"},
	} {
		h, err := f.ReadHistory(text)
		require.NoError(t, err, text)
		require.Equal(t, []string{"User:\nhi"}, h.Discussions["a"].History)
		require.Equal(t, ignored, h.Ignored)
	}
}

func TestWhatAHistoryHoldsBesideIsAnErrorWithItsLine(t *testing.T) {
	t.Parallel()
	f, _ := inFolder(t, nil)
	for text, want := range map[string]string{
		"active = \"a\"\nroles = 3\n":                      "line 2",
		"active = \"a\"\n[discussions.a]\nhistory = [1]\n": "line 3",
		"[discussions.a\n":                                 "line 1",
		"active = \"b\"\n[discussions.a]\nhistory = []\n":  "it does not contain the active discussion",
		"":                                  "it contains no discussion",
		"[discussions.\" \"]\nhistory=[]\n": "space",
		"roles = [\"User\", \"user\"]\n[discussions.a]\nhistory=[]": "case",
	} {
		_, err := f.ReadHistory(text)
		requireProblem(t, core.FileBroken, err, text)
		require.ErrorContains(t, err, want)
	}
}

func TestAHistoryHasALimitedNumberOfKeys(t *testing.T) {
	t.Parallel()
	f, _ := inFolder(t, nil)
	var lines, inline strings.Builder
	for i := range maxTOMLKeys / 2 {
		fmt.Fprintf(&lines, "k%d = 1\n", i)
		fmt.Fprintf(&inline, "k%d = 1, ", i)
	}
	text := lines.String() + "discussions = {a = {" + inline.String() + "history = []}}\n"
	_, err := f.ReadHistory(text)
	require.ErrorContains(t, err, "more than 10000 keys")
	h, err := f.ReadHistory(strings.TrimPrefix(text, "k0 = 1\nk1 = 1\nk2 = 1\n"))
	require.NoError(t, err)
	require.Len(t, h.Ignored, maxTOMLKeys-3)
}
