package checkpoint

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"manualslop/tools/sandbox"
)

// site is a workspace with a keeper.
type site struct {
	t         *testing.T
	dir       string
	kept      string
	workspace *sandbox.Workspace
	store     *Store
	keeper    *Keeper
}

func newSite(t *testing.T) *site {
	t.Helper()
	s := &site{t: t, dir: t.TempDir(), kept: filepath.Join(t.TempDir(), "kept")}
	var err error
	s.store, err = Open(s.kept, time.Now)
	require.NoError(t, err)
	s.keeper, s.workspace = s.store.Keeper(), s.open(s.dir)
	return s
}

func (s *site) open(dir string) *sandbox.Workspace {
	w, err := sandbox.Open(sandbox.Config{Primary: dir, MaxFileBytes: 1000})
	require.NoError(s.t, err)
	return w
}

func (s *site) write(name, text string) {
	path := filepath.Join(s.dir, name)
	require.NoError(s.t, os.MkdirAll(filepath.Dir(path), 0o755))
	require.NoError(s.t, os.WriteFile(path, []byte(text), 0o644))
	require.NoError(s.t, os.Chmod(path, 0o644), "whatever the umask is")
}

func (s *site) remove(name string) { require.NoError(s.t, os.Remove(filepath.Join(s.dir, name))) }

func (s *site) take() *State {
	state, err := s.keeper.Take(s.t.Context(), s.workspace)
	require.NoError(s.t, err)
	return state
}

func (s *site) contents() int {
	entries, err := os.ReadDir(s.kept)
	require.NoError(s.t, err)
	return len(entries)
}

func digest(text string) string { return sandbox.Digest([]byte(text)) }

func TestWhatDiffersIsWhatAScriptChanged(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.write("changed.go", "one")
	s.write("gone/deep.go", "deep")
	s.write("same.go", "same")
	s.write(".gitignore", "build/\n")
	s.write("build/out", "x")
	s.write(".env", "KEY=1")
	s.write(".git/config", "[core]")
	before := s.take()
	require.True(t, before.Whole)
	s.write("changed.go", "two") // the same size, and maybe the same time
	s.remove("gone/deep.go")
	s.write("new.go", "new")
	s.write("build/out", "y")
	s.write(".env", "KEY=2")
	s.write(".git/config", "[user]")
	changes, unseen, _ := Compare(before, s.take())
	require.False(t, unseen)
	require.Equal(t, []Change{
		{Path: "changed.go", Before: digest("one"), After: digest("two"), Size: 3, BeforeMode: 0o644, AfterMode: 0o644},
		{Path: "gone/deep.go", Before: digest("deep"), BeforeMode: 0o644},
		{Path: "new.go", After: digest("new"), Size: 3, AfterMode: 0o644},
	}, changes)
	old, err := before.Content(digest("deep"))
	require.NoError(t, err)
	require.Equal(t, "deep", string(old))
}

func TestAFileThatDidNotChangeIsNotReadAgain(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.write("a", "one")
	old := time.Now().Add(-time.Hour)
	require.NoError(t, os.Chtimes(filepath.Join(s.dir, "a"), old, old))
	s.store.clock = func() time.Time { return time.Now().Add(time.Hour) } // when it is no longer young
	first := s.take()
	read := first.files["a"].seen
	second := s.take()
	require.Equal(t, read, second.files["a"].seen)
	s.write("a", "one")
	require.NotEqual(t, read, s.take().files["a"].seen, "nor is it taken on trust when it was written")
	changes, unseen, _ := Compare(first, second)
	require.Empty(t, changes)
	require.False(t, unseen)
}

