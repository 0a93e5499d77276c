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
	p.Data = "/tmp/my data"
	text = afterDemo("/tmp/it's mine", "s1", p)
	require.Equal(t, 6, strings.Count(text, `--project '/tmp/it'\''s mine' --data '/tmp/my data' `), text)
	require.Contains(t, text, `ls '/tmp/it'\''s mine'/logs/sessions/*`)
}

func TestTheCommandsAtTheEndOfARunQuoteFolders(t *testing.T) {
	t.Parallel()
	g := &site.Flags{ProjectDir: "my project", DataDir: "/tmp/$d"}
	require.Equal(t, ` --project 'my project' --data '/tmp/$d'`, g.Where())
	require.Equal(t, " --project /tmp/a", (&site.Flags{ProjectDir: "/tmp/a"}).Where())
}
