package projections

import (
	"encoding/json"
	"time"

	"manualslop/events"
)

// Roles of discussion entries, as the original spells them.
const (
	RoleUser   = "User"
	RoleAI     = "AI"
	RoleTool   = "Tool"
	RoleSystem = "System"
)

// Entry is one entry of the discussion.
type Entry struct {
	Role      string    `json:"role"`
	Content   string    `json:"content"`
	Time      time.Time `json:"ts"`
	Collapsed bool      `json:"collapsed"`
	Seq       uint64    `json:"seq,omitempty"`
	Tier      int       `json:"tier,omitempty"`
	Track     string    `json:"track,omitempty"`
	Ticket    string    `json:"ticket,omitempty"`
	Call      string    `json:"call,omitempty"`
	Tool      string    `json:"tool,omitempty"`
	Calls     []string  `json:"calls,omitempty"`   // tools that the reply asked for
	Outcome   string    `json:"outcome,omitempty"` // of a tool
	// Raw is an entry as POST /api/session brought it, in its own words; the
	// other fields are then unset.
	Raw json.RawMessage `json:"-"`
}

// MarshalJSON is the entry, verbatim where a client brought it.
func (n Entry) MarshalJSON() ([]byte, error) {
	if n.Raw != nil {
		return n.Raw, nil
	}
	type plain Entry
	return json.Marshal(plain(n))
}

// Discussion is what GET /api/session answers.
type Discussion struct {
	Entries []Entry `json:"entries"`
}

type conversation struct {
	Requests requests      `json:"requests"`
	Calls    calls         `json:"calls"`
	Entries  []storedEntry `json:"entries"`
}

// storedEntry tells entries of the log from those that a client brought.
type storedEntry struct {
	Entry *Entry          `json:"entry,omitempty"`
	Raw   json.RawMessage `json:"raw,omitempty"`
}

var discussion = Fold[*conversation]{
	Name: "session", Version: 1,
	Takes: ofTheWork,
	New:   func() *conversation { return &conversation{Requests: requests{}, Calls: calls{}} },
	Apply: (*conversation).apply,
	View:  func(c *conversation) any { return c.view() },
}

func (c *conversation) apply(e *events.Event) *conversation {
	switch p := e.Payload.(type) {
	case events.GoalSubmitted:
		c.add(e, Entry{Role: RoleUser, Content: p.Goal})
	case events.ModelRequested:
		c.Requests.asked(e, &p)
	case events.ModelReplied:
		c.replied(e, &p)
	case events.ModelFailed:
		if q, counts := c.Requests.answered(p.Request); counts {
			c.add(e, Entry{Role: RoleSystem, Content: "[" + q.Provider + "] " + p.Kind + ": " + p.Message, Tier: q.Tier, Track: q.Track, Ticket: q.Ticket})
		}
	case events.ToolRequested, events.ToolApproved, events.ToolDenied, events.ToolSettled, events.ToolParked, events.InterruptResolved:
		c.call(e)
	case events.HintGiven:
		c.add(e, Entry{Role: RoleSystem, Content: "QA ANALYSIS:\n" + p.Hint, Tier: 4, Ticket: p.Ticket, Call: p.Call})
	case events.PlanningFailed:
		c.add(e, Entry{Role: RoleSystem, Content: "planning failed: " + p.Error, Tier: p.Tier, Track: p.Track})
	case events.GoalFailed:
		c.add(e, Entry{Role: RoleSystem, Content: "goal failed: " + p.Reason})
	case events.SessionEdited:
		c.replace(p.Entries)
	}
	return c
}

func (c *conversation) add(e *events.Event, n Entry) {
	n.Time, n.Seq = e.Time, e.Seq
	c.Entries = append(c.Entries, storedEntry{Entry: &n})
}

func (c *conversation) replied(e *events.Event, p *events.ModelReplied) {
	q, counts := c.Requests.answered(p.Request)
	if !counts || p.Text == "" && len(p.Calls) == 0 {
		return
	}
	n := Entry{Role: RoleAI, Content: p.Text, Tier: q.Tier, Track: q.Track, Ticket: q.Ticket}
	for _, call := range p.Calls {
		n.Calls = append(n.Calls, call.Name)
	}
	c.add(e, n)
}

func (c *conversation) call(e *events.Event) {
	k, counts := c.Calls.take(e)
	if !counts {
		return
	}
	n := Entry{Role: RoleTool, Tier: 3, Ticket: k.Ticket, Tool: k.Tool, Collapsed: true}
	switch p := e.Payload.(type) {
	case events.ToolSettled:
		n.Call, n.Content, n.Outcome = p.Call, p.Text, p.Outcome
	case events.ToolDenied:
		n.Call, n.Content, n.Outcome = p.Call, p.Reason, outcomeDenied
	case events.InterruptResolved:
		n.Call, n.Content, n.Outcome = p.Call, p.By+" on the interrupted call: "+p.Resolution, p.Resolution
	default:
		return
	}
	c.add(e, n)
}

// replace takes a client's entries as they are; anything but an array changes nothing.
func (c *conversation) replace(raw json.RawMessage) {
	var entries []json.RawMessage
	if json.Unmarshal(raw, &entries) != nil {
		return
	}
	c.Entries = make([]storedEntry, len(entries))
	for i, n := range entries {
		c.Entries[i].Raw = n
	}
}

func (c *conversation) view() Discussion {
	d := Discussion{Entries: make([]Entry, len(c.Entries))}
	for i, n := range c.Entries {
		if n.Entry != nil {
			d.Entries[i] = *n.Entry
		} else {
			d.Entries[i].Raw = n.Raw
		}
	}
	return d
}

// Discussion is the session's discussion.
func (s *Set) Discussion() Discussion { return stateOf(s, discussion).view() }
