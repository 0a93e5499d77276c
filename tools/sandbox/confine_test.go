//go:build linux

package sandbox_test

import (
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"manualslop/tools/sandbox"
)

// bubblewrap skips where programs cannot be confined, and says why.
func bubblewrap(t *testing.T) string {
	t.Helper()
	program, err := exec.LookPath("bwrap")
	if err != nil {
		t.Skip("bubblewrap is not installed")
	}
	out, err := exec.CommandContext(t.Context(), program, "--ro-bind", "/", "/", "--unshare-pid", "--proc", "/proc", "--",
		"/bin/true").CombinedOutput()
	if err != nil {
		t.Skipf("bubblewrap cannot make namespaces here: %v: %s", err, out)
	}
	return program
}

// confined runs a script inside and gives what it wrote.
func confined(t *testing.T, w *sandbox.Workspace, how sandbox.Confinement, script string) sandbox.Outcome {
	t.Helper()
	c := bash(script)
	c.Dir = w.Primary()
	c, release, err := w.Confine(t.Context(), c, how)
	require.NoError(t, err)
	defer release()
	o, err := sandbox.Run(t.Context(), c)
	require.NoError(t, err)
	return o
}

func TestAConfinedProgramWritesToTheWorkspaceOnly(t *testing.T) {
	t.Parallel()
	how := sandbox.Confinement{Program: bubblewrap(t), Network: true}
	w, dir := open(t, map[string]string{"a.txt": "a", "sub/b.txt": "b"})
	outside := t.TempDir()
	o := confined(t, w, how, `echo new >made.txt; echo more >>sub/b.txt; rm a.txt; cat made.txt
		for place in / /etc /usr /var `+outside+` "$HOME/.."; do touch $place/pwned 2>/dev/null && echo "wrote $place"; done
		touch /tmp/scratch && touch $TMPDIR/other && (cd /tmp && ls scratch other); exit 3`)
	require.Equal(t, 3, o.Exit)
	require.Equal(t, "new\nother\nscratch\n", strings.TrimPrefix(o.Stdout, "wrote "+outside+"\n"), o.Stderr)
	require.NoFileExists(t, filepath.Join(outside, "pwned"))
	require.NoFileExists(t, filepath.Join(dir, "a.txt"))
	require.Equal(t, "new\n", get(t, dir, "made.txt"))
	require.Equal(t, "bmore\n", get(t, dir, "sub/b.txt"))
}

// The engine of a container often runs as root, to whom these files belong.
func TestAConfinedProgramCannotSetTheKernel(t *testing.T) {
	t.Parallel()
	how := sandbox.Confinement{Program: bubblewrap(t), Network: true}
	w, _ := open(t, nil)
	o := confined(t, w, how, `for f in /proc/sys/kernel/core_pattern /proc/sys/kernel/core_uses_pid /proc/sysrq-trigger; do test -w $f && echo "can write $f"; done
		find /proc/sys /proc/irq /proc/bus -type f -writable 2>/dev/null | head -n 3; cat /proc/sys/kernel/ostype`)
	require.Equal(t, "Linux\n", o.Stdout, o.Stderr)
}

func TestAConfinedProgramSeesNeitherHomesNorProcesses(t *testing.T) {
	t.Parallel()
	how := sandbox.Confinement{Program: bubblewrap(t), Network: true}
	w, _ := open(t, nil)
	home := t.TempDir()
	put(t, home, map[string]string{".ssh/id": "hunter2", "bin/tool": "#!/bin/sh\necho tool ran\n"})
	require.NoError(t, os.Chmod(filepath.Join(home, "bin/tool"), 0o755))
	c := bash(`ls -A ~; cat ~/.ssh/id; tool; ls /proc | grep -c '^[0-9]'; cat /proc/$PPID/environ | tr '\0' '\n' | grep -c ENGINE; ls /run; id -u >/dev/null; grep CapEff /proc/self/status`)
	c.Dir = w.Primary()
	c.Env = []string{"HOME=" + home, "PATH=" + filepath.Join(home, "bin") + ":/usr/bin:/bin"}
	c, release, err := w.Confine(t.Context(), c, how)
	require.NoError(t, err)
	defer release()
	o, err := sandbox.Run(t.Context(), c)
	require.NoError(t, err)
	require.NotContains(t, o.Stdout, "hunter2")
	require.Contains(t, o.Stdout, "bin\ntool ran\n", "folders of PATH stay")
	require.Contains(t, o.Stdout, "CapEff:\t0000000000000000")
}

