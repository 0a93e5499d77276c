package runtime_test

import (
	"context"
	"regexp"
	"testing"

	"github.com/stretchr/testify/require"

	"manualslop/cmd/slop/aggregation"
	"manualslop/events"
	"manualslop/hookgw/wire"
	"manualslop/replay"
	"manualslop/tiers/runtime"
	"manualslop/tiers/runtime/talktest"
	"manualslop/tools"
	"manualslop/tools/builtin"
	"manualslop/tools/sandbox"
)

// fenceCodes are the codes of fences, which derive from ids of events.
var fenceCodes = regexp.MustCompile(`(UNTRUSTED(?: [a-z]+)?) [0-9a-f]{12}\]`)

// context makes a context of the session as it stands.
func (w *world) context(want wire.ContextWanted) wire.ContextPreview {
	w.t.Helper()
	past := w.history()
	made, err := aggregation.Make(w.t.Context(), aggregation.Source{Blobs: w.person, Person: person,
		Past: func(yield func(events.Event, error) bool) {
			for _, e := range past {
				if !yield(e, nil) {
					return
				}
			}
		},
		Views: func(ctx context.Context, blobs events.Blobs, asked events.Event) (events.Payload, error) {
			workspace, err := sandbox.Open(sandbox.Config{Primary: w.dir})
			require.NoError(w.t, err)
			defer workspace.Close()
			reader := runtime.Worker{Tools: builtin.Engine(), Home: tools.Env{Workspace: workspace}, Blobs: blobs,
				Logger: logger()}
			return reader.Views(ctx, asked.ID, asked.Payload.(events.ContextRequested)), nil
		}}, want)
	require.NoError(w.t, err)
	return made
}

// TestTheContextOfEachTurnIsKnownBeforeItIsSent previews each turn of a discussion with edits, images, injected and
// tracked files, tools and a take, and compares the preview with what was then sent.
func TestTheContextOfEachTurnIsKnownBeforeItIsSent(t *testing.T) {
	t.Parallel()
	on := theWires()[0]
	w := newWorld(t, talktest.Files())
	w.serveOn(t, on, talktest.Answer)
	w.openTracking(on)
	w.yesToAsks()
	w.start("")
	p := w.speaker()
	kinds := map[string]bool{}
	p.Hold(func(_ int, discussion, text string) events.TurnEnded {
		want := events.TurnRequested{Discussion: discussion, Text: text}
		want.Entries, _ = replay.Rebuild(w.history()).TurnEntries(discussion)
		before := len(w.history())
		shown := w.context(wire.ContextWanted{Turn: want})
		require.Len(t, w.history(), before, "nothing is recorded")
		turn := p.Send(discussion, text)
		ended := p.EndOf(turn)
		first := ""
		for _, e := range w.history() {
			if m, is := e.Payload.(events.ModelRequested); is && m.Ticket == turn && first == "" {
				first = e.ID
			}
		}
		sent := w.context(wire.ContextWanted{Request: first})
		without := func(text string) string { return fenceCodes.ReplaceAllString(text, "$1]") }
		require.Equal(t, without(sent.Markdown), without(shown.Markdown))
		require.Equal(t, sent.Parts, shown.Parts)
		require.Equal(t, sent.Tokens, shown.Tokens)
		for _, part := range shown.Parts {
			kinds[part.Kind] = true
		}
		for _, n := range want.Entries {
			found := 0
			for _, part := range shown.Parts {
				if part.Entry == n.Entry {
					found++
				}
			}
			require.Equal(t, 1, found, "each entry is one part")
		}
		return ended
	})
	for _, kind := range []string{"system", "file", "image", "entry", "text", "tools"} {
		require.True(t, kinds[kind], kind)
	}
}
