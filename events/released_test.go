package events_test

import (
	"bufio"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"manualslop/events"
)

// The bodies of events that a release can have written are listed with their
// digests in released/VERSION.sum. A release adds a list, made with
// "cd events/testdata && sha256sum */v*.json"; no line of one ever changes.
func TestBodiesOfReleasesNeverChange(t *testing.T) {
	t.Parallel()
	lists, err := filepath.Glob("released/*.sum")
	require.NoError(t, err)
	require.NotEmpty(t, lists)
	for _, list := range lists {
		text, err := os.ReadFile(list)
		require.NoError(t, err)
		lines := bufio.NewScanner(strings.NewReader(string(text)))
		seen := 0
		for lines.Scan() {
			digest, name, found := strings.Cut(lines.Text(), "  ")
			require.True(t, found, "%s: %q", list, lines.Text())
			body, err := os.ReadFile(filepath.Join("testdata", filepath.FromSlash(name)))
			require.NoError(t, err, "%s: a body of a release is gone", list)
			require.Equal(t, digest, events.Digest(body), "%s: %s was released and may not change: add a version", list, name)
			seen++
		}
		require.Greater(t, seen, 80, list)
	}
}