// TestAScriptThatGivesFilesTheirTimeBackHidesNothing: cp -p, touch -r, mv and unpackers do.
func TestAScriptThatGivesFilesTheirTimeBackHidesNothing(t *testing.T) {
	t.Parallel()
	if runtime.GOOS != "linux" && runtime.GOOS != "darwin" {
		t.Skip("the system's own time of a change is not asked for here")
	}
	s := newSite(t)
	old := time.Now().Add(-time.Hour)
	for name, text := range map[string]string{"a": "one", "b": "two", "c": "six"} {
		s.write(name, text)
		require.NoError(t, os.Chtimes(filepath.Join(s.dir, name), old, old))
	}
	s.store.clock = func() time.Time { return time.Now().Add(time.Hour) } // when they are no longer young
	before := s.take()
	path := func(name string) string { return filepath.Join(s.dir, name) }
	require.NoError(t, os.Rename(path("b"), path("a"))) // of the same size and time
	s.write("c", "ten")
	require.NoError(t, os.Chtimes(path("c"), old, old))
	changes, unseen, _ := Compare(before, s.take())
	require.False(t, unseen)
	require.Equal(t, []Change{
		{Path: "a", Before: digest("one"), After: digest("two"), Size: 3, BeforeMode: 0o644, AfterMode: 0o644},
		{Path: "b", Before: digest("two"), BeforeMode: 0o644},
		{Path: "c", Before: digest("six"), After: digest("ten"), Size: 3, BeforeMode: 0o644, AfterMode: 0o644},
	}, changes)
}

func TestContentsAreKeptAsLongAsAStateNeedsThem(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.write("a", "one")
	first := s.take()
	s.write("a", "two")
	second := s.take()
	require.Equal(t, 2, s.contents())
	_, err := first.Content(digest("one"))
	require.NoError(t, err)
	first.Release()
	require.Equal(t, 1, s.contents())
	second.Release()
	require.Equal(t, 1, s.contents(), "the last one seen stays for the next comparison")
}

func TestAChangeThatCannotBeKeptIsSaid(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.write("large", string(make([]byte, 1001)))
	before := s.take()
	require.True(t, before.Whole)
	s.write("small", "x")
	changes, unseen, _ := Compare(before, s.take())
	require.Len(t, changes, 1)
	require.False(t, unseen, "the large file did not change")
	s.write("large", string(make([]byte, 1002)))
	_, unseen, _ = Compare(before, s.take())
	require.True(t, unseen)
}

func TestAStateBeyondItsBoundsIsNotWhole(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.store.maxFiles, s.store.maxBytes = 2, 10
	s.write("a", "12345")
	s.write("b", "12345")
	require.True(t, s.take().Whole)
	s.write("b", "123456")
	require.False(t, s.take().Whole, "one byte over")
	s.write("b", string(make([]byte, 1001)))
	require.True(t, s.take().Whole, "a file that cannot be kept takes no room")
	s.write("b", "1")
	s.write("c", "1")
	state := s.take()
	require.False(t, state.Whole, "one file over")
	_, unseen, _ := Compare(state, state)
	require.True(t, unseen)
}

func TestADamagedContentIsNotGivenOut(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.write("a", "one")
	state := s.take()
	require.NoError(t, os.WriteFile(filepath.Join(s.kept, digest("one")), []byte("other"), 0o600))
	_, err := state.Content(digest("one"))
	require.Error(t, err)
}

func TestWhatIgnoreFilesShowOrHideIsNotTakenForNewOrGone(t *testing.T) {
	t.Parallel()
	for name, script := range map[string]func(s *site){
		"the file that hides it is gone":  func(s *site) { s.remove(".gitignore") },
		"its rule is gone":                func(s *site) { s.write(".gitignore", "other\n") },
		"a file that hides itself":        func(s *site) { s.remove("venv/.gitignore") },
		"a new rule hides what was known": func(s *site) { s.write(".gitignore", "data\na.go\n"); s.write("a.go", "two") },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newSite(t)
			s.write("a.go", "one")
			s.write(".gitignore", "data\n")
			s.write("data/mine", "mine")
			s.write("venv/.gitignore", "*\n")
			s.write("venv/lib", "lib")
			before := s.take()
			script(s)
			changes, unseen, _ := Compare(before, s.take())
			require.True(t, unseen)
			for _, c := range changes {
				require.Equal(t, ".gitignore", c.Path, "an undo would remove or refuse what was there")
			}
		})
	}
}

