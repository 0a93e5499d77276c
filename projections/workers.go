package projections

import (
	"time"

	"manualslop/events"
)

// Limits of what is kept about workers.
const (
	// MaxFinishedWorkers limits how many inactive workers are kept; older ones are only counted.
	MaxFinishedWorkers = 32
	// MaxWorkerTail limits the kept end of a worker's text, in bytes.
	MaxWorkerTail = 4 << 10
	// MaxWorkerTrace limits how many of the newest steps of a worker are kept.
	MaxWorkerTrace = 24
)

// Worker is one sub-agent: the worker of a ticket, or a tier that is working on a plan or a failed
// call.
type Worker struct {
	UID  string `json:"worker_uid"` // for tier 3 its ticket; kill takes this id
	Tier int    `json:"tier"`
	Role string `json:"role"` // orchestrator, tech lead, contributor, qa
	// waiting, starting or running; if inactive: completed, removed, stopped, failed, or the kind
	// of block
	Status    string       `json:"status"`
	WaitsFor  string       `json:"waits_for"`  // person, model, tool or slot; empty if nothing
	Task      string       `json:"task"`       // first line of its task
	Goal      string       `json:"goal"`       // id
	Track     string       `json:"track"`      // id
	Ticket    string       `json:"ticket"`     // id
	Call      string       `json:"call"`       // tier 4: the failed call
	Provider  string       `json:"provider"`   // of the newest request
	Model     string       `json:"model"`      // of the newest request
	Attempt   int          `json:"attempt"`    // number of the attempt at the ticket, from 1
	Round     int          `json:"round"`      // counted from 1
	StreamID  string       `json:"stream_id"`  // the stream of its text, in mma_streams
	TextTail  string       `json:"text_tail"`  // the end of the text of this attempt
	TextBytes int          `json:"text_bytes"` // size of the complete text
	Request   string       `json:"request"`    // the open model request; empty if none
	Calls     []WorkerCall `json:"calls"`      // tool calls in progress
	Asks      []WorkerAsk  `json:"asks"`       // open asks
	Trace     []WorkerStep `json:"trace"`      // newest last
	Steps     int          `json:"steps"`      // total number; the oldest are not in trace
	StartedAt *time.Time   `json:"started_at"` // start of this attempt
	EndedAt   *time.Time   `json:"ended_at"`
	Reason    string       `json:"reason"` // why it is inactive
	Usage     Usage        `json:"usage"`  // of all attempts
}

// WorkerCall is a tool call in progress.
type WorkerCall struct {
	Call   string    `json:"call"`
	Tool   string    `json:"tool"`
	Status string    `json:"status"` // requested, running
	Since  time.Time `json:"since"`
}

// WorkerAsk is an ask that a worker is waiting for.
type WorkerAsk struct {
	Ask   string    `json:"ask"`
	Gate  string    `json:"gate"`
	Title string    `json:"title"`
	Since time.Time `json:"since"`
}

// WorkerStep is one step of a worker.
type WorkerStep struct {
	Seq  uint64    `json:"seq"`
	At   time.Time `json:"at"`
	Type string    `json:"type"`
	Text string    `json:"text"`
}

// Workers holds the active workers, in the order in which they appeared, and the newest inactive
// ones.
type Workers struct {
	Active   []*Worker `json:"active"`
	Finished []*Worker `json:"finished"` // at most MaxFinishedWorkers, newest last
	Before   int       `json:"finished_before"`
}

// crew is the state from which Workers is made.
type crew struct {
	Workers
	Requests requests          `json:"requests"`
	Calls    calls             `json:"tool_calls"`
	Asks     map[string]string `json:"asks"` // workers of open asks, by ask
	byUID    map[string]*Worker
}

var workers = Fold[*crew]{
	Name: "workers", Version: 2,
	Takes: ofTheWork,
	New: func() *crew {
		return &crew{Workers: Workers{Active: []*Worker{}, Finished: []*Worker{}}, Requests: requests{}, Calls: calls{},
			Asks: map[string]string{}, byUID: map[string]*Worker{}}
	},
	Apply: (*crew).apply,
	View:  func(c *crew) any { return c.view() },
}

// UnmarshalJSON decodes a crew and rebuilds its index.
func (c *crew) UnmarshalJSON(raw []byte) error {
	type plain crew
	if err := events.Unmarshal(raw, (*plain)(c)); err != nil {
		return err
	}
	c.byUID = map[string]*Worker{}
	for _, list := range [][]*Worker{c.Active, c.Finished} {
		for _, w := range list {
			c.byUID[w.UID] = w
		}
	}
	return nil
}

// view adds what each worker is waiting for.
func (c *crew) view() Workers {
	out := Workers{Active: make([]*Worker, len(c.Active)), Finished: c.Finished, Before: c.Before}
	for i, w := range c.Active {
		shown := *w
		shown.WaitsFor = w.waitsFor()
		out.Active[i] = &shown
	}
	return out
}

func (w *Worker) waitsFor() string {
	switch {
	case len(w.Asks) > 0:
		return "person"
	case len(w.Calls) > 0:
		return "tool"
	case w.Request != "":
		return "model"
	case w.Status == workerWaiting:
		return "slot"
	}
	return ""
}

// Workers returns the sub-agents of the session. They are shared and must not
// be modified.
func (s *Set) Workers() Workers { return stateOf(s, workers).view() }

// uidOf returns the id of the worker to which a model request belongs.
func uidOf(q request) string {
	switch q.Tier {
	case 1:
		return "tier1:" + q.Goal
	case 2:
		return "tier2:" + q.Track
	case 4:
		return "tier4:" + q.Call
	}
	return q.Ticket
}

func roleOf(tier int) string {
	if tier < 1 || tier > 4 {
		return ""
	}
	return [...]string{"orchestrator", "tech lead", "contributor", "qa"}[tier-1]
}

// add adds a step to a worker.
func (w *Worker) add(e *events.Event) {
	if len(w.Trace) >= MaxWorkerTrace {
		w.Trace = w.Trace[1:]
	}
	w.Trace = append(w.Trace, WorkerStep{e.Seq, e.Time, e.Type, Summarize(e.Payload)})
	w.Steps++
}

// say appends to the worker's text.
func (w *Worker) say(text string) {
	if text == "" {
		return
	}
	w.TextBytes += len(text)
	w.TextTail = tail(w.TextTail+text+"\n", MaxWorkerTail)
}
