package projections

import (
	"encoding/json"

	"manualslop/events"
)

func (q *pushed) apply(e *events.Event) *pushed {
	switch p := e.Payload.(type) {
	case events.EventPushed:
		q.put(storedQueueEntry{Seq: e.Seq, Type: p.Kind, Time: e.Time, Payload: p.Payload})
	case events.GUITaskFailed:
		if raw, err := json.Marshal(p); err == nil {
			q.put(storedQueueEntry{Seq: e.Seq, Type: QueueGUITaskFailed, Time: e.Time, Payload: raw})
		}
	case events.EventsDrained:
		if p.Through > q.Drained[p.Client].Seq {
			q.Drained[p.Client] = q.mark(p.Through)
		}
	case events.AskRaised:
		q.ask(e, &p)
	case events.ModelRequested:
		r := q.Requests.asked(e, &p)
		q.add(e, QueueRequestStart, QueueFields{StreamID: r.Stream, Tier: r.Tier, Provider: r.Provider, Model: r.Model,
			Ticket: r.Ticket, Round: r.Round, Status: "started"})
	case events.ModelReplied:
		q.replied(e, &p)
	case events.ModelFailed:
		if r, counts := q.Requests.answered(p.Request); counts {
			q.add(e, QueueReplyReceived, QueueFields{StreamID: r.Stream, Tier: r.Tier, Provider: r.Provider, Model: r.Model,
				Ticket: r.Ticket, Status: p.Kind, Text: p.Message, Usage: p.Usage})
		}
	case events.ModelDenied:
		if r, counts := q.Requests.answered(p.Request); counts {
			q.add(e, QueueReplyReceived, QueueFields{StreamID: r.Stream, Tier: r.Tier, Provider: r.Provider, Model: r.Model,
				Ticket: r.Ticket, Status: events.ModelOverBudget, Text: p.Reason})
		}
	default:
		q.call(e)
	}
	return q
}

func (q *pushed) add(e *events.Event, kind string, f QueueFields) {
	q.put(storedQueueEntry{Seq: e.Seq, Type: kind, Time: e.Time, Fields: &f})
}

func (q *pushed) ask(e *events.Event, p *events.AskRaised) {
	f := QueueFields{Ask: p.Ask, Gate: p.Gate, Title: p.Title, Ticket: p.Ticket, Call: p.Call, Tool: p.Tool,
		Attempt: p.Attempt, Round: p.Round}
	kind := QueueAsk
	switch p.Gate {
	case events.GateHTTP:
		kind, f.RequestID, f.Data = QueueAskReceived, p.Ask, p.Args
	case events.GateStep:
		kind = QueueStepApproval
	case events.GateSpawn:
		kind = QueueSpawnApproval
	}
	q.add(e, kind, f)
}

func (q *pushed) replied(e *events.Event, p *events.ModelReplied) {
	r, counts := q.Requests.answered(p.Request)
	if !counts {
		return
	}
	usage := p.Usage
	q.add(e, QueueReplyReceived, QueueFields{StreamID: r.Stream, Tier: r.Tier, Provider: r.Provider, Model: r.Model,
		Ticket: r.Ticket, Round: r.Round, Status: p.Finish, Usage: &usage})
	if p.Text != "" {
		q.add(e, QueueResponse, QueueFields{StreamID: r.Stream, Tier: r.Tier, Ticket: r.Ticket, Status: "done", Text: p.Text})
	}
}

func (q *pushed) call(e *events.Event) {
	k, counts := q.Calls.take(e)
	if !counts {
		return
	}
	switch p := e.Payload.(type) {
	case events.ToolApproved:
		q.add(e, QueueToolExecution, QueueFields{Call: p.Call, Tool: k.Tool, Ticket: k.Ticket, Round: k.Round,
			Status: "started"})
	case events.ToolSettled:
		q.add(e, QueueToolExecution, QueueFields{Call: p.Call, Tool: k.Tool, Ticket: k.Ticket, Round: k.Round,
			Status: p.Outcome})
	case events.ToolDenied:
		q.add(e, QueueToolExecution, QueueFields{Call: p.Call, Tool: k.Tool, Ticket: k.Ticket, Round: k.Round,
			Status: outcomeDenied})
	}
}
