package projections

import (
	"cmp"
	"maps"
	"slices"
	"strconv"
	"strings"

	"manualslop/events"
)

// EndState is for comparing two runs of the same work. It has no ids, no times and no order across
// tickets, and nothing that exists only because a process died or a model request was repeated
// (failed attempts, asks about interrupted calls).
type EndState struct {
	State   string                   `json:"state"`   // Idle, Planning, Executing, Done
	Tracks  map[string]EndTrack      `json:"tracks"`  // by id
	Tickets map[string]EndTicket     `json:"tickets"` // by id
	Files   map[string]string        `json:"files"`   // SHA-256 by path, as last recorded; empty if the file does not exist
	Streams map[string]string        `json:"streams"` // complete text by stream id
	Entries map[string][]EndEntry    `json:"entries"` // discussion by ticket; "" for entries without a ticket
	Usage   map[string]*events.Usage `json:"usage"`   // by tier, provider and model
	Asks    map[string]int           `json:"asks"`    // number by gate and outcome, such as "tool yes"; "tool open"
}

// EndTrack is the final state of a track.
type EndTrack struct {
	Status string `json:"status"`
	Reason string `json:"reason,omitempty"`
}

// EndTicket is the final state of a ticket.
type EndTicket struct {
	Status     string `json:"status"`
	Track      string `json:"track"`
	BlockKind  string `json:"block_kind,omitempty"`
	Reason     string `json:"reason,omitempty"`
	Attempt    int    `json:"attempt"`
	RetryCount int    `json:"retry_count"`
}

// EndEntry is the content of one discussion entry.
type EndEntry struct {
	Role    string `json:"role"`
	Tool    string `json:"tool,omitempty"`
	Outcome string `json:"outcome,omitempty"`
	SHA256  string `json:"sha256"` // of the complete text
	Head    string `json:"head"`   // start of the text, at most MaxSummary bytes
}

// comparison is the state from which EndState is made.
type comparison struct {
	Phase    phase                    `json:"phase"`
	Board    board                    `json:"board"`
	Requests requests                 `json:"requests"`
	Calls    calls                    `json:"calls"`
	Streams  streams                  `json:"streams"`
	Talk     talk                     `json:"talk"`
	Files    map[string]*recordedFile `json:"files"`
	Usage    map[string]*events.Usage `json:"usage"`
	Open     map[string]string        `json:"open"` // gates of open asks, by id
	Asks     map[string]int           `json:"asks"` // number of settled asks
}

var endState = Fold[*comparison]{
	Name: "comparable", Version: 5,
	Takes: ofTheWork,
	New: func() *comparison {
		return &comparison{
			Phase: newPhase(), Board: newBoard(), Requests: requests{}, Calls: calls{}, Streams: streams{}, Talk: newTalk(),
			Files: map[string]*recordedFile{}, Usage: map[string]*events.Usage{}, Open: map[string]string{},
			Asks: map[string]int{},
		}
	},
	Apply: (*comparison).apply,
	View:  func(c *comparison) any { return c.view() },
}

func (c *comparison) apply(e *events.Event) *comparison {
	c.Phase.apply(e)
	c.Board.apply(e)
	switch p := e.Payload.(type) {
	case events.ModelRequested:
		c.Requests.asked(e, &p)
	case events.ModelReplied:
		if q, counts := c.Requests.answered(p.Request); counts {
			c.replied(q, &p)
		}
	case events.ModelFailed:
		c.Requests.answered(p.Request)
	case events.ModelDenied:
		c.Requests.answered(p.Request)
	case events.AskRaised:
		if p.Gate != events.GateInterrupted {
			c.Open[p.Ask] = p.Gate
		}
	case events.AskSettled:
		if gate, open := c.Open[p.Ask]; open {
			delete(c.Open, p.Ask)
			c.Asks[gate+" "+p.Outcome]++
		}
	case events.FilesUpdated:
		for _, f := range p.Files {
			if f.Error == "" {
				c.file(f.Path).reread(f.After)
			}
		}
	default:
		c.applyTalk(e)
	}
	return c
}

