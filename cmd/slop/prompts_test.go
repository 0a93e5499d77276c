package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"net"
	"os"
	"path/filepath"
	"slices"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"manualslop/events"
	"manualslop/events/eventstest"
	"manualslop/replay"
)

// offline is an environment without keys, without configuration and without a
// network: who tries to reach it all the same fails the test.
func offline(t *testing.T) []string {
	t.Helper()
	wire, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	var tried atomic.Int64
	go func() {
		for {
			c, err := wire.Accept()
			if err != nil {
				return
			}
			tried.Add(1)
			_ = c.Close()
		}
	}()
	t.Cleanup(func() {
		_ = wire.Close()
		require.Zero(t, tried.Load(), "somebody used the network")
	})
	proxy := "http://" + wire.Addr().String()
	out := []string{"XDG_CONFIG_HOME=" + t.TempDir(), "HTTP_PROXY=" + proxy, "HTTPS_PROXY=" + proxy, "NO_PROXY="}
	for _, vendor := range []string{"ANTHROPIC", "GEMINI", "OPENAI", "DEEPSEEK", "XAI", "DASHSCOPE", "MINIMAX",
		"OPENROUTER"} {
		out = append(out, vendor+"_API_KEY=")
	}
	return out
}

// replayed is what slop replay --json prints of a proof.
type replayed struct {
	Prompts    struct{ Same, Skipped int }
	Divergence struct {
		Code replay.Code
	}
}

// requirePromptsAgain builds every prompt of the session again, from the store
// and from an exported file, which it returns.
func (s *site) requirePromptsAgain() (file string) {
	s.t.Helper()
	log := historyOf(s.t, s.dir)
	answered := len(only[events.ModelReplied](log))
	require.Positive(s.t, answered)
	file = filepath.Join(filepath.Dir(s.dir), "session.export")
	s.ok("export", log[0].Session, "-o", file)
	for _, past := range []string{log[0].Session, file} {
		var got replayed
		require.NoError(s.t, json.Unmarshal([]byte(s.ok("replay", past, "--verify", "--json")), &got))
		require.Equal(s.t, answered, got.Prompts.Same, "built again to the byte")
		require.Zero(s.t, got.Prompts.Skipped)
	}
	return file
}

// requireChangesFound changes an exported session in one place after another.
func (s *site) requireChangesFound(file string, thoughts bool) {
	s.t.Helper()
	all := changes()
	if thoughts {
		all = append(all, change{"a word of what was thought", func(e *events.Event) bool {
			// The first reply that later prompts hold; Gemini tells a signature only.
			return e.Type == "ModelReplied" && bytes.Contains(e.Data, []byte("get_tree")) &&
				(replaced(e, "One step", "One stop") || replaced(e, `ignature":"`, `ignature":"A`))
		}, replay.CodePrompt})
	}
	for _, c := range all {
		ended := s.slop("replay", s.changed(file, c.change), "--verify", "--json")
		require.Equal(s.t, 4, ended.status, c.of)
		var got replayed
		require.NoError(s.t, json.Unmarshal([]byte(ended.out), &got), "%s: %s", c.of, ended.err)
		require.Equal(s.t, c.code, got.Divergence.Code, c.of)
	}
}

// change changes a little of one event, and tells whether there was something
// to change; code is what the proof then says.
type change struct {
	of     string
	change func(*events.Event) bool
	code   replay.Code
}

// changes are of what prompts are built from, and of the digest of one.
func changes() []change {
	return []change{
		{"the digest of what was sent", func(e *events.Event) bool {
			p, ok := e.Payload.(events.ModelReplied)
			return ok && replaced(e, p.BodySHA256, flipped(p.BodySHA256))
		}, replay.CodePrompt},
		{"the description of a tool", func(e *events.Event) bool {
			return e.Type == "ToolsOffered" && replaced(e, "the text of the file without line numbers",
				"the text of the fiIe without line numbers")
		}, replay.CodePrompt},
		{"a word of a reply", func(e *events.Event) bool {
			return e.Type == "ModelReplied" && replaced(e, `"text":"`, `"text":"0`)
		}, replay.CodeDigest},
		{"a word of a part", func(e *events.Event) bool {
			return e.Type == "ModelRequested" &&
				replaced(e, "# Goal", "# G0al")
		}, replay.CodeDifferent},
	}
}

// flipped is a digest with another first digit.
func flipped(digest string) string {
	if digest[0] == '0' {
		return "1" + digest[1:]
	}
	return "0" + digest[1:]
}

// replaced puts one text in the place of another within an event, once.
func replaced(e *events.Event, old, changed string) bool {
	after := bytes.Replace(e.Data, []byte(old), []byte(changed), 1)
	if bytes.Equal(after, e.Data) {
		return false
	}
	e.Data, e.Payload = after, nil
	return true
}

// changed writes an exported session again, with the first event changed that
// can be.
func (s *site) changed(file string, change func(*events.Event) bool) string {
	s.t.Helper()
	text, err := os.ReadFile(file)
	require.NoError(s.t, err)
	past, err := replay.Import(s.t.Context(), bytes.NewReader(text))
	require.NoError(s.t, err)
	at := slices.IndexFunc(past.Events, func(e events.Event) bool { return change(&e) })
	require.GreaterOrEqual(s.t, at, 0)
	change(&past.Events[at])
	var out bytes.Buffer
	_, err = replay.Export(s.t.Context(), &out, eventstest.Each(past.Events), fileOfBlobs(past.Blobs))
	require.NoError(s.t, err)
	written := file + ".changed"
	require.NoError(s.t, os.WriteFile(written, out.Bytes(), 0o600))
	return written
}

// fileOfBlobs are the bodies of an exported file.
type fileOfBlobs map[string][]byte

func (f fileOfBlobs) Put(context.Context, []byte, string) (events.BlobRef, error) {
	return events.BlobRef{}, errors.ErrUnsupported
}

func (f fileOfBlobs) Get(_ context.Context, sha256 string) ([]byte, error) {
	b, ok := f[sha256]
	if !ok {
		return nil, events.ErrNoBlob
	}
	return b, nil
}
