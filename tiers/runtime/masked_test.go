package runtime_test

import (
	"bytes"
	"context"
	"encoding/json"
	"iter"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"manualslop/bus"
	"manualslop/events"
	"manualslop/tiers"
	"manualslop/tiers/llm"
	"manualslop/tiers/runtime"
)

// telling is a provider that tells a secret wherever it can.
type telling struct{ text []string }

func (telling) Name() string                       { return "telling" }
func (telling) Wire() string                       { return llm.NeutralWire }
func (telling) Body(r llm.Request) ([]byte, error) { return r.Wire() }

func (p telling) Stream(context.Context, llm.Request) iter.Seq2[llm.Chunk, error] {
	chunks := []llm.Chunk{
		llm.CallBegin{Index: 0, Name: "read_hunter22"}, llm.CallArgs{Index: 0, Text: `{"path":"hunter22"}`},
		llm.CallEnd{Index: 0},
		llm.CallBegin{Index: 1, Name: "t"}, llm.CallArgs{Index: 1, Text: `{"a":{"pass":"word"}}`}, llm.CallEnd{Index: 1},
		llm.CallBegin{Index: 2, Name: "t"}, llm.CallEnd{Index: 2, Malformed: "no tool hunter22"},
		llm.Finish{Reason: llm.FinishStop, Model: "hunter22", Raw: &llm.Opaque{Origin: "telling:m",
			Data: json.RawMessage(`"hunter22"`)},
			CLI: &events.CLICall{Command: []string{"/bin/x", "--key=hunter22"}, Session: "hunter22",
				OwnTools: []string{"hunter22"}, Stdout: "hunter22", Stderr: "hunter22"}},
	}
	return func(yield func(llm.Chunk, error) bool) {
		for _, s := range p.text {
			if !yield(llm.TextDelta(s), nil) {
				return
			}
		}
		for _, c := range chunks {
			if !yield(c, nil) {
				return
			}
		}
	}
}

// heard keeps live text.
type heard struct {
	mu   sync.Mutex
	text []string
}

func (h *heard) Signal(_ context.Context, _, _, _, _ string, body []byte) error {
	var said struct{ Delta string }
	if err := json.Unmarshal(body, &said); err != nil {
		return err
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	h.text = append(h.text, said.Delta)
	return nil
}

func (h *heard) all() []string {
	h.mu.Lock()
	defer h.mu.Unlock()
	return slices.Clone(h.text)
}

// caller runs the models alone, with a provider, and asks as the contributor.
type caller struct {
	*world
	conn     *bus.Conn
	provider string
	from     events.Event // what every request follows from
	n        uint64
}

func (w *world) callModels(provider llm.Provider) *caller {
	ctx, cancel := context.WithCancel(context.Background())
	models := w.connect(bus.Role{Kind: bus.Models})
	transcripts := &runtime.Transcripts{Blobs: models}
	reader := &runtime.Reader{Log: w.connect(bus.Role{Kind: bus.Reader}), Registry: events.Catalogue(), Project: project,
		Logger: logger()}
	m := &runtime.Models{Project: project, Log: models, Queue: models, IDs: newID, Transcripts: transcripts,
		Providers: map[string]llm.Provider{provider.Name(): provider}, Mask: w.mask, Signals: w.live, Clock: time.Now,
		Logger: logger()}
	reader.Subscribe(transcripts)
	reader.Subscribe(m)
	var wg sync.WaitGroup
	wg.Go(func() { require.NoError(w.t, reader.Run(ctx)) })
	wg.Go(func() { _ = m.Run(ctx, 4) })
	w.t.Cleanup(func() { cancel(); wg.Wait() })
	opened := w.until(isType("SessionOpened"))
	return &caller{world: w, provider: provider.Name(),
		conn: w.connect(bus.Role{Kind: bus.Decider, Name: events.ActorContributor}), from: opened[len(opened)-1]}
}

// ask has the contributor ask for a reply and returns the reply.
func (c *caller) ask(system string) events.ModelReplied {
	c.t.Helper()
	r := tiers.Request(events.Settings{Tiers: []events.TierSettings{{Tier: 3, Provider: c.provider,
		Models: []string{"m"}}}}, tiers.Seat{Tier: 3, Model: "m"},
		tiers.Sent{}, []events.Part{{Role: "system", Text: system}, {Role: "user", Text: "go on"}})
	r.StreamID = "Tier 3 (Worker): T-001"
	c.n++
	e, err := events.Decided(events.ActorContributor, c.from, int(c.n), c.n, r)
	require.NoError(c.t, err)
	_, err = c.conn.Append(context.Background(), e, nil)
	require.NoError(c.t, err)
	var out events.ModelReplied
	c.until(func(got *events.Event) bool {
		if p, failed := got.Payload.(events.ModelFailed); failed && p.Request == e.ID {
			c.t.Fatal(p.Message)
		}
		p, ok := got.Payload.(events.ModelReplied)
		out = p
		return ok && p.Request == e.ID
	})
	return out
}

func TestNothingOfAReplyAndNoLiveTextHoldsASecret(t *testing.T) {
	t.Parallel()
	live, w := &heard{}, newWorld(t, nil)
	w.live = live
	w.mask = func(b []byte) []byte {
		b = bytes.ReplaceAll(b, []byte("hunter22"), []byte("[secret]"))
		return bytes.ReplaceAll(b, []byte(`{"pass":"word"}`), []byte("[secret]")) // a header may hold JSON
	}
	w.open(nil)
	long := strings.Repeat("x", 5000)
	c := w.callModels(telling{text: []string{"My key", " is hun", "ter", "22. Das", " ist gänz", "lich ", long, " 22"}})
	got := c.ask("go")
	all, err := json.Marshal(got)
	require.NoError(t, err)
	require.NotContains(t, string(all), "hunter22")
	require.Equal(t, "My key is [secret]. Das ist gänzlich "+long+" 22", got.Text)
	require.Equal(t, "[secret]", got.Model)
	require.Equal(t, "read_[secret]", got.Calls[0].Name)
	require.JSONEq(t, `{"path":"[secret]"}`, string(got.Calls[0].Args))
	require.JSONEq(t, `{}`, string(got.Calls[1].Args))
	require.Equal(t, "the arguments contain a secret", got.Calls[1].Malformed)
	require.Equal(t, "no tool [secret]", got.Calls[2].Malformed)
	require.Empty(t, got.Raw)
	require.Equal(t, []string{"/bin/x", "--key=[secret]"}, got.CLI.Command)

	require.Equal(t, []string{"My ", "key is ", "[secret]. ", "Das ist gä", "nzlich ", long, " ", "22"}, live.all(),
		"as soon as a word is whole")
}
