package tools_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"manualslop/tools"
	"manualslop/tools/sandbox"
)

// repo is a workspace that is a repository with the given files committed.
func repo(t testing.TB, files map[string]string) (tools.Env, string) {
	t.Helper()
	env, dir := setup(t, files)
	git(t, dir, "init", "-q", "-b", "main")
	if len(files) > 0 {
		commit(t, dir, "first")
	}
	return env, dir
}

// git runs the real git as its user would.
func git(t testing.TB, dir string, args ...string) string {
	t.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("git is not installed")
	}
	cmd := exec.CommandContext(t.Context(), "git", args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL=/dev/null", "GIT_AUTHOR_NAME=a",
		"GIT_AUTHOR_EMAIL=a@b", "GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a@b")
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, "git %s: %s", args, out)
	return string(out)
}

func commit(t testing.TB, dir, message string) {
	t.Helper()
	git(t, dir, "add", "-A")
	git(t, dir, "commit", "-q", "-m", message)
}

func diffOf(t *testing.T, env tools.Env, in args) tools.Result {
	t.Helper()
	result := call(t, env, "get_git_diff", in)
	require.False(t, result.Failed, result.Text)
	return result
}

func TestTheDiffOfTheWorkingTree(t *testing.T) {
	t.Parallel()
	env, dir := repo(t, map[string]string{"a.txt": numbered(30), "sub/b.txt": "b\n", "c.txt": "c\n", "pic": "\x00\x01"})
	require.Regexp(t, `^no change in \.: working tree against HEAD \([0-9a-f]{12}\)$`,
		diffOf(t, env, args{"path": "."}).Text)
	put(t, dir, map[string]string{"a.txt": strings.Replace(numbered(30), "line 15\n", "LINE 15\n", 1), "pic": "\x00\x02",
		"new.txt": "not added\n"})
	require.NoError(t, os.Remove(filepath.Join(dir, "sub/b.txt")))
	git(t, dir, "mv", "c.txt", "d é.txt")
	result := diffOf(t, env, args{"path": "."})
	require.Regexp(t, `^working tree against HEAD \([0-9a-f]{12}\): 4 files, \+1 −2\n`, result.Text)
	for _, want := range []string{
		"diff --git a/a.txt b/a.txt\n", "\n-line 15\n+LINE 15\n", "\n line 12\n", "Binary files a/pic and b/pic differ",
		"deleted file mode 100644",
		"rename from c.txt\nrename to d é.txt\n",
	} {
		require.Contains(t, result.Text, want)
	}
	require.NotContains(t, result.Text, "not added")
	require.NotContains(t, result.Text, "\n line 11\n")
	require.Equal(t, []any{
		map[string]any{"path": "a.txt", "status": "modified", "added": 1.0, "removed": 1.0},
		map[string]any{"path": "d é.txt", "old_path": "c.txt", "status": "renamed", "added": 0.0, "removed": 0.0},
		map[string]any{"path": "pic", "status": "modified", "added": 0.0, "removed": 0.0, "binary": true},
		map[string]any{"path": "sub/b.txt", "status": "deleted", "added": 0.0, "removed": 1.0},
	}, data(t, result)["files"])
	require.Contains(t, diffOf(t, env, args{"path": "a.txt", "context_lines": 5}).Text, "\n line 10\n")
	gone := diffOf(t, env, args{"path": "sub/b.txt"})
	require.Contains(t, gone.Text, "\n-b")
	require.NotContains(t, gone.Text, "a.txt")
	stat := diffOf(t, env, args{"path": ".", "stat_only": true}).Text
	require.True(t, strings.HasSuffix(stat, "\n  modified a.txt +1 −1\n  renamed c.txt → d é.txt +0 −0\n  modified pic "+
		"binary\n  deleted sub/b.txt +0 −1"), stat)
}

