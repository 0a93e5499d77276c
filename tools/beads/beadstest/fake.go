// Package beadstest provides a fake of the program bd for tests. It is strict: it rejects what the real program
// rejects, with the same texts and formats, and also any call that should not occur.
package beadstest

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
)

// Main must be called first by TestMain of a package that uses Install. In a process that was started as bd, it
// acts as bd and does not return.
func Main() {
	if filepath.Base(os.Args[0]) != "bd" {
		return
	}
	syscall.Exit(play(os.Args[1:])) // with os.Exit the race detector sleeps for a second, which is too long for a call
}

// Install creates a folder for PATH that contains bd, and a database in dir with an open ticket for each title:
// t-1, t-2 and so on.
func Install(t testing.TB, dir string, titles ...string) (bin string) {
	t.Helper()
	self, err := os.Executable()
	require.NoError(t, err)
	bin = t.TempDir()
	require.NoError(t, os.Symlink(self, filepath.Join(bin, "bd")))
	require.NoError(t, os.MkdirAll(filepath.Join(dir, ".beads"), 0o755))
	beads := []bead{}
	for _, title := range titles {
		beads = append(beads, fresh(len(beads)+1, title, ""))
	}
	raw, err := json.Marshal(beads)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(filepath.Join(dir, ".beads", state), raw, 0o644))
	return bin
}

const state = "fake.json"

// bead has the ticket fields that bd prints.
type bead struct {
	ID          string `json:"id"`
	Title       string `json:"title"`
	Description string `json:"description,omitempty"`
	Status      string `json:"status"`
	Priority    int    `json:"priority"`
	IssueType   string `json:"issue_type"`
	CreatedAt   string `json:"created_at"`
	CreatedBy   string `json:"created_by"`
	UpdatedAt   string `json:"updated_at"`
}

const moment = "2026-11-21T17:04:06Z"

func fresh(number int, title, description string) bead {
	return bead{
		ID: fmt.Sprintf("t-%d", number), Title: title, Description: description, Status: "open", Priority: 2,
		IssueType: "task",
		CreatedAt: moment, UpdatedAt: moment, CreatedBy: os.Getenv("BEADS_ACTOR"),
	}
}

// play executes one command line.
func play(args []string) int {
	if os.Getenv("BD_DISABLE_METRICS") != "1" || os.Getenv("BD_NON_INTERACTIVE") != "1" {
		return text("Error: the fake bd wants BD_DISABLE_METRICS=1 and BD_NON_INTERACTIVE=1")
	}
	if len(args) < 3 || args[0] != "--json" || args[1] != "--sandbox" {
		return text("Error: the fake bd wants --json --sandbox COMMAND")
	}
	if args[2] == "version" {
		return object(map[string]any{"build": "fake", "schema_version": 1, "version": version()})
	}
	file := filepath.Join(os.Getenv("BEADS_DIR"), state)
	raw, err := os.ReadFile(file)
	if err != nil {
		return text("Error: no beads database found\nHint: run 'bd where' to inspect the resolved workspace, or 'bd init' " +
			"to create a new database\n      or set BEADS_DIR to point to your .beads directory")
	}
	var beads []bead
	if err := json.Unmarshal(raw, &beads); err != nil {
		return text("Error: " + err.Error())
	}
	return command(file, beads, args[2], args[3:])
}

// version returns the version, which tests can override with a file next to the database.
func version() string {
	if is, err := os.ReadFile(filepath.Join(os.Getenv("BEADS_DIR"), "fake.version")); err == nil {
		return string(is)
	}
	return "1.3.0"
}

func command(file string, beads []bead, name string, args []string) int {
	switch name {
	case "list":
		if !slices.Equal(args, []string{"--all", "--limit=0", "--readonly"}) {
			return text("Error: the fake bd was called with bd list " + strings.Join(args, " "))
		}
		slices.Reverse(beads)
		return list(beads)
	case "ready":
		if !slices.Equal(args, []string{"--limit=0", "--readonly"}) {
			return text("Error: the fake bd was called with bd ready " + strings.Join(args, " "))
		}
		return list(slices.DeleteFunc(beads, func(b bead) bool { return b.Status != "open" }))
	case "create":
		return create(file, beads, args)
	case "update":
		return update(file, beads, args)
	}
	return text(fmt.Sprintf("Error: unknown command %q for \"bd\"\nRun 'bd --help' for usage.", name))
}

func create(file string, beads []bead, args []string) int {
	if len(args) != 2 || !strings.HasPrefix(args[0], "--title=") || !strings.HasPrefix(args[1], "--description=") {
		return text("Error: the fake bd was called with bd create " + strings.Join(args, " "))
	}
	b := fresh(len(beads)+1, strings.TrimPrefix(args[0], "--title="), strings.TrimPrefix(args[1], "--description="))
	if b.Title == "" {
		return text("Error: title required (or use --file to create from markdown)")
	}
	if code := save(file, append(beads, b)); code != 0 {
		return code
	}
	return object(struct {
		bead
		SchemaVersion int `json:"schema_version"`
	}{b, 1})
}

func update(file string, beads []bead, args []string) int {
	if len(args) != 3 || !strings.HasPrefix(args[0], "--status=") || args[1] != "--" {
		return text("Error: the fake bd was called with bd update " + strings.Join(args, " "))
	}
	id, status := args[2], strings.TrimPrefix(args[0], "--status=")
	if !slices.Contains([]string{"open", "in_progress", "blocked", "deferred", "closed", "pinned", "hooked"}, status) {
		object(map[string]any{"error": fmt.Sprintf("invalid status %q (built-in: open, in_progress, blocked, deferred, "+
			"closed, pinned, hooked; or configure custom statuses via 'bd config set status.custom')", status),
			"schema_version": 1})
		return 1
	}
	at := slices.IndexFunc(beads, func(b bead) bool { return b.ID == id })
	if at < 0 {
		return text(fmt.Sprintf("Error resolving %s: no issue found matching %q\n{\"error\":\"1 of 1 issues failed to "+
			"update\",\"failed\":[{\"id\":%q,\"error\":\"resolving issue: no issue found matching "+
			"\\\"%s\\\"\"}],\"schema_version\":1}", id, id, id, id))
	}
	beads[at].Status = status
	if code := save(file, beads); code != 0 {
		return code
	}
	return list(beads[at : at+1])
}

func save(file string, beads []bead) int {
	raw, err := json.Marshal(beads)
	if err == nil {
		err = os.WriteFile(file, raw, 0o644)
	}
	if err != nil {
		return text("Error: " + err.Error())
	}
	return 0
}

func list(beads []bead) int {
	if beads == nil {
		beads = []bead{}
	}
	return object(beads)
}

// object prints JSON as bd does.
func object(v any) int {
	enc := json.NewEncoder(os.Stdout)
	enc.SetIndent("", "  ")
	if err := enc.Encode(v); err != nil {
		return text("Error: " + err.Error())
	}
	return 0
}

// text prints an error and returns bd's exit code for errors.
func text(message string) int {
	fmt.Fprintln(os.Stderr, message)
	return 1
}
