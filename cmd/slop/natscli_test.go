package main

import (
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"manualslop/events"
)

// TestTheNatsCLIRunsTheLinesOfTheDocuments runs the lines of docs/attach.md as they are written there.
func TestTheNatsCLIRunsTheLinesOfTheDocuments(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("nats"); err != nil {
		t.Skip("the nats CLI is not on PATH; bus/natscontext_test.go tries the same with its client library")
	}
	page, err := os.ReadFile("../../docs/attach.md")
	require.NoError(t, err)
	block := regexp.MustCompile("(?s)```\n(slop keys context .*?)```").FindSubmatch(page)
	require.NotNil(t, block)
	a := ask(t)
	first := raised(t, a.log, 1)
	a.env = append(a.env, "PROJECT=project", "PERSON="+person, "SESSION="+first.Session, "ASK="+first.Corr)
	ran := 0
	for _, line := range strings.Split(strings.TrimSpace(string(block[1])), "\n") {
		ran++
		if strings.Contains(line, " sub ") {
			follow := *a.site
			follow.program = "sh"
			live := follow.start("-c", "exec "+line)
			live.warns("Subscribing on")
			a.ok("ask", "answer", raised(t, a.log, 2).Corr, "yes")
			live.sees("AskAnswered")
			continue
		}
		cmd := exec.Command("sh", "-c", line)
		cmd.Dir, cmd.Env = a.dir, a.env
		out, err := cmd.CombinedOutput()
		require.NoError(t, err, "%s\n%s", line, out)
	}
	require.Equal(t, 5, ran)
	_, settled := fact(t, a.log, 1, anyOf[events.AskSettled])
	require.Equal(t, first.Corr, settled.Ask)
	require.Equal(t, events.Yes, settled.Outcome)
	require.Zero(t, a.run.wait())
	require.Equal(t, "ONE\n", a.read("a.txt"))
}