func TestTheDiffOfRevisionsAndOfWhatIsStaged(t *testing.T) {
	t.Parallel()
	env, dir := repo(t, map[string]string{"a.txt": "one\n"})
	put(t, dir, map[string]string{"a.txt": "two\n"})
	commit(t, dir, "second")
	git(t, dir, "tag", "v2")
	put(t, dir, map[string]string{"a.txt": "three\n"})
	git(t, dir, "add", "-A")
	put(t, dir, map[string]string{"a.txt": "four\n"})
	for in, want := range map[string][2]string{
		`HEAD~1 HEAD`: {"-one\n", "+two"}, `HEAD `: {"-two\n", "+four"}, ` `: {"-two\n", "+four"}, `HEAD~1 v2`: {"-one\n",
			"+two"},
		`main~1 `: {"-one\n", "+four"}, ` HEAD~1`: {"-two\n", "+one"}, `HEAD@{0} v2^`: {"-two\n", "+one"},
	} {
		base, head, _ := strings.Cut(in, " ")
		result := diffOf(t, env, args{"path": "a.txt", "base_rev": base, "head_rev": head})
		require.Contains(t, result.Text, want[0], in)
		require.True(t, strings.HasSuffix(result.Text, want[1]), "%q: %s", in, result.Text)
	}
	staged := diffOf(t, env, args{"path": ".", "staged": true})
	require.Contains(t, staged.Text, "index against HEAD")
	require.True(t, strings.HasSuffix(staged.Text, "-two\n+three"), staged.Text)
	hash := strings.TrimSpace(git(t, dir, "rev-parse", "HEAD~1"))
	require.Contains(t, diffOf(t, env, args{"path": ".", "base_rev": hash}).Text, "working tree against "+hash[:12]+":")
	result := call(t, env, "get_git_diff", args{"path": ".", "staged": true, "head_rev": "HEAD"})
	require.Equal(t, "ERROR: staged compares the index, so head_rev must be left out", result.Text)
}

func TestRevisionsAreNeverOptionsRangesOrPaths(t *testing.T) {
	t.Parallel()
	env, dir := repo(t, map[string]string{"a.txt": "one\n", ".env": "TOKEN=hunter2\n"})
	before := fingerprint(t, dir)
	for _, rev := range []string{
		"-p", "--output=pwned", "--no-index", "-O/etc/passwd", "--ext-diff", "HEAD..HEAD", "HEAD...HEAD", "HEAD:.env",
		":/first", "HEAD^{/first}", "a b", "a\nb", "a\x00b",
		"$(touch pwned)", "`id`", "^HEAD", "*", "HEAD\\", strings.Repeat("a", 201), "HEAD^{tree}:.env", "@{upstream}:x",
		"\u202eHEAD",
	} {
		for _, field := range []string{"base_rev", "head_rev"} {
			result := call(t, env, "get_git_diff", args{"path": ".", field: rev})
			require.True(t, result.Failed, rev)
			require.Contains(t, result.Text, "is not a revision", rev)
		}
	}
	result := call(t, env, "get_git_diff", args{"path": ".", "base_rev": "nothing"})
	require.Equal(t, "ERROR: the repository has no revision nothing; the latest are main", result.Text)
	for _, path := range []string{"-p", "--output=pwned", ":(exclude)a.txt", ":!a.txt", "*"} {
		result := call(t, env, "get_git_diff", args{"path": path})
		require.Contains(t, result.Text, path+" exists neither in the workspace nor in HEAD")
	}
	require.Equal(t, before, fingerprint(t, dir))
}

