package tools_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io/fs"
	"maps"
	"mime"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
	"github.com/stretchr/testify/require"

	"manualslop/tools"
	"manualslop/tools/builtin"
	"manualslop/tools/sandbox"
	"manualslop/tools/web"
)

// The cases of a tool are testdata/cases/TOOL/*.txtar: the workspace before, calls, answers, and the
// workspace after. Sections:
//
//	before/PATH          a file of the workspace
//	before/PATH quoted   the same, written as Go string literals, one a line, joined; for line ends,
//	                     byte order marks, invalid bytes and missing final line ends
//	programs             names of programs that calls find, one a line; the case is skipped where the
//	                     machine lacks one, and without this section there are none
//	commit               makes the workspace a git repository with the files before as its one commit
//	page/PATH            what a server on this machine answers to that path; calls and answers name
//	                     the server as http://SERVER, and http://SERVER/search is the search page
//	call                 {"tool": …, "args": {…}}
//	answer               the text of that call's answer
//	data                 the structured twin, indented JSON; checked where the section is there
//	after/PATH           a file that is there, or differs, after all calls; "quoted" where needed
//	removed              names of files that are gone, one a line
//
// call, answer and data repeat in this order. "make generate" rewrites answer, data, after and removed.
// Nothing in a case reaches the network.

func TestCases(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("testdata/cases/*/*.txtar")
	require.NoError(t, err)
	for _, file := range files {
		name, _ := filepath.Rel("testdata/cases", strings.TrimSuffix(file, ".txtar"))
		t.Run(filepath.ToSlash(name), func(t *testing.T) {
			t.Parallel()
			runCase(t, file)
		})
	}
}

func TestEveryToolHasCases(t *testing.T) {
	t.Parallel()
	for _, tool := range builtin.Tools().All() {
		cases, err := filepath.Glob(filepath.Join("testdata/cases", tool.Spec().Name, "*.txtar"))
		require.NoError(t, err)
		if len(cases) == 0 {
			t.Errorf("%s has no case in tools/testdata/cases", tool.Spec().Name)
		}
	}
}

func runCase(t *testing.T, file string) {
	archive, err := txtar.ParseFile(file)
	require.NoError(t, err)
	dir, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	before := map[string]string{}
	for _, section := range archive.Files {
		if path, content, ok := fileSection(t, section, "before/"); ok {
			before[path] = content
		}
	}
	put(t, dir, before)
	w, err := sandbox.Open(sandbox.Config{Primary: dir})
	require.NoError(t, err)
	defer func() { require.NoError(t, w.Close()) }()
	address := servePages(t, archive)
	net, err := web.New(web.Settings{SearchURL: "http://" + address + "/search", AllowHosts: []string{address}})
	require.NoError(t, err)
	env := tools.Env{Workspace: w, Net: net, Shell: tools.Shell{Fallback: tools.FallbackPOSIX,
		Inherit: []string{"PATH=" + programs(t, archive)}}}
	if slices.ContainsFunc(archive.Files, func(f txtar.File) bool { return f.Name == "commit" }) {
		commitAll(t, dir)
	}
	have := replay(t, archive, env, address)
	have.Files = append(have.Files, leftOver(t, dir, before)...)
	got, want := txtar.Format(have), txtar.Format(archive)
	if *update {
		require.NoError(t, os.WriteFile(file, got, 0o644))
		return
	}
	require.Equal(t, string(want), string(got), "%s; run make generate if this is right", file)
}

// programs is a folder with the programs that a case names.
func programs(t *testing.T, archive *txtar.Archive) string {
	t.Helper()
	i := slices.IndexFunc(archive.Files, func(f txtar.File) bool { return f.Name == "programs" })
	if i < 0 {
		return ""
	}
	dir := t.TempDir()
	for _, name := range strings.Fields(string(archive.Files[i].Data)) {
		path, err := exec.LookPath(name)
		if err != nil {
			t.Skipf("no %s on PATH", name)
		}
		require.NoError(t, os.Symlink(path, filepath.Join(dir, name)))
	}
	return dir
}

// servePages serves the pages of a case and gives the server's address.
func servePages(t *testing.T, archive *txtar.Archive) string {
	t.Helper()
	pages := map[string][]byte{}
	for _, section := range archive.Files {
		if path, ok := strings.CutPrefix(section.Name, "page/"); ok {
			pages["/"+path] = section.Data
		}
	}
	if len(pages) == 0 {
		return "127.0.0.1:9"
	}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		page, ok := pages[r.URL.Path]
		if !ok {
			http.NotFound(w, r)
			return
		}
		if kind := mime.TypeByExtension(filepath.Ext(r.URL.Path)); kind != "" {
			w.Header().Set("Content-Type", kind)
		}
		_, _ = w.Write(page)
	}))
	t.Cleanup(server.Close)
	return server.Listener.Addr().String()
}