func TestAChangedLinkIsSaid(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.write("a", "one")
	require.NoError(t, os.Symlink("a", filepath.Join(s.dir, "link")))
	before := s.take()
	s.write("b", "new")
	changes, unseen, _ := Compare(before, s.take())
	require.Len(t, changes, 1)
	require.False(t, unseen)
	s.remove("link")
	_, unseen, _ = Compare(before, s.take())
	require.True(t, unseen)
	require.NoError(t, os.Symlink("b", filepath.Join(s.dir, "link")))
	_, unseen, _ = Compare(before, s.take())
	require.True(t, unseen)
}

func TestFoldersThatAreTooDeepAreSaid(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	deep := strings.Repeat("d/", sandbox.DefaultWalkDepth-1)
	s.write(deep+"a", "one")
	require.True(t, s.take().Whole)
	s.write(deep+"d/a", "one")
	require.False(t, s.take().Whole)
}

func TestAFullDiskLeavesNothingBehind(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.write("a", "one")
	s.write("b", "two")
	inTheWay := filepath.Join(s.kept, digest("two")+".new")
	require.NoError(t, os.MkdirAll(filepath.Join(inTheWay, "x"), 0o700))
	_, err := s.keeper.Take(t.Context(), s.workspace)
	require.Error(t, err)
	require.Zero(t, s.contents())
	state := s.take()
	content, err := state.Content(digest("two"))
	require.NoError(t, err)
	require.Equal(t, "two", string(content))
}

func TestKeepersOfSeveralWorkspacesShareWhatIsTheSame(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.write("a", "one")
	first := s.take()
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "b"), []byte("one"), 0o644))
	other := s.store.Keeper()
	second, err := other.Take(t.Context(), s.open(dir))
	require.NoError(t, err)
	require.Equal(t, 1, s.contents())
	first.Release()
	s.keeper.Forget()
	other.Forget()
	content, err := second.Content(digest("one"))
	require.NoError(t, err, "a state outlives what its keeper forgets")
	require.Equal(t, "one", string(content))
	second.Release()
	require.Zero(t, s.contents())
	changes, _, _ := Compare(s.take(), s.take())
	require.Empty(t, changes, "a keeper that forgot looks again")
}

func TestAChangeSaysTheModesOfItsFile(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.write("gone.sh", "g")
	s.write("swapped.sh", "s")
	s.write("mode.sh", "m")
	old := time.Now().Add(-time.Hour)
	require.NoError(t, os.Chtimes(filepath.Join(s.dir, "gone.sh"), old, old))
	s.take()
	for _, name := range []string{"gone.sh", "swapped.sh", "mode.sh"} { // which changes no time
		require.NoError(t, os.Chmod(filepath.Join(s.dir, name), 0o755))
	}
	before := s.take()
	s.remove("gone.sh")
	s.remove("swapped.sh")
	s.write("swapped.sh", "t")
	require.NoError(t, os.Chmod(filepath.Join(s.dir, "mode.sh"), 0o644))
	changes, unseen, _ := Compare(before, s.take())
	require.False(t, unseen)
	require.Equal(t, []Change{
		{Path: "gone.sh", Before: digest("g"), BeforeMode: 0o755},
		{Path: "swapped.sh", Before: digest("s"), After: digest("t"), Size: 1, BeforeMode: 0o755, AfterMode: 0o644},
	}, changes, "a mode alone is no change")
}

func TestLinksThatChangedAreNamed(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.write("a", "one")
	link := func(to, name string) { require.NoError(t, os.Symlink(to, filepath.Join(s.dir, name))) }
	for _, name := range []string{"same", "gone", "led", "file"} {
		link("a", name)
	}
	before := s.take()
	for _, name := range []string{"gone", "led", "file"} {
		s.remove(name)
	}
	link("same", "led")
	link("a", "made")
	s.write("file", "now one")
	s.write("large", string(make([]byte, 1001)))
	changes, unseen, unkept := Compare(before, s.take())
	require.Empty(t, changes)
	require.True(t, unseen)
	require.Equal(t, []string{"file", "gone", "large", "led", "made"}, unkept)
}
