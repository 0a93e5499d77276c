package views

import (
	"cmp"
	"encoding/json"
	"net/http"
	"slices"
	"unicode/utf8"

	"manualslop/events"
	"manualslop/hookgw/core"
	"manualslop/hookgw/problem"
	"manualslop/projections"
)

// Limits of a conversation.
const (
	// maxRounds is the number of newest model requests that are shown; older ones are only counted.
	maxRounds = 60
	// maxShown limits how much of one text is shown, in bytes.
	maxShown = 32 << 10
)

// Conversation is the answer of GET /api/conversation.
type Conversation struct {
	Worker   string  `json:"worker"`
	Attempt  int     `json:"attempt"`
	Attempts int     `json:"attempts"` // number of attempts
	Older    int     `json:"older"`    // requests that are not shown
	Rounds   []Round `json:"rounds"`   // oldest first
}

// Round is one request to a model and its results.
type Round struct {
	projections.Span
	Anew     bool     `json:"anew,omitempty"` // the prompt does not continue an earlier one
	Said     []Said   `json:"said"`           // what was new in the request
	Thoughts []string `json:"thoughts"`       // as far as the provider reports them
	Text     string   `json:"text"`
	Calls    []Called `json:"calls"`
}

// Said is a part of a prompt.
type Said struct {
	Role   string `json:"role"`             // system, user
	Kind   string `json:"kind,omitempty"`   // refresh, entry, image
	Origin string `json:"origin,omitempty"` // of text that is not the engine's: repo, program, web, mcp
	Text   string `json:"text"`
	Size   int64  `json:"size"` // of the whole text, of which Text may be the head
}

// Called is a call of a tool, and its result.
type Called struct {
	projections.Span                 // without an id of its own if it was never requested
	Args             json.RawMessage `json:"args"` // in a conversation as the model sent them
	// Edited means that a user changed the arguments; Args are then the changed ones. A conversation has a note instead.
	Edited bool   `json:"edited,omitempty"`
	Text   string `json:"text"`           // of the result
	Size   int64  `json:"size"`           // of the whole result, of which Text may be the head
	Note   string `json:"note,omitempty"` // what the engine told the model after the result
	Ask    string `json:"ask,omitempty"`  // the open ask about the call
}