// TestNothingThatARepositoryConfiguresRuns sets every program that a repository can name.
func TestNothingThatARepositoryConfiguresRuns(t *testing.T) {
	t.Parallel()
	env, dir := repo(t, map[string]string{
		"a.txt": "one\n", "b.bin": "two\n", "c.pic": "three\n", "d.big": "four\n",
		".gitattributes": "*.bin diff=ext\n*.pic diff=conv\n*.big filter=evil diff=word\n*.txt filter=proc\n",
	})
	mark := filepath.Join(t.TempDir(), "ran")
	script := filepath.Join(t.TempDir(), "evil")
	require.NoError(t, os.WriteFile(script, []byte("#!/bin/sh\necho \"$0 $@\" >>"+mark+"\ncat\n"), 0o755))
	extra := filepath.Join(dir, ".git", "extra")
	require.NoError(t, os.WriteFile(extra, []byte("[diff]\n\texternal = "+script+" included\n"), 0o644))
	for key, value := range map[string]string{
		"core.fsmonitor": script, "core.hooksPath": filepath.Dir(script), "core.pager": script, "pager.diff": script,
		"core.editor": script, "core.sshCommand": script,
		"core.askPass": script, "core.gitProxy": script, "core.alternateRefsCommand": script, "diff.external": script,
		"diff.ext.command": script, "diff.conv.textconv": script,
		"diff.word.xfuncname": ".*", "filter.evil.clean": script, "filter.evil.smudge": script,
		"filter.evil.required": "true", "filter.proc.process": script, "filter.proc.required": "true",
		"alias.diff": "!" + script, "alias.rev-parse": "!" + script, "include.path": extra, "includeIf.gitdir:/.path": extra,
		"credential.helper": "!" + script,
		"gpg.program":       script, "log.showSignature": "true", "interactive.diffFilter": script,
		"trace2.eventTarget": mark, "diff.submodule": "log", "status.submoduleSummary": "true",
		"remote.origin.url": "ext::" + script, "remote.origin.promisor": "true", "remote.origin.uploadpack": script,
		"extensions.partialClone": "origin", "protocol.ext.allow": "always",
		"uploadpack.packObjectsHook": script, "diff.tool": "evil", "difftool.evil.cmd": script, "core.attributesFile": extra,
		"core.worktree": "/", "core.bare": "true",
	} {
		git(t, dir, "config", "-f", ".git/config", key, value)
	}
	for _, hook := range []string{"post-index-change", "fsmonitor-watchman", "post-checkout", "reference-transaction",
		"pre-auto-gc"} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, ".git", "hooks", hook), []byte("#!/bin/sh\n"+script+" hook\n"),
			0o755))
	}
	require.NoError(t, os.WriteFile(filepath.Join(dir, ".git", "info", "attributes"), []byte("* filter=evil diff=ext\n"),
		0o644))
	put(t, dir, map[string]string{"a.txt": "ONE\n", "b.bin": "TWO\n", "c.pic": "THREE\n", "d.big": "FOUR\n"})
	before := fingerprint(t, dir)
	for _, in := range []args{{"path": "."}, {"path": ".", "staged": true}, {"path": ".", "base_rev": "HEAD",
		"head_rev": "HEAD"}, {"path": "d.big", "stat_only": true}} {
		result := diffOf(t, env, in)
		if len(in) == 1 {
			for _, want := range []string{"+ONE", "+TWO", "+THREE", "+FOUR"} {
				require.Contains(t, result.Text, want)
			}
		}
	}
	missing := call(t, env, "get_git_diff", args{"path": ".", "base_rev": strings.Repeat("ab", 20)})
	require.Contains(t, missing.Text, "has no revision", "nothing is fetched")
	require.NoFileExists(t, mark)
	require.Equal(t, before, fingerprint(t, dir))

	git(t, dir, "config", "-f", ".git/config", "--unset", "core.worktree")
	git(t, dir, "config", "-f", ".git/config", "core.bare", "false")
	git(t, dir, "config", "-f", ".git/config", "--unset", "alias.diff")
	plain := exec.CommandContext(t.Context(), "git", "diff", "HEAD")
	plain.Dir = dir
	_, _ = plain.CombinedOutput()
	require.FileExists(t, mark, "the repository is as hostile as it should be")
}

func TestProtectedFilesAreInNoDiff(t *testing.T) {
	t.Parallel()
	env, dir := repo(t, map[string]string{
		".env": "TOKEN=hunter2\n", "a.txt": "one\n", "deep/x.key": "hunter2\n",
		"settings.txt": strings.Repeat("hunter2 and so on\n", 20), "was.pem": strings.Repeat("hunter2 again\n", 20),
	})
	put(t, dir, map[string]string{".env": "TOKEN=hunter2 new\n", "a.txt": "two\n", "deep/x.key": "hunter2 new\n"})
	git(t, dir, "mv", "settings.txt", "history.toml")
	git(t, dir, "mv", "was.pem", "now.txt")
	require.NoError(t, os.Link(filepath.Join(dir, ".env"), filepath.Join(dir, "link.txt")))
	git(t, dir, "add", "-A")
	put(t, dir, map[string]string{"a.txt": "diff --git a/.env b/.env\n* Unmerged path x\n"})
	for _, in := range []args{{"path": "."}, {"path": ".", "staged": true}, {"path": ".", "stat_only": true},
		{"path": "now.txt"}} {
		result := diffOf(t, env, in)
		require.NotContains(t, result.Text, ".key")
		require.NotContains(t, result.Text, "history.toml")
		require.NotContains(t, result.Text, ".pem")
		if in["path"] == "." && in["staged"] == nil {
			require.NotContains(t, result.Text, "hunter2")
			require.Contains(t, result.Text, "changed files not shown: protected or out of reach)")
		}
	}
	require.Contains(t, diffOf(t, env, args{"path": "."}).Text, "+diff --git a/.env b/.env\n")
	require.True(t, strings.HasPrefix(call(t, env, "get_git_diff", args{"path": ".env"}).Text, "ACCESS DENIED"))
	require.True(t, strings.HasPrefix(call(t, env, "get_git_diff", args{"path": "../x"}).Text, "ACCESS DENIED"))
}

