package docs_test

import (
	"bytes"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// heads are the first bytes of programs: ELF, Mach-O of either word size and
// order, a Mach-O of several processors, and PE.
var heads = []string{
	"\x7fELF", "\xfe\xed\xfa\xce", "\xfe\xed\xfa\xcf", "\xce\xfa\xed\xfe", "\xcf\xfa\xed\xfe", "\xca\xfe\xba\xbe", "MZ",
}

// unfit says why a file is not for the repository; empty: it is.
func unfit(size int64, head []byte) string {
	if size > 1<<20 {
		return "over 1 MiB"
	}
	for _, h := range heads {
		if bytes.HasPrefix(head, []byte(h)) {
			return "a compiled program"
		}
	}
	return ""
}

func TestNoTrackedFileIsLargeOrCompiled(t *testing.T) {
	t.Parallel()
	list, err := exec.Command("git", "-C", "..", "ls-files", "-z", "--cached").Output()
	if err != nil {
		t.Skip("these sources are no git repository:", err)
	}
	names := strings.Split(strings.TrimSuffix(string(list), "\x00"), "\x00")
	require.Greater(t, len(names), 500)
	for _, name := range names {
		f, err := os.Open(filepath.Join("..", name))
		if os.IsNotExist(err) {
			continue // deleted and not committed yet
		}
		require.NoError(t, err)
		info, err := f.Stat()
		require.NoError(t, err)
		head := make([]byte, 4)
		_, err = io.ReadFull(f, head)
		if err != io.EOF && err != io.ErrUnexpectedEOF {
			require.NoError(t, err)
		}
		require.NoError(t, f.Close())
		require.Empty(t, unfit(info.Size(), head), name)
	}
}

func TestLargeAndCompiledFilesAreUnfit(t *testing.T) {
	t.Parallel()
	require.Empty(t, unfit(1<<20, []byte("pack")))
	require.NotEmpty(t, unfit(1<<20+1, []byte("pack")))
	for _, head := range heads {
		require.NotEmpty(t, unfit(10, []byte(head+"rest")), head)
	}
}