func TestProtectedFilesAreOutOfReachInside(t *testing.T) {
	t.Parallel()
	program := bubblewrap(t)
	engine := t.TempDir()
	put(t, engine, map[string]string{"human.token": "hunter2"})
	files := map[string]string{".env": "hunter2", "deep/x.key": "hunter2", ".slop/run.json": "hunter2", "slop.toml": "old",
		".git/config": "old", ".git/hooks/x": "old", "mine.txt": "hunter2"}
	w, dir := open(t, files, func(c *sandbox.Config) {
		c.Engine = []string{engine, "logs/sessions"}
		c.Blacklist = []string{"mine.txt"}
	})
	how := sandbox.Confinement{Program: program, Network: true, Frozen: []string{"slop.toml", "mcp_env.toml",
		".git/config", ".git/hooks"}}
	o := confined(t, w, how, `grep -r hunter2 . `+engine+` 2>/dev/null
		for f in .env deep/x.key .slop/run.json .slop/new slop.toml mcp_env.toml .git/config .git/hooks/x .git/hooks/post-commit mine.txt history.toml \
			config.toml credentials.toml logs/sessions/forged `+engine+`/new `+engine+`/human.token; do
			(echo pwned >$f) 2>/dev/null && echo "wrote $f"; rm -rf $f 2>/dev/null; mv $f moved 2>/dev/null && echo "moved $f"
		done
		mv .slop elsewhere 2>/dev/null && echo moved; rmdir logs 2>/dev/null; mv .git/hooks h2 2>/dev/null && echo moved hooks
		cat slop.toml; echo fine >logs/own.txt; exit 0`)
	require.Equal(t, "old", o.Stdout, o.Stderr)
	for name, content := range files {
		require.Equal(t, content, get(t, dir, name), name)
	}
	for _, name := range []string{"mcp_env.toml", "history.toml", "config.toml", "credentials.toml", "logs/sessions"} {
		require.NoFileExists(t, filepath.Join(dir, name), "no placeholder is left")
		require.NoDirExists(t, filepath.Join(dir, name))
	}
	require.Equal(t, "fine\n", get(t, dir, "logs/own.txt"))
	require.Equal(t, "hunter2", get(t, engine, "human.token"))
	require.NotContains(t, tryRead(dir, "moved"), "hunter2")
}

func TestAWorkspaceInsideOfTheEnginesFolderIsAllThatIsSeenOfIt(t *testing.T) {
	t.Parallel()
	how := sandbox.Confinement{Program: bubblewrap(t)}
	engine := t.TempDir()
	put(t, engine, map[string]string{"run.json": "hunter2", "worktrees/S/T/a.txt": "a", "worktrees/S/T/.env": "hunter2",
		"worktrees/S/other/b.txt": "hunter2"})
	place := filepath.Join(engine, "worktrees", "S", "T")
	w, err := sandbox.Open(sandbox.Config{Primary: place, Engine: []string{engine}})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, w.Close()) })
	require.NoError(t, w.Check("a.txt"))
	for _, name := range []string{"../other/b.txt", filepath.Join(engine, "run.json"), ".slop/x", ".env"} {
		require.Error(t, w.Check(name), name)
	}
	o := confined(t, w, how, `grep -r hunter2 `+engine+` 2>/dev/null; echo x >`+engine+
		`/new 2>/dev/null; echo b >>a.txt; ls `+engine)
	require.Equal(t, "worktrees\n", o.Stdout, o.Stderr)
	require.Equal(t, "ab\n", get(t, place, "a.txt"))
	require.NoFileExists(t, filepath.Join(engine, "new"))
}