func TestADiffWorksWithoutACommitAndInWorktreesAndSubfolders(t *testing.T) {
	t.Parallel()
	env, dir := repo(t, nil)
	put(t, dir, map[string]string{"a.txt": "one\n"})
	git(t, dir, "add", "-A")
	fresh := diffOf(t, env, args{"path": "."})
	require.Contains(t, fresh.Text, "working tree against nothing (there is no commit yet): 1 file, +1 −0")
	require.True(t, strings.HasSuffix(fresh.Text, "+one"))
	commit(t, dir, "first")
	git(t, dir, "worktree", "add", "-q", "tree", "-b", "side")
	put(t, dir, map[string]string{"tree/a.txt": "side\n", "a.txt": "main\n", "sub/x": ""})
	require.True(t, strings.HasSuffix(diffOf(t, env, args{"path": "tree"}).Text, "-one\n+side"))
	require.Contains(t, diffOf(t, env, args{"path": "tree/a.txt"}).Text, "\n+side")
	require.True(t, strings.HasSuffix(diffOf(t, env, args{"path": "a.txt"}).Text, "-one\n+main"))
	inner := tools.Env{Workspace: opened(t, filepath.Join(dir, "sub"))}
	require.Contains(t, diffOf(t, inner, args{"path": "."}).Text, "no change",
		"the repository may lie above, its other files are out of reach")
	git(t, dir, "add", "-A", "sub")
	require.Contains(t, diffOf(t, inner, args{"path": "."}).Text, "new file mode")
}

func opened(t *testing.T, dir string) *sandbox.Workspace {
	t.Helper()
	w, err := sandbox.Open(sandbox.Config{Primary: dir})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, w.Close()) })
	return w
}

// TestAForgedPointerOpensNoOtherRepository has .git files that a model could write.
func TestAForgedPointerOpensNoOtherRepository(t *testing.T) {
	t.Parallel()
	_, private := repo(t, map[string]string{"p.txt": "hunter2\n"})
	put(t, private, map[string]string{"p.txt": "hunter2 now\n"})
	env, dir := setup(t, map[string]string{
		"a/.git": "gitdir: " + private + "/.git\n", "b/.git": "gitdir: nowhere\n", "c/.git": "something else\n",
		"d/admin/gitdir": "../.git\n", "d/admin/commondir": private + "/.git\n", "d/admin/HEAD": "ref: refs/heads/main\n",
		"d/.git": "gitdir: admin\n", "f/objects": "",
	})
	require.NoError(t, os.MkdirAll(filepath.Join(dir, "e"), 0o755))
	require.NoError(t, os.Symlink(private+"/.git", filepath.Join(dir, "e/.git")))
	require.NoError(t, os.MkdirAll(filepath.Join(dir, "f/.git"), 0o755))
	require.NoError(t, os.Symlink(private+"/.git/objects", filepath.Join(dir, "f/.git/objects")))
	for _, path := range []string{"a", "b", "c", "d", "e", "f"} {
		result := call(t, env, "get_git_diff", args{"path": path})
		require.True(t, result.Failed, path)
		require.Regexp(t, `not followed|cannot be read`, result.Text, path)
		require.NotContains(t, result.Text, "hunter2")
	}
}

