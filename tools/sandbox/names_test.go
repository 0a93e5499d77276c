package sandbox

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestWindowsSpellingsAreRefusedOnWindows(t *testing.T) {
	t.Parallel()
	for _, path := range []string{
		"a.txt:stream", "a.txt::$DATA", "dir./a", "a.txt.", "a ", "PROGRA~1/x", "con", "CON.txt", "sub/NUL", "com1",
		"LPT9.log",
		"COM¹", "aux.c", "conin$", "C:x", "C:", "//host/x", `\\.\C:`, `C:\a\b:c`,
	} {
		require.NotEmpty(t, formProblem(path, "windows"), path)
	}
	for _, path := range []string{"a.txt", "com", "com10", "console", `C:\work\a.txt`, "c:/work/a.txt", "../a", "./a",
		"a~b"} {
		require.Empty(t, formProblem(path, "windows"), path)
	}
}

func TestOtherSystemsKnowNoDrives(t *testing.T) {
	t.Parallel()
	for _, path := range []string{"C:x", "C:/x", `c:\x`, "//host", `\\host`} {
		require.NotEmpty(t, formProblem(path, "linux"), path)
	}
	for _, path := range []string{"aux.c", "ab:c", "dir./a", "a~1"} {
		require.Empty(t, formProblem(path, "linux"), path)
	}
}

func FuzzFormAndBlacklistNeverPanic(f *testing.F) {
	for _, seed := range []string{"a/b", `C:\x`, ".env", "..", "\u202e", "a:b", "~1"} {
		f.Add(seed)
	}
	names, err := newBlacklist([]string{"x/y"})
	require.NoError(f, err)
	f.Fuzz(func(t *testing.T, path string) {
		_ = formProblem(path, "windows")
		_ = formProblem(path, "linux")
		_ = visible(path)
		base := foldBase("/base")
		if names.hit(base, path) != names.hit(base, fold(path)) {
			t.Fatalf("the case of %q matters", path)
		}
	})
}

func TestGitignoreRules(t *testing.T) {
	t.Parallel()
	rules := &ignoreRules{dir: ".",
		rules: parseIgnore("# comment\n*.log\n!keep.log\n/build/\nnode_modules/\ndoc/*.txt\na/**\n\\#x\nf{1}\nend \n")}
	for path, dir := range map[string]bool{
		"x.log": false, "deep/x.log": false, "build": true, "node_modules": true, "p/node_modules": true, "doc/a.txt": false,
		"a/b": false, "a/b/c": false, "#x": false, "f{1}": false, "end": false,
	} {
		require.True(t, rules.ignores(path, dir), path)
	}
	for path, dir := range map[string]bool{
		"keep.log": false, "sub/build": true, "build": false, "node_modules": false, "doc/s/a.txt": false, "a": true,
		"comment": false, "f1": false,
	} {
		require.False(t, rules.ignores(path, dir), path)
	}
	nested := &ignoreRules{dir: "sub", rules: parseIgnore("!x.log\nonly\n"), up: rules}
	require.False(t, nested.ignores("sub/x.log", false), "the nearest file decides")
	require.True(t, nested.ignores("sub/only", false))
	require.True(t, nested.ignores("sub/y.log", false))
}

func TestTheRingKeepsBothEndsAndValidText(t *testing.T) {
	t.Parallel()
	whole := newRing(8, 10)
	_, _ = whole.Write([]byte("1234"))
	_, _ = whole.Write([]byte("5678"))
	text, dropped := whole.text()
	require.Equal(t, "12345678", text)
	require.Zero(t, dropped)

	over := newRing(8, 10)
	for _, part := range []string{"1", "234", "5678", "9", "abcdefgh"} {
		_, _ = over.Write([]byte(part))
	}
	text, dropped = over.text()
	require.Equal(t, "1234\n… 9 bytes of output not shown …\nefgh", text)
	require.EqualValues(t, 9, dropped)
	stream, all := over.beginning()
	require.Equal(t, "123456789a", string(stream))
	require.False(t, all)
	stream, all = whole.beginning()
	require.Equal(t, "12345678", string(stream))
	require.True(t, all)

	cut := newRing(8, 10)
	_, _ = cut.Write([]byte("123ééé678"))
	text, dropped = cut.text()
	require.Equal(t, "123\n… 6 bytes of output not shown …\n678", text)
	require.EqualValues(t, 6, dropped)
}