func getConversation(c *core.Call) error {
	worker := c.Query().Get("worker")
	if worker == "" {
		return problem.New(http.StatusBadRequest, "worker is missing", "GET /api/mma/workers lists them.")
	}
	attempt, err := whole(c, "attempt", 0, 1<<30)
	if err != nil {
		return err
	}
	session, err := c.SomeSession()
	if err != nil {
		return err
	}
	out := Conversation{Worker: worker, Rounds: []Round{}}
	t := talk{c: c, session: session, built: map[string]uint64{}, calls: map[string]projections.Span{},
		events: map[uint64]events.Event{}}
	var asked []projections.Span
	err = c.ReadAt(c.Core.Past, func(s *projections.Set) error {
		t.asks = asksByCall(s)
		newest, found := s.Conversation(worker, int(attempt))
		out.Attempts, out.Attempt = newest, newest
		for _, p := range found {
			out.Attempt = p.Attempt
			switch p.Kind {
			case projections.SpanModel:
				asked = append(asked, *p)
			case projections.SpanTool:
				t.calls[p.ID] = *p
			case projections.SpanContext:
				t.built[p.EndID] = p.EndSeq
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	out.Older = max(0, len(asked)-maxRounds)
	asked = asked[out.Older:]
	if err := t.read(asked); err != nil {
		return err
	}
	for i := range asked {
		round, err := t.round(&asked[i])
		if err != nil {
			return err
		}
		t.notes(&round, out.Rounds)
		out.Rounds = append(out.Rounds, round)
	}
	return c.ReplyUnlessKnown(out)
}

// talk reads the events of one conversation.
type talk struct {
	c       *core.Call
	session string
	built   map[string]uint64 // sequences of the files that were read, by event
	calls   map[string]projections.Span
	asks    map[string]string // open ones, by call
	events  map[uint64]events.Event
	parts   []events.Part // of the newest request, those that are new in it
}

// maxGap is the number of unrelated events between two events of a conversation that are read as well, because a
// second read would cost more.
const maxGap = 200

// read reads the events of requests and of the resulting calls with few reads of the log. Other events that a request
// refers to are read when needed.
func (t *talk) read(asked []projections.Span) error {
	if len(asked) == 0 {
		return nil
	}
	var seqs []uint64
	for i := range asked {
		seqs = append(seqs, asked[i].Seq, asked[i].EndSeq)
	}
	for _, call := range t.calls { // order-independent: sorted below
		seqs = append(seqs, call.EndSeq)
	}
	seqs = slices.DeleteFunc(seqs, func(seq uint64) bool { return seq < asked[0].Seq })
	slices.Sort(seqs)
	filter := events.Filter{Project: t.c.Gw.Cfg.Project, Session: t.session}
	for len(seqs) > 0 {
		n := 1
		for n < len(seqs) && seqs[n]-seqs[n-1] <= maxGap {
			n++
		}
		for e, err := range t.c.Gw.Replays.Read(t.c.Request.Context(), filter, seqs[0], seqs[n-1]) {
			if err != nil {
				return err
			}
			if _, wanted := slices.BinarySearch(seqs[:n], e.Seq); wanted {
				events.Catalogue().Decode(&e)
				t.events[e.Seq] = e
			}
		}
		seqs = seqs[n:]
	}
	return nil
}

// event reads an event. If the log no longer has it, the event has no payload.
func (t *talk) event(seq uint64) (events.Event, error) {
	if e, known := t.events[seq]; known || seq == 0 {
		return e, nil
	}
	e, _, err := eventAt(t.c, t.session, seq)
	if err != nil {
		return e, err
	}
	events.Catalogue().Decode(&e)
	t.events[seq] = e
	return e, nil
}

func (t *talk) round(span *projections.Span) (Round, error) {
	out := Round{Span: *span, Said: []Said{}, Thoughts: []string{}, Calls: []Called{}}
	e, err := t.event(span.Seq)
	if err != nil {
		return out, err
	}
	asked, _ := e.Payload.(events.ModelRequested)
	out.Anew, t.parts = asked.Continues == "", asked.Manifest
	for _, p := range asked.Manifest {
		if p.Role != "system" && p.Role != "user" {
			continue
		}
		text, err := t.text(p)
		if err != nil {
			return out, err
		}
		text = p.Prefix + text + p.Suffix
		out.Said = append(out.Said, Said{p.Role, p.Kind, p.Origin, head(text), int64(len(text))})
	}
	if e, err = t.event(span.EndSeq); err != nil {
		return out, err
	}
	replied, _ := e.Payload.(events.ModelReplied)
	raw := replied.Raw
	if replied.RawBlob != nil {
		if raw, err = t.blob(replied.RawBlob.SHA256); err != nil {
			return out, err
		}
	}
	out.Text, out.Thoughts = head(replied.Text), append(out.Thoughts, thoughts(raw)...)
	for _, call := range replied.Calls {
		called, err := t.called(call)
		if err != nil {
			return out, err
		}
		out.Calls = append(out.Calls, called)
	}
	return out, nil
}

// called returns a call of a reply with its result.
func (t *talk) called(call events.ToolCall) (Called, error) {
	span, known := t.calls[call.ID]
	if !known {
		span = projections.Span{Kind: projections.SpanTool, Name: call.Name, State: projections.CallRequested,
			Detail: call.Malformed}
	}
	return t.result(span, call.Args)
}

// result returns a call with its result.
func (t *talk) result(span projections.Span, args json.RawMessage) (Called, error) {
	out := Called{Span: span, Args: args, Ask: t.asks[span.ID]}
	e, err := t.event(span.EndSeq)
	if err != nil {
		return out, err
	}
	if settled, ok := e.Payload.(events.ToolSettled); ok {
		out.Text, out.Size = head(settled.Text), int64(len(settled.Text))
		if settled.TextBlob != nil {
			out.Size = settled.TextBlob.Size
		}
	}
	return out, nil
}

// asksByCall returns the oldest open ask about each call.
func asksByCall(s *projections.Set) map[string]string {
	out := map[string]string{}
	for _, a := range s.OpenAsks() {
		if _, older := out[a.Call]; a.Call != "" && !older {
			out[a.Call] = a.AskRaised.Ask
		}
	}
	return out
}

// getCall answers with one call.
func getCall(c *core.Call) error {
	session, err := c.SomeSession()
	if err != nil {
		return err
	}
	t := talk{c: c, session: session, events: map[uint64]events.Event{}}
	var span projections.Span
	var until uint64
	err = c.ReadAt(c.Core.Past, func(s *projections.Set) error {
		found, known := s.Span(c.Vars["call"])
		if !known || found.Kind != projections.SpanTool {
			return problem.New(http.StatusNotFound, "the session has no such call", "GET /api/spans lists them.")
		}
		span, t.asks, until = *found, asksByCall(s), s.Seq()
		return nil
	})
	if err != nil {
		return err
	}
	e, err := t.event(span.Seq)
	if err != nil {
		return err
	}
	requested, _ := e.Payload.(events.ToolRequested)
	out, err := t.result(span, requested.Args)
	if err != nil {
		return err
	}
	approvals := events.Filter{Project: c.Gw.Cfg.Project, Session: session, Actor: events.ActorApproval,
		Type: events.NameOf[events.ToolApproved]()}
	for e, err := range c.Gw.Replays.Read(c.Request.Context(), approvals, span.Seq, cmp.Or(span.EndSeq, until)) {
		if err != nil {
			return err
		}
		events.Catalogue().Decode(&e)
		if p, ok := e.Payload.(events.ToolApproved); ok && p.Call == span.ID && p.Edited {
			out.Args, out.Edited = p.Args, true
		}
	}
	return c.ReplyUnlessKnown(out)
}

// notes adds the engine's remarks on the results in this request to the calls that they belong to.
func (t *talk) notes(round *Round, before []Round) {
	if len(before) == 0 {
		return
	}
	last := before[len(before)-1].Calls
	for _, p := range t.parts {
		for i := range last {
			if p.Role == "tool" && p.Call == last[i].ID && !round.Anew {
				last[i].Note = head(p.Prefix + p.Suffix)
			}
		}
	}
}

// text returns the text of a part without its fence.
func (t *talk) text(p events.Part) (string, error) {
	switch {
	case p.Kind == events.PartImage:
		return "", nil
	case p.From == "" && p.SHA256 == "":
		return p.Text, nil
	case p.From == "":
		b, err := t.blob(p.SHA256)
		return string(b), err
	}
	e, err := t.event(t.built[p.From])
	if err != nil {
		return "", err
	}
	built, _ := e.Payload.(events.ContextBuilt)
	if p.Index < 0 || p.Index >= len(built.Views) {
		return "(the text of event " + p.From + ")", nil
	}
	view := built.Views[p.Index]
	if !view.Blob {
		return view.Text, nil
	}
	b, err := t.blob(view.SHA256)
	return string(b), err
}

// blob returns the bytes with a digest, or a message that they are missing.
func (t *talk) blob(sha256 string) ([]byte, error) {
	missing := []byte("(the bytes " + sha256 + " are not in the store)")
	if t.c.Gw.Cfg.Blobs == nil {
		return missing, nil
	}
	b, err := t.c.Gw.Cfg.Blobs.Get(t.c.Request.Context(), sha256)
	if err != nil && t.c.Request.Context().Err() == nil {
		return missing, nil
	}
	return b, err
}

// head returns the beginning of a text, cut between characters.
func head(s string) string {
	if len(s) <= maxShown {
		return s
	}
	n := maxShown
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n]
}

// thoughts returns the readable thoughts in the opaque blocks of a reply, of every vendor.
func thoughts(raw json.RawMessage) []string {
	var v any
	if len(raw) == 0 || events.Nesting(raw) > 32 || json.Unmarshal(raw, &v) != nil {
		return nil
	}
	var out []string
	collect(v, &out)
	return out
}

func collect(v any, out *[]string) {
	switch x := v.(type) {
	case []any:
		for _, item := range x {
			collect(item, out)
		}
	case map[string]any:
		for _, name := range []string{"thinking", "reasoning_content", "reasoning"} {
			if text, ok := x[name].(string); ok && text != "" {
				*out = append(*out, head(text))
			}
		}
		if text, ok := x["text"].(string); ok && (x["thought"] == true || x["type"] == "summary_text") {
			*out = append(*out, head(text))
		}
		for _, name := range []string{"data", "content", "parts", "summary", "blocks", "output", "items"} {
			collect(x[name], out)
		}
	}
}