// TestBorrowedObjectsOpenNoOtherRepository has an own .git that gets commits or objects elsewhere.
func TestBorrowedObjectsOpenNoOtherRepository(t *testing.T) {
	t.Parallel()
	_, private := repo(t, map[string]string{"p.txt": "hunter2\n"})
	commitHash := strings.TrimSpace(git(t, private, "rev-parse", "HEAD"))
	loose, err := filepath.Glob(private + "/.git/objects/??/*")
	require.NoError(t, err)
	require.NotEmpty(t, loose)
	_, other := repo(t, map[string]string{"p.txt": "hunter2\n"})
	git(t, other, "gc", "-q")
	packs, err := filepath.Glob(other + "/.git/objects/pack/*")
	require.NoError(t, err)
	require.NotEmpty(t, packs)
	borrow := map[string]func(admin string) error{
		"alternates": func(admin string) error {
			return os.WriteFile(filepath.Join(admin, "objects/info/alternates"), []byte(private+"/.git/objects\n"), 0o600)
		},
		"commondir": func(admin string) error {
			return os.WriteFile(filepath.Join(admin, "commondir"), []byte(private+"/.git\n"), 0o600)
		},
		"a linked folder of packs": func(admin string) error {
			return errors.Join(os.RemoveAll(filepath.Join(admin, "objects/pack")), os.Symlink(other+"/.git/objects/pack",
				filepath.Join(admin, "objects/pack")))
		},
		"linked objects": func(admin string) error {
			var errs []error
			for _, object := range loose {
				folder := filepath.Join(admin, "objects", filepath.Base(filepath.Dir(object)))
				errs = append(errs, os.MkdirAll(folder, 0o700), os.Symlink(object, filepath.Join(folder, filepath.Base(object))))
			}
			return errors.Join(errs...)
		},
		"linked packs": func(admin string) error {
			var errs []error
			for _, pack := range packs {
				errs = append(errs, os.Symlink(pack, filepath.Join(admin, "objects/pack", filepath.Base(pack))))
			}
			return errors.Join(errs...)
		},
	}
	for how, make := range borrow {
		env, dir := repo(t, map[string]string{"a.txt": "a\n"})
		require.NoError(t, make(filepath.Join(dir, ".git")), how)
		result := call(t, env, "get_git_diff", args{"path": ".", "head_rev": commitHash})
		require.True(t, result.Failed, "%s: %s", how, result.Text)
		require.Contains(t, result.Text, "not followed", how)
	}
	env, dir := repo(t, map[string]string{"a.txt": "a\n"})
	put(t, dir, map[string]string{".git/commondir": ".\n"})
	require.Contains(t, diffOf(t, env, args{"path": "."}).Text, "no change", "a folder may name itself")
}

func TestASubmoduleIsComparedByItsCommitAndNotEntered(t *testing.T) {
	t.Parallel()
	_, other := repo(t, map[string]string{"s.txt": "one\n"})
	env, dir := repo(t, map[string]string{"a.txt": "a\n"})
	git(t, dir, "-c", "protocol.file.allow=always", "submodule", "--quiet", "add", other, "mod")
	commit(t, dir, "with module")
	put(t, dir, map[string]string{"mod/s.txt": "two\n"})
	mark := filepath.Join(t.TempDir(), "ran")
	git(t, filepath.Join(dir, "mod"), "config", "core.fsmonitor", "touch "+mark+"; false")
	require.Contains(t, diffOf(t, env, args{"path": "."}).Text, "no change")
	require.True(t, strings.HasSuffix(diffOf(t, env, args{"path": "mod"}).Text, "-one\n+two"))
	require.NoFileExists(t, mark)
	commit(t, filepath.Join(dir, "mod"), "moved")
	require.NoError(t, os.RemoveAll(mark))
	require.Contains(t, diffOf(t, env, args{"path": "."}).Text, "+Subproject commit ")
	require.NoFileExists(t, mark)
}

func TestALongDiffBeginsWithTheListOfFiles(t *testing.T) {
	t.Parallel()
	files := map[string]string{}
	for i := range 40 {
		files[fmt.Sprintf("f%02d.txt", i)] = numbered(100)
	}
	env, dir := repo(t, files)
	for name := range maps.Keys(files) {
		put(t, dir, map[string]string{name: strings.ToUpper(files[name])})
	}
	first := diffOf(t, env, args{"path": "."}).Text
	require.Regexp(t, `^working tree against HEAD \([0-9a-f]+\): 40 files, \+4000 −4000\n  modified f00.txt \+100 −100\n`,
		first)
	require.Contains(t, first, "\ndiff --git a/f00.txt b/f00.txt\n")
	require.Regexp(t, `\n… truncated: lines \d+–\d+ of \d+ not shown; call get_git_diff with start_line=\d+$`, first)
	var from, to, total, next int
	_, err := fmt.Sscanf(first[strings.LastIndex(first, "…"):], "… truncated: lines %d–%d of %d not shown; call "+
		"get_git_diff with start_line=%d", &from, &to, &total, &next)
	require.NoError(t, err)
	require.Equal(t, from, next)
	require.NotContains(t, diffOf(t, env, args{"path": ".", "start_line": next}).Text, "40 files")
}