func TestAFolderOfTheEngineCannotBeMadeAnewBehindItsParent(t *testing.T) {
	t.Parallel()
	how := sandbox.Confinement{Program: bubblewrap(t)}
	w, dir := open(t, map[string]string{".config/slop/config.toml": "old", ".config/other": "o"}, func(c *sandbox.Config) {
		c.Engine = []string{".config/slop", "logs/sessions"}
	})
	o := confined(t, w, how, `mv .config c2 2>/dev/null && echo moved; mv logs l2 2>/dev/null && echo moved; rm -rf .config logs 2>/dev/null
		for f in .config/slop/config.toml .config/slop/x logs/sessions/forged; do mkdir -p $(dirname $f) 2>/dev/null; (echo pwned >$f) 2>/dev/null && echo "wrote $f"; done; exit 0`)
	require.Empty(t, o.Stdout, o.Stderr)
	require.Equal(t, "old", get(t, dir, ".config/slop/config.toml"))
	require.NoDirExists(t, filepath.Join(dir, "logs"), "no placeholder is left")
}

// gitNames are names that decide which programs git runs.
func gitNames() []string {
	return []string{".git/config", ".git/commondir", ".git/hooks", ".git/worktrees/*/commondir"}
}

func TestAFrozenNameCannotBeMadeBehindItsFolder(t *testing.T) {
	t.Parallel()
	how := sandbox.Confinement{Program: bubblewrap(t), Frozen: append(gitNames(), ".claude/settings.json")}
	w, dir := open(t, map[string]string{".git/config": "old", ".git/HEAD": "h", ".git/worktrees/x/commondir": "../..",
		".claude/other": "o"})
	o := confined(t, w, how, `mv .git .git2 2>/dev/null && echo moved; mv .claude c2 2>/dev/null && echo moved; mv .git/worktrees/x .git/y 2>/dev/null && echo moved
		rm -rf .git/config .git/commondir .git/hooks .git/worktrees .claude 2>/dev/null
		for f in .git/config .git/commondir .git/hooks/pre-commit .git/worktrees/x/commondir .claude/settings.json; do
			mkdir -p $(dirname $f) 2>/dev/null; (echo pwned >$f) 2>/dev/null && echo "wrote $f"
		done; echo new >.git/HEAD; exit 0`)
	require.Empty(t, o.Stdout, o.Stderr)
	require.Equal(t, "old", get(t, dir, ".git/config"))
	require.Equal(t, "new\n", get(t, dir, ".git/HEAD"), "what is not frozen can be changed")
	require.Equal(t, "../..", get(t, dir, ".git/worktrees/x/commondir"))
	for _, name := range []string{".git/commondir", ".git/hooks", ".claude/settings.json"} {
		require.NoFileExists(t, filepath.Join(dir, name))
	}
}

func TestTheFolderOfAFrozenNameCannotBeMade(t *testing.T) {
	t.Parallel()
	how := sandbox.Confinement{Program: bubblewrap(t), Frozen: gitNames()}
	w, dir := open(t, nil)
	script := `mkdir -p .git/hooks 2>/dev/null && echo made; (echo pwned >.git/config) 2>/dev/null && echo wrote; rm -rf .git 2>/dev/null; (echo pwned >.git) 2>/dev/null && echo wrote; exit 0`
	require.Empty(t, confined(t, w, how, script).Stdout)
	require.NoDirExists(t, filepath.Join(dir, ".git"), "no placeholder is left")
	put(t, dir, map[string]string{".git": "gitdir: /elsewhere"})
	require.Empty(t, confined(t, w, how, script).Stdout)
	require.Equal(t, "gitdir: /elsewhere", get(t, dir, ".git"))
}

func TestALinkInThePlaceOfAFrozenNameCannotBeConfined(t *testing.T) {
	t.Parallel()
	how := sandbox.Confinement{Program: bubblewrap(t), Frozen: gitNames()}
	w, dir := open(t, map[string]string{"admin/config": "old"})
	require.NoError(t, os.Symlink("admin", filepath.Join(dir, ".git")))
	_, release, err := w.Confine(t.Context(), bash(":"), how)
	require.ErrorIs(t, err, sandbox.ErrNotConfined)
	require.Nil(t, release)
}

func TestGitWorksInsideThoughItsConfigurationIsFrozen(t *testing.T) {
	t.Parallel()
	how := sandbox.Confinement{Program: bubblewrap(t), Frozen: gitNames()}
	w, dir := open(t, map[string]string{"a.txt": "a"})
	out, err := exec.CommandContext(t.Context(), "git", "init", "-q", dir).CombinedOutput()
	require.NoError(t, err, string(out))
	o := confined(t, w, how,
		`export GIT_CONFIG_GLOBAL=/dev/null; git add a.txt && git -c user.name=a -c user.email=a@b commit -qm first && git branch other && git log --format=%s --all && git status --porcelain -uno`)
	require.Equal(t, "first\n", o.Stdout, o.Stderr)
	require.Equal(t, 0, o.Exit)
	require.NoFileExists(t, filepath.Join(dir, ".git/commondir"))
}

