package beads_test

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"manualslop/tools/beads"
	"manualslop/tools/beads/beadstest"
	"manualslop/tools/sandbox"
)

func TestMain(m *testing.M) {
	beadstest.Main()
	os.Exit(m.Run())
}

func environment(t *testing.T) []string {
	t.Helper()
	return append(sandbox.Environment(sandbox.Environ{}), "HOME="+t.TempDir())
}

// fake is a tracker over the stand-in.
func fake(t *testing.T) beads.CLI {
	t.Helper()
	dir := t.TempDir()
	return beads.CLI{Program: filepath.Join(beadstest.Install(t, dir), "bd"), Dir: dir, Env: environment(t)}
}

// genuine is a tracker over a bd from BD, the PATH or bin/bd, which "make bd" builds.
func genuine(t *testing.T) beads.CLI {
	t.Helper()
	program := os.Getenv("BD")
	if program == "" {
		program, _ = exec.LookPath("bd")
	}
	if built, err := filepath.Abs("../../bin/bd"); program == "" && err == nil && sandbox.Executable(built) {
		program = built
	}
	if program == "" {
		t.Skip("there is no bd in BD, on PATH or in bin/bd (make bd builds it), so only the stand-in was tested")
	}
	c := beads.CLI{Program: program, Dir: t.TempDir(), Env: environment(t)}
	start := exec.CommandContext(t.Context(), program, "init", "--prefix", "t", "--non-interactive", "--skip-agents",
		"--skip-hooks", "--stealth", "--quiet")
	start.Dir, start.Env = c.Dir, append(c.Env, "BD_DISABLE_METRICS=1", "BD_NON_INTERACTIVE=1")
	out, err := start.CombinedOutput()
	require.NoError(t, err, "%s", out)
	return c
}

func TestTheStandInKeepsTheContract(t *testing.T) {
	t.Parallel()
	contract(t, fake(t))
}

func TestTheGenuineProgramKeepsTheContract(t *testing.T) {
	t.Parallel()
	contract(t, genuine(t))
}

// contract is what holds for every tracker; c is over an empty database.
func contract(t *testing.T, c beads.CLI) {
	ctx := t.Context()
	require.NoError(t, c.Check(ctx))
	all, err := c.List(ctx)
	require.NoError(t, err)
	require.Equal(t, []beads.Bead{}, all)

	first, err := c.Create(ctx, "First things", "line one\nline two: \"quoted\" – ünï")
	require.NoError(t, err)
	require.Equal(t, "First things", first.Title)
	require.Equal(t, "open", first.Status)
	require.Equal(t, "task", first.Type)
	require.Regexp(t, `^t-`, first.ID)
	dashed, err := c.Create(ctx, "--readonly -x", "--json")
	require.NoError(t, err)
	require.Equal(t, "--readonly -x", dashed.Title)
	require.Equal(t, "--json", dashed.Description)

	ready, err := c.Ready(ctx)
	require.NoError(t, err)
	require.Len(t, ready, 2)
	moved, err := c.Update(ctx, first.ID, "closed")
	require.NoError(t, err)
	require.Equal(t, "closed", moved.Status)
	require.Equal(t, first.ID, moved.ID)
	ready, err = c.Ready(ctx)
	require.NoError(t, err)
	require.Equal(t, dashed.ID, ready[0].ID)
	require.Len(t, ready, 1)
	all, err = c.List(ctx)
	require.NoError(t, err)
	require.Len(t, all, 2, "closed ones too")
	again, err := c.List(ctx)
	require.NoError(t, err)
	require.Equal(t, all, again)

	says(t, c, "no issue found matching \"t-none\"", "t-none", "open")
	says(t, c, "invalid status \"nonsense\" (built-in: open, in_progress,", first.ID, "nonsense")
	after, err := c.List(ctx)
	require.NoError(t, err)
	require.Equal(t, all, after)
}

func says(t *testing.T, c beads.CLI, want, id, status string) {
	t.Helper()
	_, err := c.Update(t.Context(), id, status)
	var problem *beads.Problem
	require.ErrorAs(t, err, &problem)
	require.Contains(t, problem.Text, want)
	require.NotContains(t, problem.Text, "\n")
}

func TestWhatIsNoTicketIsNotHandedOn(t *testing.T) {
	t.Parallel()
	c := beads.CLI{Program: "/none"} // it would fail in another way
	for title, why := range map[string]string{"": "is empty", " \n": "is empty", "a\nb": "one line", "a\x00b": "one line",
		strings.Repeat("x", 501): "more than the limit"} {
		_, err := c.Create(t.Context(), title, "")
		require.ErrorContains(t, err, why)
	}
	for _, description := range []string{"a\x00b", strings.Repeat("x", 50_001)} {
		_, err := c.Create(t.Context(), "t", description)
		var problem *beads.Problem
		require.ErrorAs(t, err, &problem)
	}
	for _, id := range []string{"", "-x", "--all", "a b", "a/../b", "a\nb"} {
		says(t, c, "is not the id of a bead", id, "open")
	}
	for _, status := range []string{"", "-x", "Open", "open closed", "open\n"} {
		says(t, c, "is not a status", "t-1", status)
	}
}

