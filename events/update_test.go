package events_test

import (
	"flag"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// update rewrites generated pages and writes the frozen bodies and schemas that are missing.
var update = flag.Bool("update", false, "rewrite generated pages; write missing frozen bodies and schemas")

// requireGenerated fails when the file does not hold want; under -update it writes it.
func requireGenerated(t *testing.T, path string, want []byte) {
	t.Helper()
	if *update {
		require.NoError(t, os.WriteFile(path, want, 0o644))
		return
	}
	got, err := os.ReadFile(path)
	require.NoError(t, err, "run make generate")
	require.Equal(t, string(want), string(got), "%s is stale: run make generate", path)
}

// requireFrozen returns the bytes of a file that is written once and never changed: under
// -update a missing one is made from want.
func requireFrozen(t *testing.T, path string, want []byte) []byte {
	t.Helper()
	got, err := os.ReadFile(path)
	if os.IsNotExist(err) && *update {
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
		require.NoError(t, os.WriteFile(path, want, 0o644))
		return want
	}
	require.NoError(t, err, "run make generate and commit the new file")
	return got
}
