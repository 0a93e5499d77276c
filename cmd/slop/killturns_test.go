package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/oklog/ulid/v2"
	"github.com/stretchr/testify/require"

	"manualslop/bus"
	"manualslop/events"
	"manualslop/tiers/llm/llmtest"
	"manualslop/tiers/runtime/talktest"
)

// turnKill is the point of a turn at which the engine is killed.
type turnKill string

const (
	atRequest  turnKill = "the turn is on the log"
	atSent     turnKill = "the vendor has the request"
	atStream   turnKill = "the answer has begun to stream"
	atReply    turnKill = "the first reply is on the log"
	atCall     turnKill = "a tool call is approved"
	atSettled  turnKill = "a tool call is settled"
	atContinue turnKill = "the answer to the tool results streams"
)

// killAt is where the engine dies in a turn. Turns with a tool call are killed around it; a shift moves the others on.
func killAt(number, shift int) turnKill {
	plain := []turnKill{atRequest, atSent, atStream, atReply}
	worked := []turnKill{atCall, atSettled, atContinue}
	if i := slices.Index([]int{2, 4, 9}, number); i >= 0 {
		return worked[(i+shift)%len(worked)]
	}
	return plain[(number+shift)%len(plain)]
}

// heldModel answers in the discussion, and can hold its next answer: none of it comes until the
// test lets frames out.
type heldModel struct {
	mu    sync.Mutex
	held  chan struct{} // of the answer that is held next; nil: none
	begun chan struct{} // is sent to when a held answer begins
	// results means that only an answer to tool results is held.
	results bool
}

func (m *heldModel) answer(v llmtest.View) llmtest.Turn {
	m.mu.Lock()
	defer m.mu.Unlock()
	turn := talktest.Answer(v)
	if answers := len(v.Messages[len(v.Messages)-1].Results) > 0; m.held != nil && answers == m.results {
		turn.Gate, m.held = m.held, nil
		close(m.begun)
	}
	return turn
}

// hold holds the next answer; begun is closed when it begins.
func (m *heldModel) hold(results bool) (frames chan<- struct{}, begun <-chan struct{}) {
	m.mu.Lock()
	defer m.mu.Unlock()
	gate := make(chan struct{})
	m.held, m.begun, m.results = gate, make(chan struct{}), results
	return gate, m.begun
}

// discussed is an engine process in whose session a discussion is held.
type discussed struct {
	s      *site
	model  *heldModel
	engine *running
	log    *bus.Conn
	shift  int
}

// editResults are results of edits. An edit whose worker died before it could record the outcome is found done, and its
// result then has no diff.
var editResults = regexp.MustCompile(`(?s)(?:edit_file \S+: 1 occurrence replaced|done: the change is in place).*?\n\[END`)

// TestAKilledProcessInEachTurnLeadsToTheSameEnd kills the engine once in each of ten turns, each time at another point,
// and compares every prompt with those of an engine that ran through.
func TestAKilledProcessInEachTurnLeadsToTheSameEnd(t *testing.T) {
	t.Parallel()
	wires := []struct{ vendor, model string }{{"gemini", "gemini-3.5-flash"}, {"anthropic", "claude-sonnet-4-6"},
		{"openai", "gpt-4.1"}, {"openai", "gpt-5.6-sol"}}
	for _, on := range wires[:load(1, len(wires))] {
		for shift := range load(1, 4) {
			t.Run(fmt.Sprint(on.model, " ", shift), func(t *testing.T) {
				t.Parallel()
				model := &heldModel{}
				fake, stop, err := llmtest.Start(llmtest.Options{Vendor: on.vendor, Models: []string{on.model},
					Answer: model.answer})
				require.NoError(t, err)
				t.Cleanup(stop)
				s := newSite(t, talktest.Files())
				s.configure(scriptConfig + fmt.Sprintf("[files]\ntracked = [\"main.py\"]\n"+
					"[tiers]\nall = { provider = %q, model = %q, max_rounds = 4 }\n[providers.%s]\nbase_url = %q\n", on.vendor,
					on.model, on.vendor, fake.URL))
				require.NoError(t, os.WriteFile(filepath.Join(s.home, "slop", "credentials.toml"),
					fmt.Appendf(nil, "[%s]\napi_key = %q\n", on.vendor, llmtest.Key), 0o600))
				d := &discussed{s: s, model: model, shift: shift}
				d.hold()
				require.Empty(t, fake.Refused())
				sent := slices.CompactFunc(fake.Requests(), func(a, b llmtest.View) bool {
					return string(a.Body) == string(b.Body)
				})
				want, err := os.ReadFile(filepath.Join("../../tiers/runtime/testdata/turns", on.model+".txt"))
				require.NoError(t, err)
				require.Equal(t, editResults.ReplaceAllString(string(want), "edited\n[END"),
					editResults.ReplaceAllString(talktest.Transcript(sent), "edited\n[END"))
			})
		}
	}
}

