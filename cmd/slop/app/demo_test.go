package app

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"manualslop/cmd/slop/site"
)

func TestCommandsAfterTheDemoNameADataFolderOfItsOwn(t *testing.T) {
	t.Parallel()
	p := site.Place{Project: "/tmp/sample", Data: "/tmp/sample/.slop", Person: "ada", Name: "sample"}
	require.NotContains(t, afterDemo("/tmp/sample", "s1", p), "--data")
	p.Data = "/tmp/d"
	text := afterDemo("/tmp/sample", "s1", p)
	require.Equal(t, 6, strings.Count(text, "--project /tmp/sample --data /tmp/d "), text)
	require.Contains(t, text, "ls /tmp/sample/logs/sessions/*")
}
