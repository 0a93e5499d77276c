package tools_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"manualslop/tools"
	"manualslop/tools/builtin"
	"manualslop/tools/sandbox"
)

// The test binary runs itself as a second and third writer: otherEdits holds what they are to do.
const otherEdits = "TOOLS_TEST_EDITS"

// editsOf is the work of one process: its goroutines share the lines from First to Last.
type editsOf struct {
	Dir         string
	How         string // a key of editors
	First, Last int
}

const editsAtOnce = 10 // goroutines of one process

// editors make the edit with a number and give the answer.
var editors = map[string]func(context.Context, tools.Env, int) (tools.Result, error){
	"edit_file": func(ctx context.Context, env tools.Env, i int) (tools.Result, error) {
		return callTool(ctx, env, "edit_file", args{"path": "shared.txt", "old_string": fmt.Sprintf("todo %d.\n", i),
			"new_string": fmt.Sprintf("done %d.\n", i)})
	},
	"set_file_slice": appendWhenUnchanged,
}

// appendWhenUnchanged reads the file and appends a line if it is still the same, until that works.
func appendWhenUnchanged(ctx context.Context, env tools.Env, i int) (tools.Result, error) {
	for {
		read, err := callTool(ctx, env, "read_file", args{"path": "shared.txt", "info": true})
		if err != nil || read.Failed {
			return read, err
		}
		var seen struct {
			SHA256 string `json:"sha256"`
			Lines  int    `json:"lines"`
		}
		raw, err := json.Marshal(read.Data)
		if err == nil {
			err = json.Unmarshal(raw, &seen)
		}
		if err != nil {
			return read, err
		}
		written, err := callTool(ctx, env, "set_file_slice", args{
			"path": "shared.txt", "start_line": seen.Lines + 1, "end_line": seen.Lines, "new_content": fmt.Sprintf("line %d.",
				i), "expected_hash": seen.SHA256,
		})
		if err != nil || !written.Failed || !strings.Contains(written.Text, "is not the expected file") &&
			!errors.Is(written.Err, sandbox.ErrConflict) {
			return written, err
		}
	}
}

func callTool(ctx context.Context, env tools.Env, name string, in args) (tools.Result, error) {
	raw, err := json.Marshal(in)
	if err != nil {
		return tools.Result{}, err
	}
	p, err := builtin.Tools().Prepare(ctx, env, name, raw)
	if err != nil {
		return tools.Result{}, err
	}
	return p.Run(ctx, nil), nil
}

// editAsOtherProcess ends the process after its edits where it was started to make them.
func editAsOtherProcess() {
	work := os.Getenv(otherEdits)
	if work == "" {
		return
	}
	var edits editsOf
	err := json.Unmarshal([]byte(work), &edits)
	if err == nil {
		err = edits.make(context.Background())
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(0)
}

// make makes all edits at once and fails with what the first of them that failed says.
func (e editsOf) make(ctx context.Context) error {
	w, err := sandbox.Open(sandbox.Config{Primary: e.Dir})
	if err != nil {
		return err
	}
	defer w.Close()
	var wait sync.WaitGroup
	failed := make([]error, editsAtOnce)
	for g := range editsAtOnce {
		wait.Go(func() {
			for i := e.First + g; i < e.Last; i += editsAtOnce {
				result, err := editors[e.How](ctx, tools.Env{Workspace: w}, i)
				if err == nil && result.Failed {
					err = fmt.Errorf("edit %d: %s", i, result.Text)
				}
				failed[g] = errors.Join(failed[g], err)
			}
		})
	}
	wait.Wait()
	return errors.Join(failed...)
}

// inThreeProcesses makes 200 edits of one file, in two other processes and in this one, all at once.
func inThreeProcesses(t *testing.T, how, before string) string {
	t.Helper()
	_, dir := setup(t, map[string]string{"shared.txt": before})
	var others []*exec.Cmd
	var output [2]strings.Builder
	for i := range 2 {
		work, err := json.Marshal(editsOf{Dir: dir, How: how, First: i * 80, Last: i*80 + 80})
		require.NoError(t, err)
		self, err := os.Executable()
		require.NoError(t, err)
		cmd := exec.CommandContext(t.Context(), self)
		cmd.Env = append(os.Environ(), otherEdits+"="+string(work))
		cmd.Stdout, cmd.Stderr = &output[i], &output[i]
		require.NoError(t, cmd.Start())
		others = append(others, cmd)
	}
	require.NoError(t, editsOf{Dir: dir, How: how, First: 160, Last: 200}.make(t.Context()))
	for i, cmd := range others {
		require.NoError(t, cmd.Wait(), output[i].String())
	}
	return get(t, dir, "shared.txt")
}

func TestTwoHundredEditsOfOneFileInThreeProcessesAreAllThere(t *testing.T) {
	t.Parallel()
	var before, after strings.Builder
	for i := range 200 {
		fmt.Fprintf(&before, "todo %d.\n", i)
		fmt.Fprintf(&after, "done %d.\n", i)
	}
	require.Equal(t, after.String(), inThreeProcesses(t, "edit_file", before.String()))
}

func TestTwoHundredAppendsWithHashesInThreeProcessesAreAllThere(t *testing.T) {
	t.Parallel()
	after := inThreeProcesses(t, "set_file_slice", "")
	lines := regexp.MustCompile(`line \d+\.\n`).FindAllString(after, -1)
	require.Equal(t, after, strings.Join(lines, ""), "whole lines and nothing else")
	slices.Sort(lines)
	require.Len(t, slices.Compact(lines), 200)
	require.Len(t, lines, 200)
}

func TestOfWritersWithOneHashTheFirstWins(t *testing.T) {
	t.Parallel()
	env, dir := setup(t, map[string]string{"a.txt": "0\n"})
	results := make([]tools.Result, 16)
	var wait sync.WaitGroup
	for i := range results {
		p := prepare(t, env, "set_file_slice", args{"path": "a.txt", "start_line": 1, "end_line": 1,
			"new_content": fmt.Sprintf("writer %d", i), "expected_hash": hash("0\n")})
		wait.Go(func() { results[i] = p.Run(t.Context(), nil) })
	}
	wait.Wait()
	won := 0
	for i, r := range results {
		if !r.Failed {
			won++
			require.Equal(t, fmt.Sprintf("writer %d\n", i), get(t, dir, "a.txt"))
			continue
		}
		require.Contains(t, r.Text, "a.txt is not the expected file")
	}
	require.Equal(t, 1, won)
}
