package projections

import (
	"cmp"
	"slices"
	"time"

	"manualslop/events"
)

// MaxEndedTurns limits how many ended turns a session remembers.
const MaxEndedTurns = 1024

// Turn is a user's message in a discussion, and the state of its answer.
type Turn struct {
	Turn       string              `json:"turn"` // id that its requests and calls use as their ticket
	Discussion string              `json:"discussion"`
	Entry      string              `json:"entry"`             // entry with the user's message
	Compact    bool                `json:"compact,omitempty"` // the turn compacts the discussion and has no entry
	Answer     string              `json:"answer,omitempty"`  // entry with the newest reply
	Outcome    string              `json:"outcome"`           // done, failed, stopped or refused; empty while it continues
	Reason     string              `json:"reason,omitempty"`
	Provider   string              `json:"provider"`
	Model      string              `json:"model"`
	Round      int                 `json:"round"`
	At         time.Time           `json:"at"`
	Ended      *time.Time          `json:"ended"`
	Changes    []events.FileChange `json:"changes,omitempty"`
	// Retrieved says what was found in the project's files for the message; nil if nothing was wanted.
	Retrieved *TurnRetrieved `json:"retrieved,omitempty"`
}

// TurnRetrieved describes the passages that were found for a turn, and how.
type TurnRetrieved struct {
	events.Retrieved
	Found []TurnPassage `json:"found"` // best first
}

// TurnPassage is a passage that a turn's prompt shows.
type TurnPassage struct {
	Path  string  `json:"path"`
	First int     `json:"first_line"`
	Last  int     `json:"last_line"`
	Score float64 `json:"score"`
}

// Passages returns the passages among the views of a prompt, best first.
func Passages(views []events.View) []TurnPassage {
	out := []TurnPassage{}
	for _, v := range views {
		if v.View == events.ViewRetrieved && v.Error == "" && v.Slice != nil {
			out = append(out, TurnPassage{v.Path, v.Slice.StartLine, v.Slice.EndLine, v.Score})
		}
	}
	return out
}

// turnBook holds all turns that continue, and the newest ended ones.
type turnBook struct {
	Turns    map[string]*Turn  `json:"turns"`
	Requests map[string]string `json:"requests"` // unanswered requests to models, with their turn
	Order    []string          `json:"order"`    // in the order of the requests
	Ended    []string          `json:"ended"`    // oldest first
}

var turns = Fold[*turnBook]{
	Name: "turns", Version: 1,
	Takes: ofTurns,
	New:   func() *turnBook { return &turnBook{Turns: map[string]*Turn{}, Requests: map[string]string{}} },
	Apply: (*turnBook).apply,
	View: func(b *turnBook) any {
		return struct {
			Turns []Turn `json:"turns"`
		}{b.list()}
	},
}

func ofTurns(p events.Payload) bool {
	switch p.(type) {
	case events.TurnRequested, events.TurnEnded, events.SessionClosed, events.ContextBuilt:
		return true
	}
	return ofRequests(p)
}

func (b *turnBook) apply(e *events.Event) *turnBook {
	switch p := e.Payload.(type) {
	case events.TurnRequested:
		id := events.TurnTicket(e.ID)
		if b.Turns[id] == nil {
			b.Turns[id] = &Turn{Turn: id, Discussion: p.Discussion, Entry: e.ID, Compact: p.Compact, At: e.Time}
			if p.Compact {
				b.Turns[id].Entry = ""
			}
			b.Order = append(b.Order, id)
		}
	case events.TurnEnded:
		b.end(e, p)
	case events.SessionClosed:
		for _, id := range b.Order {
			b.end(e, events.TurnEnded{Turn: id, Outcome: events.TurnStopped, Reason: "the session was closed"})
		}
	case events.ModelRequested:
		if t := b.Turns[p.Ticket]; t != nil && t.Ended == nil && p.Call == "" {
			t.Provider, t.Model, t.Round = p.Provider, p.Model, p.Round
			b.Requests[e.ID] = p.Ticket
		}
	case events.ModelReplied:
		if t := b.Turns[b.Requests[p.Request]]; t != nil && p.Text != "" {
			t.Answer = e.ID
		}
		delete(b.Requests, p.Request)
	case events.ModelFailed:
		delete(b.Requests, p.Request)
	case events.ModelDenied:
		delete(b.Requests, p.Request)
	case events.ContextBuilt:
		if p.Retrieved == nil {
			break
		}
		if t := b.Turns[p.Retrieved.Ticket]; t != nil && t.Ended == nil {
			t.Retrieved = &TurnRetrieved{*p.Retrieved, Passages(p.Views)}
		}
	}
	return b
}

