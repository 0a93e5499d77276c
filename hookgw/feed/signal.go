package feed

import (
	"context"
	"encoding/json"

	"manualslop/events"
)

// Signal is a remark on the bus that is never stored, such as a piece of the
// text that a model is writing.
type Signal struct {
	// Actor is who said it; the bus vouches for it.
	Actor string
	// Name is its kind, such as "delta".
	Name string
	// Body is JSON, at most as large as the bus allows.
	Body []byte
}

// Signals calls take for each signal of a session from now on until ctx ends.
// Signals that are lost are gone. Calls do not overlap.
type Signals func(ctx context.Context, session string, take func(Signal)) error

// SignalDelta names the signals of models that carry a piece of text:
// {"stream_id", "request", "piece", "delta"}.
const SignalDelta = "delta"

// maxAnswered bounds the requests of which a feed remembers that they were
// answered; live text comes at most moments behind the answer.
const maxAnswered = 64

// Answered are the requests that were answered last. What a model wrote for one
// of them and comes behind its answer is not shown: the answer has the whole, or
// says that nothing of it counts.
type Answered struct {
	ids  map[string]bool
	last []string
}

// Note remembers the request that an event answers, if it does.
func (a *Answered) Note(p events.Payload) {
	id := ""
	switch x := p.(type) {
	case events.ModelReplied:
		id = x.Request
	case events.ModelFailed:
		id = x.Request
	default:
		return
	}
	if a.ids[id] {
		return
	}
	if a.ids == nil {
		a.ids = map[string]bool{}
	}
	a.ids[id], a.last = true, append(a.last, id)
	if len(a.last) > maxAnswered {
		delete(a.ids, a.last[0])
		a.last = a.last[1:]
	}
}

// Has tells whether a piece of live text comes too late.
func (a *Answered) Has(body []byte) bool {
	var piece struct {
		Request string `json:"request"`
	}
	return json.Unmarshal(body, &piece) == nil && a.ids[piece.Request]
}