func (c *comparison) replied(q request, p *events.ModelReplied) {
	c.Streams.replied(q, p.Text)
	c.Talk.replied(q, p)
	key := strconv.Itoa(q.Tier) + " " + q.Provider + "/" + q.Model
	u := c.Usage[key]
	if u == nil {
		u = &events.Usage{}
		c.Usage[key] = u
	}
	u.Input += p.Usage.Input
	u.Output += p.Usage.Output
	u.CacheRead += p.Usage.CacheRead
	u.CacheWrite += p.Usage.CacheWrite
	u.Estimated = u.Estimated || p.Usage.Estimated
}

func (c *comparison) applyTalk(e *events.Event) {
	switch p := e.Payload.(type) {
	case events.GoalSubmitted:
		c.Talk.said(RoleUser, p.Goal)
	case events.DiscussionChanged:
		if p.Operation == events.DiscussionReplace {
			c.Talk = newTalk()
			c.Talk.said(RoleSystem, string(p.Entries))
		}
	case events.GoalFailed:
		c.Talk.said(RoleSystem, p.Reason)
	default:
		k, counts := c.Calls.take(e)
		if !counts {
			return
		}
		c.Talk.called(e, k)
		if settled, ok := e.Payload.(events.ToolSettled); ok {
			for _, f := range settled.Files {
				if f.Written {
					c.file(f.Path).written(f.SHA256)
				}
			}
		}
	}
}

// EndState returns the state by which two runs of the same work are compared.
func (s *Set) EndState() EndState { return stateOf(s, endState).view() }

// talk is a fold of the discussion by ticket, which does not depend on the order in which parallel
// calls of one round settle.
type talk struct {
	Turns   map[string]int         `json:"turns"`   // number of replies so far, by group
	Place   map[string]int         `json:"place"`   // turn of each request that was answered with calls
	Entries map[string][]talkEntry `json:"entries"` // by group
}

// talkEntry is an entry with its position: first the reply of a turn, then its calls by index,
// each followed by tier 4's text about it.
type talkEntry struct {
	EndEntry
	Turn  int `json:"turn"`
	Index int `json:"index"` // 0 for the reply, n for the n-th call
	Kind  int `json:"kind"`
}

// Kinds of entries at one position, in order.
const (
	talkReply = iota
	talkOutcome
	talkTriage
)

func newTalk() talk {
	return talk{Turns: map[string]int{}, Place: map[string]int{}, Entries: map[string][]talkEntry{}}
}

func (t *talk) add(group string, n talkEntry) { t.Entries[group] = append(t.Entries[group], n) }

// said adds an entry that no model wrote and that belongs to no ticket.
func (t *talk) said(role, text string) {
	t.Turns[""]++
	t.add("", talkEntry{EndEntry: EndEntry{Role: role, SHA256: events.Digest([]byte(text)), Head: head(text)},
		Turn: t.Turns[""]})
}

func (t *talk) replied(q request, p *events.ModelReplied) {
	n := talkEntry{EndEntry: EndEntry{Role: RoleAI, SHA256: p.SHA256, Head: head(p.Text)}, Kind: talkReply}
	if q.Call != "" {
		n.Turn, n.Index, n.Kind = t.Place[requestOf(q.Call)], indexOf(q.Call), talkTriage
		t.add(q.Ticket, n)
		return
	}
	t.Turns[q.Ticket]++
	n.Turn = t.Turns[q.Ticket]
	if len(p.Calls) > 0 {
		t.Place[p.Request] = n.Turn
	}
	t.add(q.Ticket, n)
}

// called adds the final result of a call.
func (t *talk) called(e *events.Event, k *call) {
	n := talkEntry{EndEntry: EndEntry{Role: RoleTool, Tool: k.Tool}, Kind: talkOutcome}
	id := ""
	switch p := e.Payload.(type) {
	case events.ToolSettled:
		if p.Outcome == events.ToolInterrupted {
			return
		}
		id, n.Outcome, n.SHA256, n.Head = p.Call, p.Outcome, p.SHA256, head(p.Text)
	case events.ToolDenied:
		id, n.Outcome, n.SHA256, n.Head = p.Call, outcomeDenied, events.Digest([]byte(p.Reason)), head(p.Reason)
	case events.InterruptResolved:
		if p.Resolution == events.InterruptRetry {
			return
		}
		id, n.Outcome = p.Call, p.Resolution
	default:
		return
	}
	n.Turn, n.Index = t.Place[requestOf(id)], indexOf(id)
	t.add(k.Ticket, n)
}

