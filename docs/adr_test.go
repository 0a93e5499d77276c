package docs_test

import (
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestEveryDecisionHasADateAStatusAndALineInTheIndex(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("adr/[0-9]*.md")
	require.NoError(t, err)
	require.Greater(t, len(files), 50)
	index, err := os.ReadFile("adr/README.md")
	require.NoError(t, err)
	head := regexp.MustCompile(`^# (\d+)\. (.+)\n\nDate: \d{4}-\d\d-\d\d\. Status: \w`)
	for _, file := range files {
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		found := head.FindStringSubmatch(string(text))
		require.NotNil(t, found, "%s must begin with its number and decision, then date and status", file)
		require.Contains(t, string(index), "| "+found[1]+" | ["+found[2]+"]("+filepath.Base(file)+") |", file)
	}
}