func (b *turnBook) end(e *events.Event, p events.TurnEnded) {
	t := b.Turns[p.Turn]
	if t == nil || t.Ended != nil {
		return
	}
	at := e.Time
	t.Outcome, t.Reason, t.Changes, t.Ended = p.Outcome, p.Reason, p.Changes, &at
	b.Ended = append(b.Ended, p.Turn)
	if len(b.Ended) > MaxEndedTurns {
		old := b.Ended[0]
		b.Ended = append([]string{}, b.Ended[1:]...)
		delete(b.Turns, old)
		kept := make([]string, 0, len(b.Order))
		for _, id := range b.Order {
			if id != old {
				kept = append(kept, id)
			}
		}
		b.Order = kept
	}
}

func (b *turnBook) list() []Turn {
	out := make([]Turn, len(b.Order))
	for i, id := range b.Order {
		out[i] = *b.Turns[id]
	}
	return out
}

// Turns returns the unfinished turns and the newest finished ones, in the order of the requests.
func (s *Set) Turns() []Turn { return stateOf(s, turns).list() }

// Turn returns a turn; false if there is none, or it was forgotten.
func (s *Set) Turn(id string) (Turn, bool) {
	t := stateOf(s, turns).Turns[id]
	if t == nil {
		return Turn{}, false
	}
	return *t, true
}

// asked adds a user's message to the discussion of a turn.
func (c *conversation) asked(e *events.Event, p *events.TurnRequested) {
	name := p.Discussion
	if c.Threads[name] == nil {
		name = c.Active
	}
	c.Turns[events.TurnTicket(e.ID)] = name
	if p.Compact {
		c.compact(events.TurnTicket(e.ID), p)
		return
	}
	c.addTo(name, e, Entry{Role: RoleUser, Content: p.Text})
}

// turnEnded adds an entry to the discussion with the reason why a turn has no answer.
func (c *conversation) turnEnded(e *events.Event, p *events.TurnEnded) {
	if shorter := c.Compacts[p.Turn]; shorter != nil {
		if p.Outcome == events.TurnDone {
			c.shorten(e, p.Turn, shorter)
		}
		delete(c.Compacts, p.Turn)
	} else if p.Outcome != events.TurnDone {
		reason := "the turn " + p.Outcome
		if p.Outcome != events.TurnFailed {
			reason = "the turn was " + p.Outcome
		}
		if p.Reason != "" {
			reason += ": " + p.Reason
		}
		c.addTo(c.of(p.Turn), e, Entry{Role: RoleSystem, Content: reason, Ticket: p.Turn})
	}
	delete(c.Turns, p.Turn)
}

// of returns the discussion for entries about a turn; entries about tickets go to the active one.
func (c *conversation) of(ticket string) string {
	if name := c.Turns[ticket]; c.Threads[name] != nil {
		return name
	}
	return c.Active
}

// namesText reports whether prompts can refer to the text of an entry in the event that adds it.
func namesText(p events.Payload) bool {
	switch p.(type) {
	case events.ModelReplied, events.ToolSettled, events.ContextBuilt, events.TurnRequested, events.DiscussionChanged:
		return true
	}
	return false
}

// TurnEntries returns the entries of a discussion in the form for a turn. Empty entries are left
// out, and so are the engine's notices about turns. It returns false if there is no discussion
// with that name; an empty name means the active one.
func (s *Set) TurnEntries(name string) ([]events.TurnEntry, bool) {
	c := stateOf(s, discussion)
	t := c.Threads[cmp.Or(name, c.Active)]
	if t == nil {
		return nil, false
	}
	var out []events.TurnEntry
	for _, n := range t.Entries {
		if sent := n.sent(c.Roles); !n.isNotice() && (sent.Text != "" || sent.SHA256 != "") {
			out = append(out, sent)
		}
	}
	return out, true
}

// LastExchange keeps everything from the user's last message on; see [Set.CompactEntries].
const LastExchange = -1