// commitAll makes a repository whose one commit is always the same.
func commitAll(t *testing.T, dir string) {
	t.Helper()
	for _, args := range [][]string{{"init", "-q", "-b", "main"}, {"add", "-A"}, {"commit", "-q", "-m", "before"}} {
		c := exec.CommandContext(t.Context(), "git", args...)
		c.Dir = dir
		c.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_NOSYSTEM=1", "GIT_AUTHOR_NAME=a",
			"GIT_AUTHOR_EMAIL=a@b",
			"GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a@b", "GIT_AUTHOR_DATE=2026-01-01T00:00:00Z",
			"GIT_COMMITTER_DATE=2026-01-01T00:00:00Z")
		out, err := c.CombinedOutput()
		require.NoError(t, err, "%s", out)
	}
}

// replay makes the calls of an archive and gives it anew, without the files that are left.
func replay(t *testing.T, archive *txtar.Archive, env tools.Env, address string) *txtar.Archive {
	have := &txtar.Archive{Comment: archive.Comment}
	var result tools.Result
	for i, section := range archive.Files {
		switch {
		case strings.HasPrefix(section.Name, "before/"), strings.HasPrefix(section.Name, "page/"), section.Name == "programs",
			section.Name == "commit":
			have.Files = append(have.Files, section)
		case section.Name == "call":
			result = caseCall(t, env, bytes.ReplaceAll(section.Data, []byte("SERVER"), []byte(address)))
			answer := strings.ReplaceAll(result.Text, address, "SERVER")
			have.Files = append(have.Files, section, txtar.File{Name: "answer", Data: []byte(answer + "\n")})
			if i+2 < len(archive.Files) && archive.Files[i+2].Name == "data" || i+1 < len(archive.Files) &&
				archive.Files[i+1].Name == "data" {
				have.Files = append(have.Files, txtar.File{Name: "data", Data: indented(t, result.Data)})
			}
		case slices.Contains([]string{"answer", "data", "removed"}, section.Name) || strings.HasPrefix(section.Name,
			"after/"):
		default:
			t.Fatalf("unknown section %q", section.Name)
		}
	}
	return have
}

func caseCall(t *testing.T, env tools.Env, line []byte) tools.Result {
	var call struct {
		Tool string          `json:"tool"`
		Args json.RawMessage `json:"args"`
	}
	require.NoError(t, json.Unmarshal(line, &call), "%s", line)
	prepared, err := builtin.Tools().Prepare(t.Context(), env, call.Tool, call.Args)
	if err != nil {
		return tools.Failure(err)
	}
	return prepared.Run(t.Context(), func(context.Context, []tools.PlannedChange) error { return nil })
}

func indented(t *testing.T, data any) []byte {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	require.NoError(t, enc.Encode(data))
	return b.Bytes()
}

// leftOver lists what differs from the workspace before.
func leftOver(t *testing.T, dir string, before map[string]string) []txtar.File {
	var out []txtar.File
	now := map[string]string{}
	require.NoError(t, filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if d != nil && d.Name() == ".git" {
			return fs.SkipDir
		}
		if err != nil || d.IsDir() {
			return err
		}
		rel, err := filepath.Rel(dir, path)
		require.NoError(t, err)
		now[filepath.ToSlash(rel)] = get(t, dir, rel)
		return nil
	}))
	for _, path := range slices.Sorted(maps.Keys(now)) {
		if old, was := before[path]; !was || old != now[path] {
			out = append(out, sectionOf("after/"+path, now[path]))
		}
	}
	var removed string
	for _, path := range slices.Sorted(maps.Keys(before)) {
		if _, is := now[path]; !is {
			removed += path + "\n"
		}
	}
	if removed != "" {
		out = append(out, txtar.File{Name: "removed", Data: []byte(removed)})
	}
	return out
}

// fileSection gives the file that a section describes.
func fileSection(t *testing.T, section txtar.File, prefix string) (path, content string, ok bool) {
	path, ok = strings.CutPrefix(section.Name, prefix)
	if !ok {
		return "", "", false
	}
	path, quoted := strings.CutSuffix(path, " quoted")
	if !quoted {
		return path, string(section.Data), true
	}
	for literal := range strings.Lines(string(section.Data)) {
		text, err := strconv.Unquote(strings.TrimSpace(literal))
		require.NoError(t, err, "%s: %s", section.Name, literal)
		content += text
	}
	return path, content, true
}

// sectionOf describes a file, quoted where plain text would not come back the same.
func sectionOf(name, content string) txtar.File {
	plain := txtar.File{Name: name, Data: []byte(content)}
	back := txtar.Parse(txtar.Format(&txtar.Archive{Files: []txtar.File{plain}}))
	if len(back.Files) == 1 && string(back.Files[0].Data) == content && strconv.CanBackquote(strings.NewReplacer("\n", "",
		"`", "").Replace(content)) {
		return plain
	}
	var b strings.Builder
	for line := range strings.Lines(content) {
		fmt.Fprintf(&b, "%q\n", line)
	}
	return txtar.File{Name: name + " quoted", Data: []byte(b.String())}
}
