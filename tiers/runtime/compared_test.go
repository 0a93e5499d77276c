package runtime_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"manualslop/events"
)

func TestACallSaysWhetherKnownFilesAreAsTheyWere(t *testing.T) {
	t.Parallel()
	args := json.RawMessage(`{"path":"a.txt"}`)
	digest, err := events.CanonicalDigest(args)
	require.NoError(t, err)
	known := func(path, content string) events.FileState {
		return events.FileState{Path: path, SHA256: events.Digest([]byte(content)), Size: int64(len(content))}
	}
	for name, c := range map[string]struct {
		known     []events.FileState
		unchanged bool
	}{
		"nothing is known":              {nil, false},
		"all as they were":              {[]events.FileState{known("a.txt", "one\n"), known("b.txt", "two\n")}, true},
		"one has another text":          {[]events.FileState{known("a.txt", "one\n"), known("b.txt", "2\n")}, false},
		"one is gone":                   {[]events.FileState{known("gone.txt", "two\n")}, false},
		"one is gone, as is known":      {[]events.FileState{{Path: "gone.txt"}}, true},
		"one is there that was not":     {[]events.FileState{{Path: "b.txt"}}, false},
		"one cannot be read any more":   {[]events.FileState{known("folder", "two\n")}, false},
		"one could not be read before":  {[]events.FileState{{Path: "folder"}}, true},
		"one that may not be read":      {[]events.FileState{known(".env", "key\n")}, false},
		"one that is outside the gates": {[]events.FileState{known("../b.txt", "two\n")}, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, map[string]string{"a.txt": "one\n", "b.txt": "two\n", ".env": "key\n"})
			require.NoError(t, os.Mkdir(filepath.Join(w.dir, "folder"), 0o700))
			out := w.handOut(events.ActorApproval, events.ToolApproved{Call: "c1", Tool: "read_file", Args: args,
				ArgsSHA256: digest,
				Effect:     "reads", Ticket: "T-1", Generation: 1, By: "rule", Known: c.known}, 1).(events.ToolSettled)
			require.Equal(t, events.ToolDone, out.Outcome, out.Text)
			require.Equal(t, c.unchanged, out.Unchanged)
		})
	}
}
