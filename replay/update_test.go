package replay_test

import (
	"flag"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// update rewrites the generated page and writes the frozen histories that are missing.
var update = flag.Bool("update", false, "rewrite docs/replay.md; write missing histories")

// frozen is the content of a file that is written once and never changed: under
// -update a missing one is made.
func frozen(t *testing.T, path string, content func() []byte) []byte {
	t.Helper()
	b, err := os.ReadFile(path)
	if os.IsNotExist(err) && *update {
		b = content()
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
		require.NoError(t, os.WriteFile(path, b, 0o644))
		return b
	}
	require.NoError(t, err, "run make generate and commit the new file")
	return b
}
