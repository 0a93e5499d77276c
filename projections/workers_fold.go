package projections

import (
	"slices"
	"time"
	"unicode/utf8"

	"manualslop/events"
)

// States of a worker.
const (
	workerWaiting  = "waiting"  // for a slot
	workerStarting = "starting" // waits for approval to start
	workerRunning  = "running"
	workerFailed   = "failed" // tiers 1, 2 and 4: the model did not reply; the request may be retried
)

// contributorTier is the tier that works on tickets.
const contributorTier = 3

func (c *crew) apply(e *events.Event) *crew {
	switch p := e.Payload.(type) {
	case events.TicketsAdded:
		for _, t := range p.Tickets {
			c.wait(e, t.ID, p.Track.ID, t.Description)
		}
	case events.ModelRequested:
		c.asked(e, &p)
	case events.ModelReplied:
		c.replied(e, &p)
	case events.ModelFailed:
		c.failed(e, &p)
	case events.ModelDenied:
		failed := p.Failed()
		c.failed(e, &failed)
	case events.AskRaised:
		if w := c.byUID[p.Ticket]; w != nil {
			c.Asks[p.Ask] = w.UID
			w.Asks = append(w.Asks, WorkerAsk{p.Ask, p.Gate, p.Title, e.Time})
			w.add(e)
		}
	case events.AskSettled:
		c.settled(e, p.Ask)
	case events.SessionClosed:
		for _, w := range slices.Clone(c.Active) {
			c.rest(e, w, WorkerStopped, p.Reason)
		}
	default:
		c.ticket(e)
	}
	return c
}

// ticket folds an event about the worker of a ticket.
func (c *crew) ticket(e *events.Event) {
	switch p := e.Payload.(type) {
	case events.SpawnRequested:
		w := c.wait(e, p.Ticket, "", p.Prompt)
		w.Status, w.Attempt, w.Model = workerStarting, p.Attempt, p.Model
	case events.TicketStarted:
		c.start(e, &p)
	case events.TicketResolved:
		if w := c.byUID[p.Ticket]; w != nil {
			w.add(e)
		}
	case events.TicketCompleted:
		c.rest(e, c.byUID[p.Ticket], WorkerCompleted, "")
	case events.TicketBlocked:
		c.rest(e, c.byUID[p.Ticket], p.Kind, p.Reason)
	case events.TicketRetried:
		c.again(e, p.Ticket)
	case events.TicketUnblocked:
		c.again(e, p.Ticket)
	case events.GraphMutated:
		for _, op := range p.Ops {
			if op.Op == events.GraphRemoveTicket {
				c.rest(e, c.byUID[op.Ticket], WorkerRemoved, "removed by "+p.By)
			}
		}
	default:
		c.call(e)
	}
}

// wait returns the active worker of a ticket and adds it if needed.
func (c *crew) wait(e *events.Event, ticket, track, task string) *Worker {
	w := c.join(ticket, contributorTier)
	w.Ticket, w.Task = ticket, head(task)
	if track != "" {
		w.Track = track
	}
	w.Status = workerWaiting
	w.add(e)
	return w
}

// join returns an active worker and adds it if needed.
func (c *crew) join(uid string, tier int) *Worker {
	w := c.byUID[uid]
	switch {
	case w == nil:
		w = &Worker{UID: uid, Tier: tier, Role: roleOf(tier), Calls: []WorkerCall{}, Asks: []WorkerAsk{},
			Trace: []WorkerStep{}}
		c.byUID[uid] = w
		c.Active = append(c.Active, w)
	case w.EndedAt != nil:
		c.Finished = slices.DeleteFunc(c.Finished, func(x *Worker) bool { return x == w })
		c.Active = append(c.Active, w)
		w.EndedAt, w.Reason = nil, ""
	}
	return w
}

// again makes an inactive worker active; one that was forgotten is added again when it starts.
func (c *crew) again(e *events.Event, ticket string) {
	w := c.byUID[ticket]
	if w == nil {
		return
	}
	c.join(ticket, contributorTier)
	c.drop(w)
	w.Status = workerWaiting
	w.add(e)
}

func (c *crew) start(e *events.Event, p *events.TicketStarted) {
	w := c.join(p.Ticket.ID, contributorTier)
	c.drop(w)
	at := e.Time
	w.Ticket, w.Track, w.Task, w.Model, w.Attempt, w.Round = p.Ticket.ID, p.Track, head(p.Prompt), p.Model, p.Attempt, 0
	w.Status, w.StartedAt, w.TextTail, w.TextBytes = workerRunning, &at, "", 0
	w.add(e)
}

