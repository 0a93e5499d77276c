package main

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// difference is one difference between the working tree and the changed program: in a
// file, words that stand there once and what stands there instead.
type difference struct{ file, old, new string }

// differences make a program that is newer than this one: a prompt that reads
// otherwise, a contributor with another decision beside the old one, and an
// event in a new version, with its lift. Where one of them does not fit any
// more, put it next to something of its kind.
func differences() []difference {
	return []difference{
		{"tiers/contributor/system.md", "You are a contributor: tier 3 of four.",
			"You are a contributor: tier 3 of four, and newer."},
		{"tiers/decisions.go", "events.ActorContributor: 3,", "events.ActorContributor: 4,"},
		{"tiers/contributor/run.go", "	m.BiasProfile = r.bias\n", "	m.BiasProfile = r.bias\n" +
			"	if s.basis.Decision(events.ActorContributor) >= 4 {\n		m.Note = \"decided anew\"\n	}\n"},
		{"events/file.go", "func (RefreshRequested) EventType() Type { return Type{\"RefreshRequested\", 1} }",
			"func (RefreshRequested) EventType() Type { return Type{\"RefreshRequested\", 2} }\n\n" +
				"func roundIsTurn(b json.RawMessage) (json.RawMessage, error) {\n" +
				"	return bytes.Replace(b, []byte(`\"round\":`), []byte(`\"turn\":`), 1), nil\n}\n"},
		{"events/file.go", "	Round   int         `json:\"round\"`\n", "	Round   int         `json:\"turn\"`\n"},
		{"events/file.go", "RefreshRequested{Ticket: \"T-001\", Attempt: 1, Round: 2, Files: []FileState{{Path: \"a.go\", " +
			"SHA256: \"ab\"}}})",
			"RefreshRequested{Ticket: \"T-001\", Attempt: 1, Round: 2, Files: []FileState{{Path: \"a.go\", SHA256: \"ab\"}}}, " +
				"roundIsTurn)"},
		{"events/file.go", "	\"cmp\"\n", "	\"bytes\"\n	\"cmp\"\n	\"encoding/json\"\n"},
	}
}

// overlay writes the changed files and the list of them that go build takes.
func overlay(t *testing.T, folder string) string {
	t.Helper()
	root, err := filepath.Abs("../..")
	require.NoError(t, err)
	texts := map[string]string{}
	for _, c := range differences() {
		text, changed := texts[c.file]
		if !changed {
			b, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(c.file)))
			require.NoError(t, err)
			text = string(b)
		}
		require.Equal(t, 1, strings.Count(text, c.old), "%s does not hold %q once: mend this change of the test", c.file,
			c.old)
		texts[c.file] = strings.Replace(text, c.old, c.new, 1)
	}
	replace := map[string]string{}
	for file, text := range texts {
		changed := filepath.Join(folder, strings.ReplaceAll(file, "/", "_"))
		require.NoError(t, os.WriteFile(changed, []byte(text), 0o600))
		replace[filepath.Join(root, filepath.FromSlash(file))] = changed
	}
	list, err := json.Marshal(map[string]any{"Replace": replace})
	require.NoError(t, err)
	file := filepath.Join(folder, "overlay.json")
	require.NoError(t, os.WriteFile(file, list, 0o600))
	return file
}

// build builds the changed program, or the changed tests of a package, into a file.
func build(t *testing.T, overlay, out string, args ...string) {
	t.Helper()
	cmd := exec.Command("go", append(args[:len(args)-1:len(args)-1], "-trimpath", "-overlay", overlay, "-ldflags=-s -w",
		"-o", out, args[len(args)-1])...)
	cmd.Dir = filepath.Join("..", "..")
	said, err := cmd.CombinedOutput()
	require.NoError(t, err, "%s", said)
}
