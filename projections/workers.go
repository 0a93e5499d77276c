package projections

import (
	"time"

	"manualslop/events"
)

// Bounds of what is kept of workers.
const (
	// MaxFinishedWorkers limits those that are at rest; older ones are only
	// counted.
	MaxFinishedWorkers = 32
	// MaxWorkerTail limits the end of a worker's text in bytes.
	MaxWorkerTail = 4 << 10
	// MaxWorkerTrace limits the newest steps of a worker.
	MaxWorkerTrace = 24
)

// Worker is one sub-agent: a ticket's, or a tier working on a plan or a
// failure.
type Worker struct {
	UID  string `json:"worker_uid"` // of tier 3 its ticket; what kill takes
	Tier int    `json:"tier"`
	Role string `json:"role"` // orchestrator, tech lead, contributor, qa
	// waiting, starting, running; at rest: completed, removed, stopped, failed, or the kind of block
	Status    string       `json:"status"`
	WaitsFor  string       `json:"waits_for"`  // person, model, tool, slot; empty: nothing
	Task      string       `json:"task"`       // the first line of what it is to do
	Goal      string       `json:"goal"`       // id
	Track     string       `json:"track"`      // id
	Ticket    string       `json:"ticket"`     // id
	Call      string       `json:"call"`       // tier 4: the failed call
	Provider  string       `json:"provider"`   // of the newest request
	Model     string       `json:"model"`      // of the newest request
	Attempt   int          `json:"attempt"`    // at the ticket, from 1
	Round     int          `json:"round"`      // from 1
	StreamID  string       `json:"stream_id"`  // of its text, in mma_streams
	TextTail  string       `json:"text_tail"`  // the end of this attempt's text
	TextBytes int          `json:"text_bytes"` // of the whole
	Request   string       `json:"request"`    // the open model request; empty: none
	Calls     []WorkerCall `json:"calls"`      // tool calls under way
	Asks      []WorkerAsk  `json:"asks"`       // open ones
	Trace     []WorkerStep `json:"trace"`      // newest last
	Steps     int          `json:"steps"`      // in all; the oldest are not in trace
	StartedAt *time.Time   `json:"started_at"` // of this attempt
	EndedAt   *time.Time   `json:"ended_at"`
	Reason    string       `json:"reason"` // why it is at rest
	Usage     Usage        `json:"usage"`  // of all attempts
}

// WorkerCall is a tool call under way.
type WorkerCall struct {
	Call   string    `json:"call"`
	Tool   string    `json:"tool"`
	Status string    `json:"status"` // requested, running
	Since  time.Time `json:"since"`
}

// WorkerAsk is a question that a worker waits for.
type WorkerAsk struct {
	Ask   string    `json:"ask"`
	Gate  string    `json:"gate"`
	Title string    `json:"title"`
	Since time.Time `json:"since"`
}

// WorkerStep is one thing that happened to a worker.
type WorkerStep struct {
	Seq  uint64    `json:"seq"`
	At   time.Time `json:"at"`
	Type string    `json:"type"`
	Text string    `json:"text"`
}

// Workers are those at work, in the order in which they came, and the newest
// of those at rest.
type Workers struct {
	Active   []*Worker `json:"active"`
	Finished []*Worker `json:"finished"` // at most MaxFinishedWorkers, newest last
	Before   int       `json:"finished_before"`
}

// crew is the state after Workers.
type crew struct {
	Workers
	Requests requests          `json:"requests"`
	Calls    calls             `json:"tool_calls"`
	Asks     map[string]string `json:"asks"` // open ones, and whose
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

// UnmarshalJSON reads a crew and rebuilds its index.
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

// view says of each worker what it waits for.
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

// uidOf names the worker that a request to a model is for.
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

// add notes a step of a worker.
func (w *Worker) add(e *events.Event) {
	if len(w.Trace) >= MaxWorkerTrace {
		w.Trace = w.Trace[1:]
	}
	w.Trace = append(w.Trace, WorkerStep{e.Seq, e.Time, e.Type, Summarize(e.Payload)})
	w.Steps++
}

// say adds to the worker's text.
func (w *Worker) say(text string) {
	if text == "" {
		return
	}
	w.TextBytes += len(text)
	w.TextTail = tail(w.TextTail+text+"\n", MaxWorkerTail)
}
