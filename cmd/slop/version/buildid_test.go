package version

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestTheProgramKnowsItsBuild(t *testing.T) {
	t.Parallel()
	id, err := ID()
	require.NoError(t, err)
	require.Len(t, id, 32)
	path, err := os.Executable()
	require.NoError(t, err)
	require.NotEmpty(t, linkerID(path), "the whole program would be read at each start")
}

func TestAProgramWithoutALinkersIDIsKnownByItsBytes(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "program")
	require.NoError(t, os.WriteFile(path, []byte("MZ\xff Go build ID: \"\"\n \xff"), 0o755))
	require.Empty(t, linkerID(path))
	require.NoError(t, os.WriteFile(path,
		[]byte("MZ\xff Go build ID: \"0123456789012345678901234567890123456789\"\n \xff"), 0o755))
	require.Equal(t, "0123456789012345678901234567890123456789", string(linkerID(path)))
}
