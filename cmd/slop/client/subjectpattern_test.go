package client

import (
	"testing"

	"github.com/stretchr/testify/require"

	"manualslop/cmd/slop/exit"
)

func TestAFilterSelectsBySubject(t *testing.T) {
	t.Parallel()
	const subject = "slop.ev.p1.s1.approval.AskRaised.tool"
	for filter, want := range map[string]bool{
		"approval.>": true, "*.AskRaised.*": true, "*.AskRaised.tool": true, subject: true, "slop.ev.p1.>": true,
		"slop.ev.>": true, ">": true,
		"approval.*": false, "*.AskRaised": false, "conductor.>": false, "*.AskRaised.step": false, "slop.ev.p2.>": false,
		subject + ".>": false,
	} {
		parsed, err := ParsePatterns([]string{filter})
		require.NoError(t, err, filter)
		require.Equal(t, want, parsed[0].match(subject), filter)
	}
}

func TestWhatIsNoSubjectIsWrongUsage(t *testing.T) {
	t.Parallel()
	for _, filter := range []string{"", "a b", "a..b", ">.a", "approval.>.x", "ap*", "a.b\n"} {
		_, err := ParsePatterns([]string{filter})
		var ended *exit.Error
		require.ErrorAs(t, err, &ended, filter)
		require.Equal(t, exit.Usage, ended.Code)
	}
}
