package projections

import (
	"time"

	"manualslop/events"
)

// FigureBounds are the upper bounds of the buckets of a [Histogram], in seconds.
func FigureBounds() []float64 { return []float64{0.1, 0.5, 1, 2, 5, 10, 30, 60, 120, 300, 600} }

// Histogram counts durations.
type Histogram struct {
	Buckets []uint64 `json:"buckets"` // by FigureBounds: durations up to each bound, with those of the bounds before
	Count   uint64   `json:"count"`
	SumMS   int64    `json:"sum_ms"`
}

func (h *Histogram) add(ms int64) {
	if h.Buckets == nil {
		h.Buckets = make([]uint64, len(FigureBounds()))
	}
	for i, bound := range FigureBounds() {
		if float64(ms) <= 1000*bound {
			h.Buckets[i]++
		}
	}
	h.Count++
	h.SumMS += ms
}

// OutcomeReplied is the outcome of a model request that was answered; of one that failed it is failed.
const OutcomeReplied = "replied"

// Figures are what monitoring counts in a session. A key by two things is both, with a blank between them.
type Figures struct {
	Models  map[string]*Histogram `json:"models"`  // by provider/model and outcome
	Tools   map[string]*Histogram `json:"tools"`   // by tool and outcome
	Errors  map[string]uint64     `json:"errors"`  // failed requests to models, by kind
	Retries map[string]uint64     `json:"retries"` // new attempts of a model request, of a ticket
}

type figureFold struct {
	Figures
	Asked map[string]askedModel `json:"asked"` // open requests by id
	Calls calls                 `json:"calls"`
}

type askedModel struct {
	Name string    `json:"name"`
	At   time.Time `json:"at"`
}

var figures = Fold[*figureFold]{
	Name: "figures", Version: 1,
	Takes: ofTheWork,
	New: func() *figureFold {
		return &figureFold{Figures: Figures{Models: map[string]*Histogram{}, Tools: map[string]*Histogram{},
			Errors: map[string]uint64{}, Retries: map[string]uint64{}}, Asked: map[string]askedModel{}, Calls: calls{}}
	},
	Apply: (*figureFold).apply,
	View:  func(f *figureFold) any { return f.Figures },
}

func (f *figureFold) apply(e *events.Event) *figureFold {
	switch p := e.Payload.(type) {
	case events.ModelRequested:
		f.Asked[e.ID] = askedModel{p.Provider + "/" + p.Model, e.Time}
		if p.Attempt > 1 {
			f.Retries["model"]++
		}
	case events.ModelReplied:
		f.model(e, p.Request, OutcomeReplied)
	case events.ModelFailed:
		if f.model(e, p.Request, "failed") {
			f.Errors[p.Kind]++
		}
	case events.ModelDenied:
		delete(f.Asked, p.Request)
	case events.TicketRetried:
		f.Retries["ticket"]++
	default:
		f.tool(e)
	}
	return f
}

// model counts the first answer to a request.
func (f *figureFold) model(e *events.Event, request, outcome string) bool {
	asked, open := f.Asked[request]
	if open {
		delete(f.Asked, request)
		histogramOf(f.Models, asked.Name, outcome).add(e.Time.Sub(asked.At).Milliseconds())
	}
	return open
}

// tool counts the outcome of a call that ran.
func (f *figureFold) tool(e *events.Event) {
	k, counts := f.Calls.take(e)
	if !counts {
		return
	}
	switch p := e.Payload.(type) {
	case events.ToolSettled:
		histogramOf(f.Tools, k.Tool, p.Outcome).add(p.DurationMS)
	case events.ToolParked:
		histogramOf(f.Tools, k.Tool, events.ToolInterrupted).add(0)
	}
}

func histogramOf(m map[string]*Histogram, name, outcome string) *Histogram {
	key := name + " " + outcome
	if m[key] == nil {
		m[key] = &Histogram{}
	}
	return m[key]
}

// Figures returns what monitoring counts in the session. The result is shared and must not be modified.
func (s *Set) Figures() Figures { return stateOf(s, figures).Figures }
