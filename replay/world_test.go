package replay_test

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/oklog/ulid/v2"

	"manualslop/events"
	"manualslop/replay"
	"manualslop/tiers"
	"manualslop/tiers/basis"
	"manualslop/tiers/llm"
)

// world is everything outside the deciders, scripted: models, workers, people
// and timers. It drives the real machines and keeps the log they write, so that
// a history in a test is a truthful one. Seed decides who gets a turn when, as
// chance does between real processes; the same seed gives the same bytes.
type world struct {
	script   script
	registry *events.Registry
	chance   *rand.Rand
	log      []events.Event
	readers  []*worldReader
	pending  []said
	seen     int // events of the log to which the outside reacted
	ids      int
	ordinals map[string]uint64
	session  string
	clock    time.Time
	seqStep  uint64
	sent     *llm.Record // what the bodies are made from
}

// worldReader is one decider at its own place in the log.
type worldReader struct {
	machine *tiers.Machine
	next    int
}

// said is something that the outside will say.
type said struct {
	actor   string
	cause   string
	payload events.Payload
	raw     []byte // a body that is no envelope, on the subject of payload
}

// script is how one scenario's outside behaves. What is unset behaves well.
type script struct {
	settings func(*events.Settings)
	rules    []events.Rule // added by the person at the start
	goal     string
	plan     bool // its plan waits for a person
	tracks   int
	tickets  int // of each track, each depending on the one before
	rounds   []call
	react    func(w *world, e *events.Event) (handled bool)
	models   events.ModelsOffered
	cut      int  // stop the log after so many events; 0: when quiet
	open     bool // nobody closes the session
	padding  int  // bytes of text in each tool result
	tools    int  // tools offered beside the three that are called
	bodies   bool // replies say which body was sent, as the engine's do
}

// call is one tool call that tier 3 makes, one per round.
type call struct{ tool, args string }

// play runs a scenario to quiet.
func play(seed uint64, s script) []events.Event {
	w := newWorld(seed, s)
	w.open()
	w.run()
	if !s.open && s.cut == 0 {
		w.say("ada", "", events.SessionClosed{Reason: "done"})
		w.run()
	}
	if s.cut > 0 {
		return w.log[:min(s.cut, len(w.log))]
	}
	return w.log
}

func newWorld(seed uint64, s script) *world {
	w := &world{script: s, registry: events.Catalogue(), chance: rand.New(rand.NewPCG(seed, 1)),
		ordinals: map[string]uint64{},
		clock:    time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC), seqStep: 1 + seed%3}
	w.session = w.id()
	if s.bodies {
		w.sent = &llm.Record{}
	}
	for _, start := range replay.Deciders() {
		w.readers = append(w.readers, &worldReader{machine: start()})
	}
	return w
}

// id is the next id of the outside: a ULID of the clock and a counter.
func (w *world) id() string {
	w.ids++
	w.clock = w.clock.Add(time.Duration(1+w.chance.IntN(900)) * time.Millisecond)
	var id ulid.ULID
	if err := id.SetTime(uint64(w.clock.UnixMilli())); err != nil {
		panic(err)
	}
	sum := sha256.Sum256(fmt.Appendf(nil, "%s %d", w.session, w.ids))
	copy(id[6:], sum[:])
	return id.String()
}

func (w *world) open() {
	settings := events.Settings{MaxWorkers: 2, MaxRetries: 1, AskTimeoutMS: 60_000, ToolTimeoutMS: 60_000}
	for tier := 1; tier <= 4; tier++ {
		settings.Tiers = append(settings.Tiers, events.TierSettings{Tier: tier, Provider: "script",
			Models: []string{fmt.Sprintf("m%d", tier), "larger"}, MaxRounds: 12})
	}
	if w.script.settings != nil {
		w.script.settings(&settings)
	}
	w.say("ada", "", events.SessionOpened{Basis: basis.Of("test"), Label: "test", Folder: "20260102_030405_test",
		Workspace: "/w", Settings: settings})
	if len(w.script.models.Models) > 0 {
		w.say("ada", "", w.script.models)
	}
	w.say("ada", "", events.ToolsOffered{Tools: offers(w.script.tools)})
	for _, rule := range w.script.rules {
		w.say("ada", "", events.RuleAdded{Rule: rule})
	}
	w.flush()
	w.say("ada", "", events.GoalSubmitted{Goal: w.script.goal, Plan: w.script.plan})
}

