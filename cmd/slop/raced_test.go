package main

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// raced are the tests whose processes the race detector watches in make test:
// what the program does at once and in which parts. It makes a process start
// ten times as slow, so that the others run without it, which finds more: they
// are about orders, ends and kills, and meet those of a program as it is. What
// a process is made of, the packages' own tests try under the detector.
func raced() []string {
	return []string{
		"TestEveryMethodOfTheClientWorksOnARealEngine",
		"TestATeamIsDrivenThroughTheGUIFromEpicToEndAndAgainAfterAReset",
		"TestGenerateGoesOnOverARestartAndStandsUpToReplay",
		"TestAKillWhileAModelAnswersLeadsToTheSameEnd",
		"TestAGatewayOutlivesTheBusProcessAndRefusesAnotherStore",
		"TestWaitingAsksAreEachReleasedWithTheirAnswer",
		"TestReadersOfTheStreamMissNothing",
		"TestScripts/isolation", "TestScripts/review", "TestScripts/search", "TestScripts/tool_batch_many",
		"TestScripts/undo",
	}
}

// watched skips a test whose processes the race detector does not watch, where
// it would. SLOP_LOAD=full has it watch them all.
func watched(tb testing.TB) {
	tb.Helper()
	if !raceDetector() || os.Getenv("SLOP_LOAD") == "full" {
		return
	}
	if !slices.ContainsFunc(raced(), func(name string) bool {
		return tb.Name() == name || strings.HasPrefix(tb.Name(),
			name+"/")
	}) {
		tb.Skip("make test runs it without the race detector; SLOP_LOAD=full with it")
	}
}

// raceDetector tells whether this program, which the processes run too, was
// built with the race detector.
func raceDetector() bool {
	info, ok := debug.ReadBuildInfo()
	return ok && slices.Contains(info.Settings, debug.BuildSetting{Key: "-race", Value: "true"})
}

// racesFail runs tests, and fails if the race detector found something in a
// process that they started: those are not looked at when they were killed.
// Nor do they wait for a second at their end, as the detector has them do.
type racesFail struct{ *testing.M }

// Run runs the tests.
func (r racesFail) Run() int {
	dir, err := os.MkdirTemp("", "slop-races")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(dir)
	if err := os.Setenv("GORACE", "atexit_sleep_ms=0 log_path="+filepath.Join(dir, "race")); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	code := r.M.Run()
	found, err := filepath.Glob(filepath.Join(dir, "*"))
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	for _, file := range found {
		code = 1
		report, err := os.ReadFile(file)
		if err != nil {
			report = []byte(err.Error())
		}
		fmt.Fprintf(os.Stderr, "%s\n", report)
	}
	return code
}

func TestWhatTheRaceDetectorWatchesIsThere(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("*_test.go")
	require.NoError(t, err)
	var source strings.Builder
	for _, file := range files {
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		source.Write(text)
	}
	for _, name := range raced() {
		if script, ok := strings.CutPrefix(name, "TestScripts/"); ok {
			require.FileExists(t, filepath.Join("testdata", "script", script+".txtar"))
		} else {
			require.Contains(t, source.String(), "func "+name+"(")
		}
	}
}
