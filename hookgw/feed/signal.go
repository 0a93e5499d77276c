package feed

import (
	"context"
	"encoding/json"

	"manualslop/events"
)

// Signal is a message on the bus that is never stored, such as a piece of the text that a model is writing.
type Signal struct {
	// Actor is the sender; the bus vouches for it.
	Actor string
	// Name is its kind, such as "delta".
	Name string
	// Body is JSON, at most as large as the bus allows.
	Body []byte
}

// Signals calls take for each signal of a session from now on until ctx ends. Lost signals are not repeated. Calls do
// not overlap.
type Signals func(ctx context.Context, session string, take func(Signal)) error

// SignalDelta names the signals of models that carry a piece of text:
// {"stream_id", "request", "piece", "delta"}.
const SignalDelta = "delta"

// maxAnswered limits how many answered requests a feed remembers; live text comes at most moments after the answer.
const maxAnswered = 64

// Answered holds the most recently answered requests. Text that a model wrote for one of them and that arrives after
// its answer is not shown: the answer has the whole text, or says that none of it counts.
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

// Has reports whether a piece of live text is too late.
func (a *Answered) Has(body []byte) bool {
	var piece struct {
		Request string `json:"request"`
	}
	return json.Unmarshal(body, &piece) == nil && a.ids[piece.Request]
}