// offers are the three tools that scenarios call, and more that nobody does.
func offers(more int) []events.ToolOffer {
	schema := json.RawMessage(
		`{"type":"object","properties":{"path":{"type":"string"},"content":{"type":"string"},"script":{"type":"string"}},"additionalProperties":false}`)
	out := []events.ToolOffer{
		{Name: "edit_file", Description: "Change a file.", Effect: "writes", Schema: schema},
		{Name: "read_file", Description: "Read a file.", Effect: "reads", Schema: schema},
		{Name: "run_powershell", Description: "Run a script.", Effect: "executes", Schema: schema},
	}
	for i := range more {
		out = append(out, events.ToolOffer{Name: fmt.Sprintf("tool_%d", i), Description: "One of many.", Effect: "reads",
			Schema: schema})
	}
	return out
}

// run gives turns until nobody has anything to do.
func (w *world) run() {
	for len(w.log) < 1_000_000 {
		var ready []int
		for i, r := range w.readers {
			if r.next < len(w.log) {
				ready = append(ready, i)
			}
		}
		if w.seen < len(w.log) {
			ready = append(ready, len(w.readers))
		}
		if len(w.pending) > 0 {
			ready = append(ready, len(w.readers)+1)
		}
		if len(ready) == 0 || w.script.cut > 0 && len(w.log) >= w.script.cut {
			return
		}
		w.turn(ready[w.chance.IntN(len(ready))])
	}
	panic("the session does not become idle")
}

func (w *world) turn(who int) {
	switch {
	case who < len(w.readers):
		r := w.readers[who]
		facts, err := r.machine.Take(&w.log[r.next])
		if err != nil {
			panic(err)
		}
		r.next++
		for _, f := range facts {
			w.append(f)
		}
	case who == len(w.readers):
		e := w.log[w.seen]
		w.seen++
		if w.script.react == nil || !w.script.react(w, &e) {
			w.react(&e)
		}
	default:
		i := w.chance.IntN(len(w.pending))
		s := w.pending[i]
		w.pending = slices.Delete(w.pending, i, i+1)
		w.utter(s)
	}
}

// say makes the outside say something when its turn comes.
func (w *world) say(actor, cause string, p events.Payload) {
	w.pending = append(w.pending, said{actor: actor, cause: cause, payload: p})
}

// flush says everything at once, in order.
func (w *world) flush() {
	for _, s := range w.pending {
		w.utter(s)
	}
	w.pending = nil
}

func (w *world) utter(s said) {
	o := events.Origin{ID: w.id(), Project: "p1", Session: w.session, Actor: s.actor, Cause: s.cause, Time: w.clock}
	if events.IsWorker(s.actor) {
		w.ordinals[s.actor]++
		o.N = w.ordinals[s.actor]
	}
	e, err := events.New(o, s.payload)
	if err != nil {
		panic(err)
	}
	if s.raw != nil {
		if e, err = events.FromStored(events.Stored{Subject: e.Subject(), MsgID: e.ID, Time: e.Time,
			Body: s.raw}); err != nil {
			panic(err)
		}
		e.Seq = w.seq()
		w.registry.Decode(&e)
		w.log = append(w.log, e)
		return
	}
	w.append(e)
}

// append stores an event as a log does: through its bytes.
func (w *world) append(e events.Event) {
	wire, err := json.Marshal(e)
	if err != nil {
		panic(err)
	}
	var back events.Event
	if err := json.Unmarshal(wire, &back); err != nil {
		panic(err)
	}
	back.Seq = w.seq()
	w.registry.Decode(&back)
	w.log = append(w.log, back)
	if w.sent != nil {
		w.sent.Take(&w.log[len(w.log)-1])
	}
}

// seq is the next sequence; other sessions take some in between.
func (w *world) seq() uint64 { return uint64(len(w.log)+1) * w.seqStep }

func (w *world) worker() string { return fmt.Sprintf("worker-h-%d", 1+w.chance.IntN(2)) }

