package projections

import (
	"encoding/json"
	"time"

	"manualslop/events"
)

// Ask is one ask with everything that an inbox shows.
type Ask struct {
	events.AskRaised
	RaisedSeq uint64       `json:"raised_seq"`
	RaisedAt  time.Time    `json:"raised_at"`
	RaisedBy  string       `json:"raised_by"` // id of its cause
	Posted    *PostedAsk   `json:"posted,omitempty"`
	Settled   *SettledAsk  `json:"settled,omitempty"` // nil while the ask is open
	Refused   []RefusedAsk `json:"refused,omitempty"` // rejected answers, at most MaxRefused
}

// MaxRefused limits the rejected answers kept per ask; all of them stay in the
// log.
const MaxRefused = 32

// PostedAsk is a question posted to /api/ask.
type PostedAsk struct {
	RequestID  string `json:"request_id"`
	BodySHA256 string `json:"body_sha256"`
	TimeoutMS  int64  `json:"timeout_ms"`
}

// SettledAsk describes how an ask was settled.
type SettledAsk struct {
	Outcome  string          `json:"outcome"` // yes, no, expired
	By       string          `json:"by"`
	At       time.Time       `json:"at"`
	Seq      uint64          `json:"seq"`
	AnswerID string          `json:"answer_id"`
	Reason   string          `json:"reason,omitempty"`
	Args     json.RawMessage `json:"args,omitempty"` // edited by the user
	Response json.RawMessage `json:"response,omitempty"`
}

// RefusedAsk is a rejected answer.
type RefusedAsk struct {
	AnswerID string    `json:"answer_id"`
	Author   string    `json:"author"`
	Reason   string    `json:"reason"`
	At       time.Time `json:"at"`
}

// Open reports whether the ask is not settled yet.
func (a Ask) Open() bool { return a.Settled == nil }

// inbox holds all asks of a session in the order in which they were raised.
type inbox struct {
	Asks   []*Ask               `json:"asks"`
	Posted map[string]PostedAsk `json:"posted,omitempty"` // by request id; not raised yet
	byID   map[string]*Ask
}

var asks = Fold[*inbox]{
	Name: "asks", Version: 1,
	Takes: ofAsks,
	New:   func() *inbox { return &inbox{Posted: map[string]PostedAsk{}, byID: map[string]*Ask{}} },
	Apply: (*inbox).apply,
	View: func(i *inbox) any {
		return struct {
			Asks []Ask `json:"asks"`
		}{i.list(func(*Ask) bool { return true })}
	},
}

// UnmarshalJSON decodes an inbox and rebuilds its index.
func (i *inbox) UnmarshalJSON(raw []byte) error {
	type plain inbox
	if err := events.Unmarshal(raw, (*plain)(i)); err != nil {
		return err
	}
	if i.Posted == nil {
		i.Posted = map[string]PostedAsk{}
	}
	i.byID = make(map[string]*Ask, len(i.Asks))
	for _, a := range i.Asks {
		i.byID[a.Ask] = a
	}
	return nil
}

func (i *inbox) apply(e *events.Event) *inbox {
	switch p := e.Payload.(type) {
	case events.AskPosted:
		i.post(p)
	case events.AskRaised:
		i.raise(e, p)
	case events.AskSettled:
		if a := i.byID[p.Ask]; a != nil && a.Settled == nil {
			a.Settled = &SettledAsk{p.Outcome, p.By, p.At, e.Seq, p.AnswerID, p.Reason, p.Args, p.Response}
		}
	case events.AnswerRefused:
		if a := i.byID[p.Ask]; a != nil && len(a.Refused) < MaxRefused {
			a.Refused = append(a.Refused, RefusedAsk{p.AnswerID, p.Author, p.Reason, e.Time})
		}
	}
	return i
}

// post keeps a question posted to /api/ask until it is raised under its request id; the first one
// with an id counts.
func (i *inbox) post(p events.AskPosted) {
	_, waits := i.Posted[p.RequestID]
	if !waits && i.byID[p.RequestID] == nil {
		i.Posted[p.RequestID] = PostedAsk{p.RequestID, p.BodySHA256, p.TimeoutMS}
	}
}

func (i *inbox) raise(e *events.Event, p events.AskRaised) {
	if i.byID[p.Ask] != nil {
		return
	}
	a := &Ask{AskRaised: p, RaisedSeq: e.Seq, RaisedAt: e.Time, RaisedBy: e.Cause}
	if posted, ok := i.Posted[p.Ask]; ok && p.Gate == events.GateHTTP {
		a.Posted = &posted
		delete(i.Posted, p.Ask)
	}
	i.Asks = append(i.Asks, a)
	i.byID[p.Ask] = a
}

func (i *inbox) list(which func(*Ask) bool) []Ask {
	out := []Ask{}
	for _, a := range i.Asks {
		if which(a) {
			out = append(out, *a)
		}
	}
	return out
}

// Asks returns all asks of the session in the order in which they were raised.
func (s *Set) Asks() []Ask { return stateOf(s, asks).list(func(*Ask) bool { return true }) }

// OpenAsks returns the open asks in the order in which they were raised.
func (s *Set) OpenAsks() []Ask {
	return stateOf(s, asks).list(func(a *Ask) bool { return a.Settled == nil })
}

// PostedAsk returns the question posted under a request id, unless it is already raised; a raised
// one is an [Ask] with that id.
func (s *Set) PostedAsk(requestID string) (PostedAsk, bool) {
	p, waits := stateOf(s, asks).Posted[requestID]
	return p, waits
}

// Ask returns an ask by id; for /api/ask the id is the request id.
func (s *Set) Ask(id string) (Ask, bool) {
	a := stateOf(s, asks).byID[id]
	if a == nil {
		return Ask{}, false
	}
	return *a, true
}
