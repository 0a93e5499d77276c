package bus_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"manualslop/bus"
	"manualslop/events"
)

func TestTheSocketLetsHoldersOfTokensIn(t *testing.T) {
	t.Parallel()
	data := t.TempDir()
	stale := filepath.Join(data, bus.SocketName)
	require.NoError(t, os.WriteFile(stale, nil, 0o600))
	s, err := bus.Open(t.Context(), bus.Config{Dir: data, Durability: bus.Relaxed, MaxBytes: 1 << 30})
	require.NoError(t, err)
	require.Empty(t, s.URL())
	path, err := s.ListenSocket(t.Context())
	require.NoError(t, err)
	info, err := os.Stat(path)
	require.NoError(t, err)
	require.Zero(t, info.Mode().Perm()&0o077)

	keys := filepath.Join(data, "mcp")
	require.NoError(t, s.WriteKeys(keys, bus.MCPKeys))
	files, err := os.ReadDir(keys)
	require.NoError(t, err)
	require.Len(t, files, 1)
	creds := filepath.Join(keys, bus.MCPKeys)
	c := dial(t, bus.DialConfig{Socket: path, Creds: creds, Role: reader})
	_, err = c.Last(t.Context(), events.Filter{})
	require.NoError(t, err)
	_, err = bus.Dial(t.Context(), bus.DialConfig{Socket: path, Creds: creds, Role: ada})
	require.ErrorIs(t, err, bus.ErrRole)
	_, err = bus.Dial(t.Context(), bus.DialConfig{Socket: path, Role: reader})
	require.ErrorContains(t, err, "Authorization")

	require.NoError(t, s.Close()) // with a connection open
	require.NoFileExists(t, path)
}

func TestAFolderWhosePathIsTooLongHasNoSocket(t *testing.T) {
	t.Parallel()
	data := filepath.Join(t.TempDir(), strings.Repeat("d", 120))
	s, err := bus.Open(t.Context(), bus.Config{Dir: data, Durability: bus.Relaxed, MaxBytes: 1 << 30})
	require.NoError(t, err)
	_, err = s.ListenSocket(t.Context())
	require.ErrorContains(t, err, "socket:")
	require.NoError(t, s.Close())
}
