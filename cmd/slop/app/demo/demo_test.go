package demo_test

import (
	"bytes"
	"encoding/json"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"manualslop/cmd/slop/app/demo"
	"manualslop/events"
	"manualslop/tiers/llm/script"
)

func lines(t *testing.T) []script.Line {
	t.Helper()
	s, err := script.Parse(bytes.NewReader(demo.Script()))
	require.NoError(t, err)
	return s.Lines()
}

// plan is the JSON array that stands in the prose of the tier's only line.
func plan[T any](t *testing.T, tier int) []T {
	t.Helper()
	at := slices.IndexFunc(lines(t), func(l script.Line) bool { return l.Tier == tier })
	text := lines(t)[at].Reply.Text
	first, last := strings.Index(text, "[\n"), strings.LastIndex(text, "\n]")
	require.Positive(t, first, "prose stands before the array")
	require.Less(t, last+2, len(text), "prose stands behind the array")
	var items []T
	require.NoError(t, json.Unmarshal([]byte(text[first:last+2]), &items))
	return items
}

// goTest runs the sample's tests without network and outside any workspace.
func goTest(t *testing.T, dir string) (string, error) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "go", "test", "./...")
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOFLAGS=", "GOPROXY=off", "GOWORK=off", "GOTOOLCHAIN=local")
	out, err := cmd.CombinedOutput()
	return string(out), err
}

// edit carries out a writing call of the script; other calls change nothing.
func edit(t *testing.T, dir string, c script.Call) {
	t.Helper()
	var a struct {
		Path       string `json:"path"`
		Old        string `json:"old_string"`
		New        string `json:"new_string"`
		Start      int    `json:"start_line"`
		End        int    `json:"end_line"`
		NewContent string `json:"new_content"`
	}
	require.NoError(t, json.Unmarshal([]byte(c.Args), &a))
	name := filepath.Join(dir, filepath.FromSlash(a.Path))
	switch c.Name {
	case "edit_file":
		text, err := os.ReadFile(name)
		require.NoError(t, err)
		require.Equal(t, 1, strings.Count(string(text), a.Old), "old_string is unique in %s", a.Path)
		require.NoError(t, os.WriteFile(name, []byte(strings.Replace(string(text), a.Old, a.New, 1)), 0o600))
	case "set_file_slice":
		text, err := os.ReadFile(name)
		require.NoError(t, err)
		all := strings.SplitAfter(string(text), "\n")
		require.LessOrEqual(t, a.End, len(all))
		all = slices.Replace(all, a.Start-1, a.End, a.NewContent)
		require.NoError(t, os.WriteFile(name, []byte(strings.Join(all, "")), 0o600))
	}
}

func TestTheScriptTurnsFailingTestsIntoPassingOnes(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "new", "sample")
	require.NoError(t, demo.Extract(dir))
	out, err := goTest(t, dir)
	require.Error(t, err)
	require.Contains(t, out, "FAIL\tsample/slug")
	require.Contains(t, out, "FAIL\tsample/stats")
	var failed *exec.ExitError
	require.ErrorAs(t, err, &failed)
	require.Equal(t, 1, failed.ExitCode())

	for _, l := range lines(t) {
		for _, c := range l.Reply.Calls {
			edit(t, dir, c)
		}
	}
	out, err = goTest(t, dir)
	require.NoError(t, err, out)
	for _, l := range lines(t) {
		if l.Contains == "FAIL" {
			require.NotContains(t, out, l.Contains)
		} else {
			require.Contains(t, out, l.Contains, "the last ticket recognises the good run")
		}
	}
	readme, err := os.ReadFile(filepath.Join(dir, "README.md"))
	require.NoError(t, err)
	require.Contains(t, string(readme), "| `stats` |")
	formatted, err := exec.CommandContext(t.Context(), "gofmt", "-l", dir).CombinedOutput()
	require.NoError(t, err)
	require.Empty(t, string(formatted))
}

func TestExtractOverwritesNothing(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	mine := filepath.Join(dir, "README.md")
	require.NoError(t, os.WriteFile(mine, []byte("mine"), 0o600))
	require.ErrorIs(t, demo.Extract(dir), fs.ErrExist)
	text, err := os.ReadFile(mine)
	require.NoError(t, err)
	require.Equal(t, "mine", string(text))
}

func TestExtractWritesAModuleOfItsOwn(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	require.NoError(t, demo.Extract(dir))
	mod, err := os.ReadFile(filepath.Join(dir, "go.mod"))
	require.NoError(t, err)
	require.Contains(t, string(mod), "module sample\n")
	require.NotContains(t, string(mod), "require")
	require.NoFileExists(t, filepath.Join(dir, "go.mod.txt"))
}

func TestThePlanIsOneTrackOfFiveTicketsInADiamond(t *testing.T) {
	t.Parallel()
	tracks := plan[events.Track](t, 1)
	require.Len(t, tracks, 1)
	require.NotEmpty(t, tracks[0].Description)
	for _, l := range lines(t) {
		if l.Tier == 2 {
			require.Equal(t, tracks[0].ID, l.Track)
		}
	}
	graph := map[string][]string{}
	for _, ticket := range plan[events.Ticket](t, 2) {
		require.NotEmpty(t, ticket.Description)
		graph[ticket.ID] = ticket.DependsOn
	}
	require.Equal(t, map[string][]string{
		"T-001": {}, "T-002": {"T-001"}, "T-003": {"T-001"}, "T-004": {"T-001"}, "T-005": {"T-002", "T-003", "T-004"},
	}, graph)
}

func TestEachTicketHasRoundsAndAnEnd(t *testing.T) {
	t.Parallel()
	for _, ticket := range plan[events.Ticket](t, 2) {
		var calls, ends int
		for _, l := range lines(t) {
			if l.Tier != 3 || l.Ticket != ticket.ID {
				continue
			}
			if len(l.Reply.Calls) > 0 {
				require.Zero(t, ends, "%s works on after its end", ticket.ID)
				calls++
			} else {
				ends++
			}
		}
		require.Positive(t, calls, ticket.ID)
		require.Positive(t, ends, ticket.ID)
	}
}

func TestTheScriptUsesOnlyKnownToolsAndTheirParameters(t *testing.T) {
	t.Parallel()
	known := map[string][]string{
		"read_file": {"path"}, "list_directory": {"path"}, "search_files": {"path", "pattern"}, "get_tree": {"max_depth",
			"path"},
		"get_file_slice": {"end_line", "path", "start_line"}, "set_file_slice": {"end_line", "new_content", "path",
			"start_line"},
		"edit_file": {"new_string", "old_string", "path"}, "run_powershell": {"script"},
	}
	used := map[string]int{}
	for _, l := range lines(t) {
		require.NotNil(t, l.Reply.Usage, "line %d", l.Number)
		for _, c := range l.Reply.Calls {
			var args map[string]any
			require.NoError(t, json.Unmarshal([]byte(c.Args), &args))
			var names []string
			for name := range args {
				names = append(names, name)
			}
			slices.Sort(names)
			require.Equal(t, known[c.Name], names, c.Name)
			used[c.Name]++
		}
	}
	for name := range known {
		require.Positive(t, used[name], name)
	}
}

func TestOneFailingShellStepGetsAHint(t *testing.T) {
	t.Parallel()
	var hints []string
	for _, l := range lines(t) {
		if l.Tier == 4 {
			hints = append(hints, l.Reply.Text)
		}
	}
	require.Len(t, hints, 1)
	words := len(strings.Fields(hints[0]))
	require.Less(t, words, 25, "a hint has about twenty words")
}