// react is the outside that behaves well.
func (w *world) react(e *events.Event) {
	switch p := e.Payload.(type) {
	case events.ContextRequested:
		built := events.ContextBuilt{Request: e.ID}
		for _, v := range p.Views {
			text := "view of " + v.Path + "\n"
			built.Views = append(built.Views, events.View{Path: v.Path, View: v.View, Text: text,
				SHA256: events.Digest([]byte(text)), Size: int64(len(text)),
				File: &events.FileState{Path: v.Path, SHA256: events.Digest([]byte(v.Path)), Size: 1}})
		}
		w.say(w.worker(), e.ID, built)
	case events.ModelRequested:
		w.model(e, p)
	case events.PreviewRequested:
		w.say(w.worker(), e.ID, events.PreviewBuilt{Call: p.Call, Diff: "-a\n+b\n", Changes: []events.FileChange{
			{Path: "a.go", Before: "ab", After: "cd"}}})
	case events.ToolApproved:
		w.settle(e, p, events.ToolDone)
	case events.RefreshRequested:
		w.say(w.worker(), e.ID, events.FilesUpdated{Request: e.ID, Ticket: p.Ticket,
			Files: []events.FileUpdate{{Path: "a.go", Before: "ab", After: "cd", Size: 1,
				Diff: "--- a.go\n+++ a.go\n-a\n+b\n"}}})
	case events.AskRaised:
		w.say("ada", e.ID, events.AskAnswered{Ask: p.Ask, Decision: events.Yes})
	}
}

func (w *world) settle(e *events.Event, p events.ToolApproved, outcome string) {
	text := "result of " + p.Tool + strings.Repeat(" and more text", w.script.padding/14)
	s := events.ToolSettled{Call: p.Call, Tool: p.Tool, Outcome: outcome, Text: text, SHA256: events.Digest([]byte(text)),
		ArgsSHA256: p.ArgsSHA256, Generation: p.Generation, DurationMS: 3}
	if p.Tool == "run_powershell" {
		exit := 0
		if outcome == events.ToolFailed {
			exit = 1
			s.Stderr = "NameError: x is not defined"
		}
		s.Exit, s.Interpreter = &exit, "bash"
	}
	w.say(w.worker(), e.ID, s)
}

// model answers as the script of the scenario says.
func (w *world) model(e *events.Event, p events.ModelRequested) {
	switch p.Tier {
	case 1:
		var tracks []events.Track
		for i := range w.script.tracks {
			tracks = append(tracks, events.Track{ID: fmt.Sprintf("TR-%d", i+1), Title: "Part", Description: "Do part of it"})
		}
		w.reply(e, mustJSON(tracks))
	case 2:
		w.reply(e, mustJSON(w.plan(p.Track)))
	case 3:
		w.round(e, p)
	default:
		w.reply(e, "a name is missing")
	}
}

func (w *world) plan(track string) []map[string]any {
	var tickets []map[string]any
	for i := range w.script.tickets {
		t := map[string]any{"id": fmt.Sprintf("%s-T%d", track, i+1), "description": "Mend it", "target_file": "a.go",
			"depends_on": []string{}}
		if i > 0 && i%2 == 0 {
			t["depends_on"] = []string{fmt.Sprintf("%s-T%d", track, i)}
		}
		tickets = append(tickets, t)
	}
	return tickets
}

func (w *world) round(e *events.Event, p events.ModelRequested) {
	if p.Round > len(w.script.rounds) {
		w.reply(e, "DONE: it is.")
		return
	}
	c := w.script.rounds[p.Round-1]
	w.reply(e, "I call a tool.", events.ToolCall{ID: events.CallID(e.ID, 0), Name: c.tool, Args: json.RawMessage(c.args)})
}

func (w *world) reply(e *events.Event, text string, calls ...events.ToolCall) {
	finish := "stop"
	if len(calls) > 0 {
		finish = "tool_calls"
	}
	said := events.ModelReplied{Request: e.ID, Text: text, SHA256: events.Digest([]byte(text)), Calls: calls,
		Finish: finish,
		Usage:  events.Usage{Input: 100, Output: 10}, ScriptLine: 1}
	if asked, is := e.Payload.(events.ModelRequested); is && w.sent != nil {
		said.BodySHA256, said.Wire = w.body(e.ID, asked), llm.NeutralWire
	}
	w.say(events.ActorModels, e.ID, said)
}

// body is the digest of the body that the scripted model is sent.
func (w *world) body(request string, asked events.ModelRequested) string {
	r, err := w.sent.Request(request, asked, texts)
	if err != nil {
		panic(err)
	}
	body, err := r.Wire()
	if err != nil {
		panic(err)
	}
	return events.Digest(body)
}

// texts are the blobs of every world: what prompts begin with.
func texts(sha256 string) ([]byte, error) {
	b, ok := basisTexts()[sha256]
	if !ok {
		return nil, events.ErrNoBlob
	}
	return b, nil
}

var basisTexts = sync.OnceValue(func() map[string][]byte {
	out := map[string][]byte{}
	for _, b := range basis.Bytes() {
		out[events.Digest(b)] = b
	}
	return out
})

func mustJSON(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return string(b)
}