func TestPlaceholdersOfSeveralRunsGoWithTheLast(t *testing.T) {
	t.Parallel()
	how := sandbox.Confinement{Program: bubblewrap(t), Frozen: []string{"slop.toml"}}
	w, dir := open(t, nil)
	var wg sync.WaitGroup
	for range 6 {
		wg.Go(func() {
			for range 3 {
				o := confined(t, w, how,
					`for f in .env slop.toml .slop/x; do (echo pwned >$f) 2>/dev/null && echo wrote $f; rm -f $f 2>/dev/null; done; exit 0`)
				require.Empty(t, o.Stdout)
			}
		})
	}
	wg.Wait()
	left, err := os.ReadDir(dir)
	require.NoError(t, err)
	require.Empty(t, left)
	// One that a killed engine left is taken over and away.
	put(t, dir, map[string]string{".env": "# slop keeps this name free while a confined script runs; this file may be " +
		"deleted.\n"})
	require.Empty(t, confined(t, w, how, `(echo pwned >.env) 2>/dev/null && echo wrote; exit 0`).Stdout)
	require.NoFileExists(t, filepath.Join(dir, ".env"))
}

func TestWithoutTheNetworkNothingIsReached(t *testing.T) {
	t.Parallel()
	how := sandbox.Confinement{Program: bubblewrap(t)}
	w, _ := open(t, nil)
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer listener.Close()
	_, port, err := net.SplitHostPort(listener.Addr().String())
	require.NoError(t, err)
	script := `(exec 3<>/dev/tcp/127.0.0.1/` + port + `) 2>/dev/null && echo reached || echo cut off`
	require.Equal(t, "cut off\n", confined(t, w, how, script).Stdout)
	how.Network = true
	require.Equal(t, "reached\n", confined(t, w, how, script).Stdout)
}

func TestNothingOfAConfinedProgramIsLeftRunning(t *testing.T) {
	t.Parallel()
	how := sandbox.Confinement{Program: bubblewrap(t), Network: true}
	w, dir := open(t, nil)
	mark := fmt.Sprintf("98765.%d", os.Getpid()) // other runs of this test may be on the machine
	script := fmt.Sprintf(
		`env -i setsid sh -c 'exec sleep %[1]s' >/dev/null 2>&1 & setsid sh -c '(setsid sleep %[1]s >/dev/null 2>&1 &)'; echo up >up; `, mark)
	for _, end := range []string{"exit 0", "sleep 1000"} {
		c := bash(script + end)
		c.Dir, c.Timeout = dir, 2*time.Second
		c, release, err := w.Confine(t.Context(), c, how)
		require.NoError(t, err)
		o, err := sandbox.Run(t.Context(), c)
		release()
		require.NoError(t, err)
		require.Equal(t, end == "sleep 1000", o.TimedOut)
		out, _ := exec.CommandContext(t.Context(), "pgrep", "-f", "sleep "+regexp.QuoteMeta(mark)).Output()
		require.Empty(t, string(out))
	}
}

func TestAProgramThatCannotBeConfinedDoesNotRun(t *testing.T) {
	t.Parallel()
	w, dir := open(t, nil)
	broken := filepath.Join(t.TempDir(), "bwrap")
	require.NoError(t, os.WriteFile(broken, []byte("#!/bin/sh\necho 'bwrap: no namespaces here' >&2\nexit 1\n"), 0o755))
	for _, program := range []string{broken, "/none/bwrap", "/bin/false"} {
		c := bash("touch " + dir + "/ran")
		c.Dir = dir
		_, release, err := w.Confine(t.Context(), c, sandbox.Confinement{Program: program})
		require.ErrorIs(t, err, sandbox.ErrNotConfined, program)
		require.Nil(t, release)
	}
	left, err := os.ReadDir(dir)
	require.NoError(t, err)
	require.Empty(t, left, "no placeholder is left")
	var none *sandbox.Workspace
	_, _, err = none.Confine(t.Context(), bash(":"), sandbox.Confinement{})
	require.ErrorIs(t, err, sandbox.ErrDenied)
}