// CompactEntries returns the entries that a summary of a discussion replaces: all of [Set.TurnEntries] except the
// last keep ones.
func (s *Set) CompactEntries(name string, keep int) ([]events.TurnEntry, bool) {
	entries, known := s.TurnEntries(name)
	end := max(0, len(entries)-keep)
	if keep == LastExchange {
		end = len(entries)
		for i, n := range entries {
			if n.Role == RoleUser {
				end = i
			}
		}
	}
	return entries[:end], known
}

// isNotice reports whether the entry is the engine's notice that a turn has no answer. Once a user has edited the
// entry, it is no longer a notice.
func (n storedEntry) isNotice() bool {
	return n.Entry != nil && n.From == "" && n.Entry.Role == RoleSystem && events.IsTurn(n.Entry.Ticket) &&
		n.Entry.Call == ""
}

// sent returns the entry in the form for a turn.
func (n storedEntry) sent(roles []string) events.TurnEntry {
	if n.Entry == nil {
		h := n.historyEntry(roles)
		return events.TurnEntry{Entry: n.ID, Role: h.Role, Text: h.Content}
	}
	out := events.TurnEntry{Entry: n.ID, Role: n.Entry.Role, Path: n.Entry.Path, View: n.Entry.View, Tool: n.Entry.Tool,
		Ticket: n.Entry.Ticket, Tier: n.Entry.Tier}
	whole := cmp.Or(n.Whole, n.Entry.Blob)
	switch {
	case n.From == "":
		out.Text = n.Entry.Content
	case whole != nil:
		out.From, out.Index, out.SHA256, out.Size = n.From, n.Index, whole.SHA256, whole.Size
	case n.Entry.Content != "":
		out.From, out.Index, out.Size = n.From, n.Index, int64(len(n.Entry.Content))
		out.SHA256 = events.Digest([]byte(n.Entry.Content))
	}
	return out
}

// compaction is an unfinished turn that makes a discussion shorter.
type compaction struct {
	Replaces []string    `json:"replaces"` // ids of the entries that are summarised
	Summary  storedEntry `json:"summary"`  // its newest reply; without an id if there is none
}

// compact begins to shorten the discussion of a turn.
func (c *conversation) compact(turn string, p *events.TurnRequested) {
	shorter := &compaction{}
	for _, n := range p.Entries {
		shorter.Replaces = append(shorter.Replaces, n.Entry)
	}
	if c.Compacts == nil {
		c.Compacts = map[string]*compaction{}
	}
	c.Compacts[turn] = shorter
}

// said stores a reply of the model.
func (s *compaction) said(c *conversation, e *events.Event, p *events.ModelReplied, q request) {
	n := logEntry{Role: events.RoleSummary, Content: p.Text, Tier: q.Tier, Ticket: q.Ticket}
	s.Summary = c.stored(storedEntry{From: e.ID, Entry: &n})
}

// shorten creates the take with the summary and the entries that follow the replaced ones. If its discussion is the
// active one, the take becomes active. All of this happens with the one event that ends the turn. If the discussion was
// deleted, the active one says so.
func (c *conversation) shorten(e *events.Event, turn string, shorter *compaction) {
	name := c.Turns[turn]
	from := c.Threads[name]
	if shorter.Summary.Entry == nil {
		return
	}
	if from == nil {
		c.addTo(c.Active, e, Entry{Role: RoleSystem, Content: "the summary was dropped: its discussion was deleted",
			Ticket: turn})
		return
	}
	begin := 0
	for i, n := range from.Entries {
		if slices.Contains(shorter.Replaces, n.ID) {
			begin = i + 1
		}
	}
	n := *shorter.Summary.Entry
	n.Time, n.Seq = e.Time, e.Seq
	summary := shorter.Summary
	summary.ID, summary.Entry = e.ID, &n
	t := &thread{By: e.ID, Begun: e.Seq, From: name, GitCommit: from.GitCommit}
	t.set(e, append([]storedEntry{summary}, from.Entries[begin:]...))
	take := c.freeTake(name)
	if reason := cmp.Or(CheckDiscussionName(take), c.room(1, len(t.Entries), t.Bytes)); reason != "" {
		c.addTo(name, e, Entry{Role: RoleSystem, Content: "no take was made for the summary: " + reason, Ticket: turn})
		return
	}
	c.Threads[take] = t
	if c.Active == name {
		c.Active = take
	}
}