func TestProgramsOfTheProjectDoNotRunAtChanges(t *testing.T) {
	t.Parallel()
	c := fake(t)
	made, err := c.Create(t.Context(), "a", "")
	require.NoError(t, err)
	hook := filepath.Join(c.Dir, beads.Folder, "hooks", "on_update")
	require.NoError(t, os.MkdirAll(filepath.Dir(hook), 0o755))
	require.NoError(t, os.WriteFile(hook, nil, 0o755))
	says(t, c, ".beads/hooks/on_update, a program that bd would run", made.ID, "closed")
	_, err = c.Create(t.Context(), "b", "")
	require.ErrorContains(t, err, "the user must inspect it")
	all, err := c.List(t.Context())
	require.NoError(t, err)
	require.Len(t, all, 1)
}

func TestSettingsOfTheProjectLeadToNoProgramAndNoServer(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]string{
		".env":          "BEADS_DOLT_CREDENTIAL_COMMAND=touch ran\n",
		"metadata.json": `{"backend":"dolt","DOLT_MODE":"server","dolt_server_host":"192.0.2.1"}`,
		"config.json":   `{"backend":"postgres","postgres_dsn":"postgres://192.0.2.1/x"}`,
	} {
		c := fake(t)
		require.NoError(t, os.MkdirAll(filepath.Join(c.Dir, beads.Folder), 0o755))
		require.NoError(t, os.WriteFile(filepath.Join(c.Dir, beads.Folder, name), []byte(text), 0o600))
		_, err := c.List(t.Context())
		var problem *beads.Problem
		require.ErrorAs(t, err, &problem, name)
		require.ErrorAs(t, c.Check(t.Context()), &problem, name)
		require.Contains(t, problem.Text, ".beads/"+name)
	}
}

// TestTheGenuineProgramIsLedToNoServer has settings whose server would be asked by bd alone.
func TestTheGenuineProgramIsLedToNoServer(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"dolt:\n  shared-server: true\n", "dolt:\n  host: 192.0.2.1\n",
		"dolt:\n  mode: server\n  port: 9\n"} {
		c := genuine(t)
		settings := filepath.Join(c.Dir, beads.Folder, "metadata.json")
		metadata, err := os.ReadFile(settings)
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(settings, []byte(strings.Replace(string(metadata), `"dolt_mode": "embedded",`, "",
			1)), 0o600))
		require.NoError(t, os.WriteFile(filepath.Join(c.Dir, beads.Folder, "config.yaml"), []byte(text), 0o600))
		all, err := c.List(t.Context())
		require.NoError(t, err, text)
		require.Empty(t, all)
	}
}

func TestOldAndOddProgramsAreNoticed(t *testing.T) {
	t.Parallel()
	for version, fine := range map[string]bool{"1.1.0": true, "1.10.2": true, "2.0": true, "1.0.9": false, "0.49.6": false,
		"": false, "dev": false} {
		c := fake(t)
		require.NoError(t, os.WriteFile(filepath.Join(c.Dir, beads.Folder, "fake.version"), []byte(version), 0o644))
		err := c.Check(t.Context())
		if fine {
			require.NoError(t, err, version)
			continue
		}
		require.ErrorContains(t, err, "is too old; 1.1 or newer is needed", version)
	}
	for script, why := range map[string]string{
		"echo nonsense": "unexpected answer", "exit 3": "exit code 3",
		"echo '{\"error\":\"on stdout\"}'; exit 1":                              "on stdout",
		"echo 'Warning: x' >&2; echo '{\"error\":\"on { stderr\"}' >&2; exit 1": "on { stderr",
		"echo 'Error: plain' >&2; echo more >&2; exit 1":                        "plain",
		"echo null": "",
	} {
		program := filepath.Join(t.TempDir(), "bd")
		require.NoError(t, os.WriteFile(program, []byte("#!/bin/sh\n"+script+"\n"), 0o755))
		got, err := beads.CLI{Program: program, Dir: t.TempDir(), Env: environment(t)}.List(t.Context())
		if why == "" {
			require.NoError(t, err)
			require.Equal(t, []beads.Bead{}, got)
			continue
		}
		require.ErrorContains(t, err, why)
	}
}

func TestACancelledCallEnds(t *testing.T) {
	t.Parallel()
	program := filepath.Join(t.TempDir(), "bd")
	require.NoError(t, os.WriteFile(program, []byte("#!/bin/sh\nexec sleep 1000\n"), 0o755))
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := beads.CLI{Program: program, Dir: t.TempDir()}.List(ctx)
	require.ErrorIs(t, err, context.Canceled)
	_, err = beads.CLI{Program: program, Dir: t.TempDir(), Env: environment(t), Timeout: 1}.List(t.Context())
	require.ErrorContains(t, err, "bd did not finish within")
}
