package docs_test

import (
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestDecisionsAreTheSameWithAnotherEncoder runs the tests of everything that
// decides, and replays every history, as a Go does whose encoding/json is
// another one: its errors have other words, offsets and texts.
func TestDecisionsAreTheSameWithAnotherEncoder(t *testing.T) {
	t.Parallel()
	packages := []string{"./events/...", "./tiers", "./tiers/basis", "./tiers/conversation", "./tiers/fence",
		"./tiers/planning", "./tiers/tokens"}
	for _, decider := range deciders {
		packages = append(packages, "./"+decider)
	}
	for _, args := range [][]string{
		append([]string{"test", "-vet=off"}, packages...),
		{"test", "-vet=off", "-run", "^(TestRecordedHistoriesStillVerify|TestEveryHistoryOfEveryReleaseIsReplayed)$",
			"./replay"},
	} {
		cmd := exec.Command("go", args...)
		cmd.Dir, cmd.Env = "..", append(os.Environ(), "GOEXPERIMENT=jsonv2")
		said, err := cmd.CombinedOutput()
		if strings.Contains(string(said), "unknown GOEXPERIMENT") {
			t.Skip("this Go has no other encoding/json")
		}
		require.NoError(t, err, "%s", said)
	}
}
