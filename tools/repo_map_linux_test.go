package tools_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"manualslop/tools/repomap"
	"manualslop/tools/sandbox"
)

// openings tells which files of a folder were opened since it was last called.
func openings(t *testing.T, dir string) func() []string {
	t.Helper()
	fd, err := unix.InotifyInit1(unix.IN_NONBLOCK | unix.IN_CLOEXEC)
	require.NoError(t, err)
	t.Cleanup(func() { unix.Close(fd) })
	_, err = unix.InotifyAddWatch(fd, dir, unix.IN_OPEN)
	require.NoError(t, err)
	return func() []string {
		var names []string
		buffer := make([]byte, 64<<10)
		for {
			n, err := unix.Read(fd, buffer)
			if errors.Is(err, unix.EAGAIN) {
				return names
			}
			require.NoError(t, err)
			for at := 0; at < n; {
				event := (*unix.InotifyEvent)(unsafe.Pointer(&buffer[at]))
				at += unix.SizeofInotifyEvent
				if event.Mask&unix.IN_ISDIR == 0 {
					names = append(names, strings.TrimRight(string(buffer[at:at+int(event.Len)]), "\x00"))
				}
				at += int(event.Len)
			}
		}
	}
}

func TestASecondMapReadsOnlyWhatChanged(t *testing.T) {
	t.Parallel()
	env, dir := setup(t, map[string]string{"a.go": "package a\n\nfunc First() {}\n", "b.py": "def helper(): First()\n",
		"c.js": "\x00\x01", "d.rs": ""})
	since := openings(t, dir)
	var cache repomap.Cache
	first := repoMap(t, env, &cache)
	require.Contains(t, first, "\"a.go\": First 1\n")
	require.Subset(t, since(), []string{"a.go", "b.py", "c.js", "d.rs"})
	require.Equal(t, first, repoMap(t, env, &cache))
	require.Empty(t, since())

	// A change that hides behind its size and time: the system's own clock shows it.
	path := filepath.Join(dir, "b.py")
	before, err := env.Workspace.Stat("b.py")
	require.NoError(t, err)
	for now := before; now.Changed.Equal(before.Changed); now = stat(t, env.Workspace, "b.py") {
		require.NoError(t, os.WriteFile(path, []byte("def helpme(): First()\n"), 0o600))
		require.NoError(t, os.Chtimes(path, before.Modified, before.Modified))
	}
	require.Equal(t, before.Modified, stat(t, env.Workspace, "b.py").Modified)
	since()
	require.Contains(t, repoMap(t, env, &cache), "\"b.py\": helpme\n")
	require.Subset(t, []string{"b.py"}, since(), "the others are kept")

	require.NoError(t, os.Remove(path))
	require.Contains(t, repoMap(t, env, &cache), "\"a.go\": First\n", "a file that is gone mentions nothing")
	require.Empty(t, since())
}

func stat(t *testing.T, w *sandbox.Workspace, name string) sandbox.Entry {
	t.Helper()
	e, err := w.Stat(name)
	require.NoError(t, err)
	return e
}
