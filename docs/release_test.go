package docs_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"manualslop/cmd/slop/version"
)

func TestTheVersionHasASectionAndWhatItFroze(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile(filepath.Join(root, "CHANGELOG.md"))
	require.NoError(t, err)
	if _, developed := strings.CutSuffix(version.Number, "-dev"); developed {
		require.Contains(t, string(text), "\n## [Unreleased]\n")
		return
	}
	require.Contains(t, string(text), "\n## ["+version.Number+"] - ")
	for _, frozen := range []string{"replay/testdata/histories/v" + version.Number,
		"events/released/v" + version.Number + ".sum"} {
		_, err := os.Stat(filepath.Join(root, frozen))
		require.NoError(t, err)
	}
}
