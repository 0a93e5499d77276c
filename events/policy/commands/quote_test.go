package commands_test

import (
	"os/exec"
	"testing"

	"github.com/stretchr/testify/require"

	"manualslop/events/policy/commands"
)

func TestAShellReadsAQuotedWordAsOneWord(t *testing.T) {
	t.Parallel()
	require.Equal(t, "/home/a-b_c/x.go", commands.Quote("/home/a-b_c/x.go"))
	for _, word := range []string{"", "a b", "it's", "$HOME", "`id`", "~", "a*b", "a;b", `a\b`, `"`, "a\nb", "#a", "ä", "a=b", "!x",
		"(a)", "a&b", "-n"} {
		out, err := exec.CommandContext(t.Context(), "sh", "-c", "printf '%s|' "+commands.Quote(word)+" end").Output()
		require.NoError(t, err)
		require.Equal(t, word+"|end|", string(out))
	}
}
