package config

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// Update rewrites the page.
var update = flag.Bool("update", false, "rewrite the generated page")

func TestConfigPageIsUpToDate(t *testing.T) {
	t.Parallel()
	page := filepath.Join("..", "..", "..", "docs", "config.md")
	if *update {
		require.NoError(t, os.WriteFile(page, []byte(Page()), 0o644))
	}
	have, err := os.ReadFile(page)
	require.NoError(t, err)
	require.True(t, Page() == string(have), "docs/config.md is stale; run make generate")
}

func TestConfigPageHasEveryKeyAndNoHalfRow(t *testing.T) {
	t.Parallel()
	for _, key := range testSchema().leaves() {
		require.Contains(t, Page(), "| `"+pageKey(key)+"` |")
	}
	for line := range strings.Lines(Page()) {
		if strings.HasPrefix(line, "|") {
			require.Contains(t, []int{3, 5}, strings.Count(strings.ReplaceAll(line, `\|`, ""), "|")-1, line)
		}
	}
}