// hold holds the discussion and checks its end.
func (d *discussed) hold() {
	t := d.s.t
	d.engine, d.log = d.s.serve("--yes")
	session := d.s.engine().Session
	p := talktest.Person{T: t, Say: d.say, Until: d.until,
		History: func() []events.Event { return history(t, d.log, filepath.Base(d.s.dir)) }}
	p.Hold(func(number int, discussion, text string) events.TurnEnded {
		at := killAt(number, d.shift)
		frames, begun := chan<- struct{}(nil), (<-chan struct{})(nil)
		if at == atSent || at == atStream || at == atContinue {
			frames, begun = d.model.hold(at == atContinue)
		}
		turn := p.Send(discussion, text)
		d.await(at, turn, frames, begun)
		d.engine.kill()
		d.log.Close()
		d.engine, d.log = d.s.serve("--yes")
		require.Equal(t, session, d.s.engine().Session)
		return p.EndOf(turn)
	})
	p.RequireEnd(d.s.dir)
	d.engine.kill()
	var got replayed
	require.NoError(t, json.Unmarshal([]byte(d.s.ok("replay", session, "--verify", "--json")), &got))
	require.Equal(t, talktest.Replies, got.Prompts.Same, "built again to the byte")
	require.Zero(t, got.Prompts.Skipped)
}

// await waits until a turn is at a point.
func (d *discussed) await(at turnKill, turn string, frames chan<- struct{}, begun <-chan struct{}) {
	t := d.s.t
	t.Helper()
	switch at {
	case atReply:
		asked := ""
		d.until(func(e *events.Event) bool {
			if p, is := e.Payload.(events.ModelRequested); is && p.Ticket == turn {
				asked = e.ID
			}
			p, is := e.Payload.(events.ModelReplied)
			return is && p.Request == asked
		})
	case atCall:
		fact(t, d.log, 1, func(_ events.Event, p events.ToolApproved) bool { return p.Ticket == turn })
	case atSettled:
		_, call := fact(t, d.log, 1, func(_ events.Event, p events.ToolApproved) bool { return p.Ticket == turn })
		fact(t, d.log, 1, func(_ events.Event, p events.ToolSettled) bool { return p.Call == call.Call })
	case atSent, atStream, atContinue:
		ctx, cancel := context.WithTimeout(t.Context(), patience)
		defer cancel()
		select {
		case <-begun:
		case <-ctx.Done():
			t.Fatal("no request came")
		}
		for range 2 { // the first frame is out when the second is let out
			if at == atSent {
				return
			}
			select {
			case frames <- struct{}{}:
			case <-ctx.Done():
				t.Fatal("the answer has ended")
			}
		}
	}
}

// say records what the person does.
func (d *discussed) say(p events.Payload) string {
	d.s.t.Helper()
	e, err := events.New(events.Origin{ID: ulid.Make().String(), Time: time.Now(), Project: filepath.Base(d.s.dir),
		Session: d.s.engine().Session, Actor: person}, p)
	require.NoError(d.s.t, err)
	_, err = d.log.Append(d.s.t.Context(), e, nil)
	require.NoError(d.s.t, err)
	return e.ID
}

// until waits for an event and returns all events up to it.
func (d *discussed) until(want func(e *events.Event) bool) (out []events.Event) {
	t := d.s.t
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	_, feed, err := d.log.Watch(ctx, events.Filter{Project: filepath.Base(d.s.dir)}, 1)
	require.NoError(t, err)
	registry := events.Catalogue()
	for e, err := range feed {
		require.NoError(t, err)
		registry.Decode(&e)
		if out = append(out, e); want(&e) {
			return out
		}
	}
	t.Fatal("the awaited event did not come")
	return nil
}
