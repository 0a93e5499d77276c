package app

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// update rewrites goldens and generated pages; every test of this package shares it.
var update = flag.Bool("update", false, "rewrite generated pages and goldens")

func TestConfigPageIsUpToDate(t *testing.T) {
	t.Parallel()
	page := filepath.Join("..", "..", "..", "docs", "config.md")
	if *update {
		require.NoError(t, os.WriteFile(page, []byte(ConfigPage()), 0o644))
	}
	have, err := os.ReadFile(page)
	require.NoError(t, err)
	require.True(t, ConfigPage() == string(have), "docs/config.md is stale; run make generate")
}

func TestConfigPageHasEveryKeyAndNoHalfRow(t *testing.T) {
	t.Parallel()
	for _, key := range configTestSchema().leaves() {
		require.Contains(t, ConfigPage(), "| `"+pageKey(key)+"` |")
	}
	for line := range strings.Lines(ConfigPage()) {
		if strings.HasPrefix(line, "|") {
			require.Contains(t, []int{3, 5}, strings.Count(strings.ReplaceAll(line, `\|`, ""), "|")-1, line)
		}
	}
}