// indexOf returns the number of a call among the calls of its reply, from 1.
func indexOf(callID string) int {
	n, err := strconv.Atoi(callID[strings.LastIndexByte(callID, '-')+1:])
	if err != nil {
		return 0
	}
	return n + 1
}

// entries returns the discussion by ticket, sorted by position.
func (t *talk) entries() map[string][]EndEntry {
	out := make(map[string][]EndEntry, len(t.Entries))
	// order-independent: each key is written once to another map
	for group, entries := range t.Entries {
		sorted := slices.Clone(entries)
		slices.SortStableFunc(sorted, func(a, b talkEntry) int {
			return cmp.Or(cmp.Compare(a.Turn, b.Turn), cmp.Compare(a.Index, b.Index), cmp.Compare(a.Kind, b.Kind),
				strings.Compare(a.SHA256, b.SHA256))
		})
		out[group] = make([]EndEntry, len(sorted))
		for i, n := range sorted {
			out[group][i] = n.EndEntry
		}
	}
	return out
}

// recordedFile is a file's last recorded digest, with all earlier ones.
type recordedFile struct {
	SHA256 string          `json:"sha256"`
	Known  map[string]bool `json:"known"`
}

func (c *comparison) file(path string) *recordedFile {
	f := c.Files[path]
	if f == nil {
		f = &recordedFile{Known: map[string]bool{}}
		c.Files[path] = f
	}
	return f
}

// written records the digest of a file that a tool wrote.
func (f *recordedFile) written(sha256 string) {
	f.SHA256 = sha256
	f.Known[sha256] = true
}

// reread records the digest that a refresh found. A digest that is already known may be older than
// the last recorded write, because tickets run concurrently and the order of recording is random;
// so it changes nothing.
func (f *recordedFile) reread(sha256 string) {
	if !f.Known[sha256] {
		f.written(sha256)
	}
}

func (c *comparison) view() EndState {
	v := EndState{
		State: c.Phase.State, Tracks: map[string]EndTrack{}, Tickets: map[string]EndTicket{},
		Files: make(map[string]string, len(c.Files)), Streams: make(map[string]string, len(c.Streams)),
		Entries: c.Talk.entries(), Usage: make(map[string]*events.Usage, len(c.Usage)), Asks: maps.Clone(c.Asks),
	}
	for _, tr := range c.Board.Tracks {
		v.Tracks[tr.Track.ID] = EndTrack{tr.Status, tr.Reason}
		for _, t := range tr.Tickets {
			v.Tickets[t.Ticket.ID] = EndTicket{t.Ticket.Status, tr.Track.ID, t.BlockKind, t.Ticket.BlockedReason, t.Attempt,
				t.Ticket.RetryCount}
		}
	}
	// order-independent: each key is written once to another map
	for path, f := range c.Files {
		v.Files[path] = f.SHA256
	}
	// order-independent: each key is written once to another map
	for id, s := range c.Streams {
		v.Streams[id] = s.comparableText()
	}
	// order-independent: each key is written once to another map
	for key, u := range c.Usage {
		copied := *u
		v.Usage[key] = &copied
	}
	// order-independent: counts only
	for _, gate := range c.Open {
		v.Asks[gate+" open"]++
	}
	return v
}

// comparableText returns the complete text of a stream. Tier 4 handles the failed calls of all
// tickets in one stream, in the random order in which they fail, so its texts are sorted.
func (s *stream) comparableText() string {
	if s.Work != "" {
		return s.text()
	}
	parts := slices.Sorted(slices.Values(s.Parts))
	return strings.Join(parts, "\n")
}