// rest makes a worker inactive; the oldest inactive ones are forgotten.
func (c *crew) rest(e *events.Event, w *Worker, status, reason string) {
	if w == nil || w.EndedAt != nil {
		return
	}
	at := e.Time
	w.Status, w.Reason, w.EndedAt = status, head(reason), &at
	c.drop(w)
	w.add(e)
	c.Active = slices.DeleteFunc(c.Active, func(x *Worker) bool { return x == w })
	c.Finished = append(c.Finished, w)
	if len(c.Finished) > MaxFinishedWorkers {
		delete(c.byUID, c.Finished[0].UID)
		c.Finished = append([]*Worker{}, c.Finished[1:]...)
		c.Before++
	}
}

// drop removes a worker's work in progress, because nothing waits for it.
func (c *crew) drop(w *Worker) {
	for _, a := range w.Asks {
		delete(c.Asks, a.Ask)
	}
	for _, k := range w.Calls {
		delete(c.Calls, k.Call)
	}
	w.Request, w.Calls, w.Asks = "", []WorkerCall{}, []WorkerAsk{}
}

func (c *crew) asked(e *events.Event, p *events.ModelRequested) {
	q := c.Requests.asked(e, p)
	uid := uidOf(q)
	if q.Tier == contributorTier {
		if w := c.byUID[uid]; w == nil || w.Status != workerRunning || w.Attempt != q.TicketAttempt {
			return
		}
	}
	w := c.join(uid, q.Tier)
	w.Goal, w.Track, w.Ticket, w.Call = q.Goal, q.Track, q.Ticket, q.Call
	w.Provider, w.Model, w.Round, w.StreamID, w.Request = q.Provider, q.Model, q.Round, q.Stream, e.ID
	if q.Tier != contributorTier {
		w.Status, w.Attempt, w.Task = workerRunning, p.Attempt, q.Stream
		if w.StartedAt == nil {
			at := e.Time
			w.StartedAt = &at
		}
	}
	w.add(e)
}

func (c *crew) replied(e *events.Event, p *events.ModelReplied) {
	q, counts := c.Requests.answered(p.Request)
	w := c.byUID[uidOf(q)]
	if !counts || w == nil {
		return
	}
	w.Usage.Requests++
	w.Usage.add(p.Usage)
	if w.Request != p.Request {
		return
	}
	w.Request = ""
	w.say(p.Text)
	if q.Tier != contributorTier {
		c.rest(e, w, WorkerCompleted, "")
		return
	}
	w.add(e)
}

func (c *crew) failed(e *events.Event, p *events.ModelFailed) {
	q, counts := c.Requests.answered(p.Request)
	w := c.byUID[uidOf(q)]
	if !counts || w == nil {
		return
	}
	w.Usage.Failed++
	if p.Usage != nil {
		w.Usage.add(*p.Usage)
	}
	if w.Request != p.Request {
		return
	}
	w.Request = ""
	if q.Tier != contributorTier {
		c.rest(e, w, workerFailed, p.Kind+": "+p.Message)
		return
	}
	w.add(e)
}

func (c *crew) settled(e *events.Event, ask string) {
	w := c.byUID[c.Asks[ask]]
	delete(c.Asks, ask)
	if w == nil {
		return
	}
	w.Asks = slices.DeleteFunc(w.Asks, func(a WorkerAsk) bool { return a.Ask == ask })
	w.add(e)
}

// call folds an event about the tool calls of a worker.
func (c *crew) call(e *events.Event) {
	k, counts := c.Calls.take(e)
	if !counts {
		return
	}
	w := c.byUID[k.Ticket]
	if w == nil || w.EndedAt != nil {
		return
	}
	switch p := e.Payload.(type) {
	case events.ToolRequested:
		w.Calls = append(w.Calls, WorkerCall{p.Call, k.Tool, "requested", e.Time})
	case events.ToolApproved:
		w.mark(p.Call, "running", e.Time)
	case events.ToolDenied:
		w.unmark(p.Call)
	case events.ToolSettled:
		if p.Outcome == events.ToolInterrupted {
			w.mark(p.Call, p.Outcome, e.Time)
		} else {
			w.unmark(p.Call)
		}
	case events.ToolParked:
		w.mark(p.Call, "parked", e.Time)
	case events.InterruptResolved:
		if p.Resolution != events.InterruptRetry {
			w.unmark(p.Call)
		}
	}
	w.add(e)
}

func (w *Worker) mark(call, status string, since time.Time) {
	for i := range w.Calls {
		if w.Calls[i].Call == call {
			w.Calls[i].Status, w.Calls[i].Since = status, since
		}
	}
}

func (w *Worker) unmark(call string) {
	w.Calls = slices.DeleteFunc(w.Calls, func(k WorkerCall) bool { return k.Call == call })
}

// tail returns at most the last n bytes of a text, starting at a character.
func tail(s string, n int) string {
	if len(s) <= n {
		return s
	}
	s = s[len(s)-n:]
	for s != "" && !utf8.RuneStart(s[0]) {
		s = s[1:]
	}
	return s
}
