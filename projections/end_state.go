package projections

import (
	"strconv"

	"manualslop/events"
)

// EndState is what two runs of the same work are compared by: no ids, no
// times, no order across tickets, and nothing that exists only because a
// process died or a model had to be asked again (attempts that failed, asks
// about interrupted calls).
type EndState struct {
	State   string                   `json:"state"`   // Idle, Planning, Executing, Done
	Tracks  map[string]EndTrack      `json:"tracks"`  // by id
	Tickets map[string]EndTicket     `json:"tickets"` // by id
	Files   map[string]string        `json:"files"`   // SHA-256 by path as last recorded; empty: absent
	Streams map[string]string        `json:"streams"` // whole text by stream id
	Entries map[string][]EndEntry    `json:"entries"` // discussion by ticket; "" outside tickets
	Usage   map[string]*events.Usage `json:"usage"`   // by tier, provider and model
	Asks    map[string]int           `json:"asks"`    // by gate and outcome, "tool yes"; "tool open"
}

// EndTrack is how a track ended.
type EndTrack struct {
	Status string `json:"status"`
	Reason string `json:"reason,omitempty"`
}

// EndTicket is how a ticket ended.
type EndTicket struct {
	Status     string `json:"status"`
	Track      string `json:"track"`
	BlockKind  string `json:"block_kind,omitempty"`
	Reason     string `json:"reason,omitempty"`
	Attempt    int    `json:"attempt"`
	RetryCount int    `json:"retry_count"`
}

// EndEntry is one discussion entry by content.
type EndEntry struct {
	Role    string `json:"role"`
	Tool    string `json:"tool,omitempty"`
	Outcome string `json:"outcome,omitempty"`
	SHA256  string `json:"sha256"` // of the whole text
	Head    string `json:"head"`   // of the text, at most MaxSummary bytes
}

// comparison is the state behind EndState.
type comparison struct {
	Phase    phase                    `json:"phase"`
	Board    board                    `json:"board"`
	Requests requests                 `json:"requests"`
	Calls    calls                    `json:"calls"`
	Streams  streams                  `json:"streams"`
	Talk     talk                     `json:"talk"`
	Files    map[string]*recordedFile `json:"files"`
	Usage    map[string]*events.Usage `json:"usage"`
	Open     map[string]string        `json:"open"` // asks and their gates
	Asks     map[string]int           `json:"asks"` // settled ones
}

var endState = Fold[*comparison]{
	Name: "comparable", Version: 4,
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
	case events.SessionEdited:
		c.Talk = newTalk()
		c.Talk.said(RoleSystem, string(p.Entries))
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

// EndState is what two runs of the same work are compared by.
func (s *Set) EndState() EndState { return stateOf(s, endState).view() }