func TestLineEndsAreComparedAsTheRepositoryStoresThem(t *testing.T) {
	t.Parallel()
	env, dir := repo(t, map[string]string{"a.txt": "one\ntwo\n"})
	git(t, dir, "config", "core.autocrlf", "true")
	put(t, dir, map[string]string{"a.txt": "one\r\nTWO\r\n"})
	result := diffOf(t, env, args{"path": "."})
	require.Contains(t, result.Text, "1 file, +1 −1")
}

func TestADiffSaysWhatIsMissing(t *testing.T) {
	t.Parallel()
	env, dir := setup(t, map[string]string{"a.txt": "a"})
	result := call(t, env, "get_git_diff", args{"path": "."})
	require.Equal(t, "ERROR: this path is not in a git repository; get_git_diff works only inside one", result.Text)
	git(t, dir, "init", "-q")
	put(t, dir, map[string]string{"bin/git": "#!/bin/sh\ntouch " + dir + "/pwned\n"})
	require.NoError(t, os.Chmod(filepath.Join(dir, "bin/git"), 0o755))
	env.Shell.Inherit = []string{"PATH=" + filepath.Join(dir, "bin")}
	result = call(t, env, "get_git_diff", args{"path": "."})
	require.Equal(t, "ERROR: git is not installed on this machine; compare with read_file instead", result.Text)
	require.NoFileExists(t, filepath.Join(dir, "pwned"))
	env.Shell.Inherit = nil
	require.NoError(t, os.RemoveAll(filepath.Join(dir, ".git", "objects")))
	broken := call(t, env, "get_git_diff", args{"path": "."})
	require.True(t, broken.Failed)
	require.NotContains(t, broken.Text, "\n")
	require.True(t, strings.HasPrefix(call(t, tools.Env{}, "get_git_diff", args{"path": "."}).Text, "ACCESS DENIED"))
}

func TestACancelledDiffLeavesNothing(t *testing.T) {
	t.Parallel()
	env, _ := repo(t, map[string]string{"a.txt": "a\n"})
	bin := t.TempDir()
	started := filepath.Join(bin, "started")
	require.NoError(t, os.WriteFile(filepath.Join(bin, "git"), []byte("#!/bin/sh\necho >"+started+"\nexec sleep 1000\n"),
		0o755))
	env.Shell.Inherit = []string{"PATH=" + bin + ":" + os.Getenv("PATH")}
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan tools.Result, 1)
	go func() { done <- prepare(t, env, "get_git_diff", args{"path": "."}).Run(ctx, nil) }()
	waitFor(t, started)
	cancel()
	result := <-done
	require.ErrorIs(t, result.Err, context.Canceled)
}

// waitFor waits for a file that another process makes, the only sign it can give.
func waitFor(t *testing.T, file string) {
	t.Helper()
	require.Eventually(t, func() bool { _, err := os.Stat(file); return err == nil }, 20*time.Second, time.Millisecond)
}

func TestAFileWhoseTimeChangedOnlyIsNoChange(t *testing.T) {
	t.Parallel()
	env, dir := repo(t, map[string]string{"a.txt": "one\n", "b.txt": "two\n", "sub/c.txt": "three\n"})
	later := time.Now().Add(time.Hour)
	for _, name := range []string{"a.txt", "sub/c.txt"} {
		require.NoError(t, os.Chtimes(filepath.Join(dir, name), later, later))
	}
	require.Contains(t, diffOf(t, env, args{"path": "."}).Text, "no change in .:")
	require.Contains(t, diffOf(t, env, args{"path": "a.txt", "base_rev": "HEAD"}).Text, "no change")
	put(t, dir, map[string]string{"b.txt": "TWO\n"})
	for _, only := range []bool{true, false} {
		text := diffOf(t, env, args{"path": ".", "stat_only": only}).Text
		require.Contains(t, text, "1 file, +1 −1")
		require.NotContains(t, text, "a.txt")
	}
}
