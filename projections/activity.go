package projections

import (
	"slices"
	"time"

	"manualslop/events"
)

// Values of ai_status that the original system defines.
const (
	statusIdle       = "idle"
	statusPaused     = "paused"
	statusSending    = "sending..."
	statusPowershell = "running powershell..."
	statusFetching   = "fetching url..."
	statusSearching  = "searching web..."
)

// activity is a fold of the work in progress: open model requests and running tool calls.
type activity struct {
	Requests requests       `json:"requests"`
	Calls    calls          `json:"calls"`
	Running  map[string]int `json:"running"`             // number of running calls, by tool
	Killed   map[string]int `json:"killed,omitempty"`    // newest killed attempt, by ticket
	LastTier int            `json:"last_tier,omitempty"` // of the newest request
	Paused   bool           `json:"paused,omitempty"`
}

func newActivity() activity {
	return activity{Requests: requests{}, Calls: calls{}, Running: map[string]int{}, Killed: map[string]int{}}
}

func (a *activity) apply(e *events.Event) {
	switch p := e.Payload.(type) {
	case events.ModelRequested:
		if p.Ticket == "" || p.TicketAttempt == 0 || p.TicketAttempt > a.Killed[p.Ticket] {
			a.Requests.asked(e, &p)
			a.LastTier = p.Tier
		}
	case events.ModelReplied:
		a.Requests.answered(p.Request)
	case events.ModelFailed:
		a.Requests.answered(p.Request)
	case events.ModelDenied:
		a.Requests.answered(p.Request)
	case events.ToolRequested, events.ToolApproved, events.ToolDenied, events.ToolSettled, events.ToolParked,
		events.InterruptResolved:
		a.call(e)
	case events.TicketKilled:
		a.kill(p.Ticket, p.Attempt)
	case events.SessionClosed:
		*a = newActivity()
	case events.Paused:
		a.Paused = true
	case events.Resumed:
		a.Paused = false
	}
}

func (a *activity) call(e *events.Event) {
	k, counts := a.Calls.take(e)
	if !counts {
		return
	}
	switch e.Payload.(type) {
	case events.ToolApproved:
		a.Running[k.Tool]++
	case events.ToolSettled, events.ToolParked:
		a.stopped(k.Tool)
	}
}

func (a *activity) stopped(tool string) {
	if a.Running[tool]--; a.Running[tool] <= 0 {
		delete(a.Running, tool)
	}
}

// kill drops the work in progress of an ended attempt, because nothing waits for it.
func (a *activity) kill(ticket string, attempt int) {
	a.Killed[ticket] = max(a.Killed[ticket], attempt)
	// order-independent: deletes the attempt's requests
	for id, q := range a.Requests {
		if q.Ticket == ticket && q.TicketAttempt <= attempt {
			delete(a.Requests, id)
		}
	}
	// order-independent: deletes and counts the attempt's calls
	for id, k := range a.Calls {
		if k.Ticket == ticket && k.Attempt <= attempt {
			if k.Open {
				a.stopped(k.Tool)
			}
			delete(a.Calls, id)
		}
	}
}

// thinking reports whether a model or a shell is running.
func (a *activity) thinking() bool { return len(a.Requests) > 0 || a.Running["run_powershell"] > 0 }

// live reports whether a tool is running.
func (a *activity) live() bool { return len(a.Running) > 0 }

// status returns the original system's status line.
func (a *activity) status() string {
	switch {
	case a.Running["run_powershell"] > 0:
		return statusPowershell
	case a.Running["fetch_url"] > 0:
		return statusFetching
	case a.Running["web_search"] > 0:
		return statusSearching
	case len(a.Running) > 0:
		names := make([]string, 0, len(a.Running))
		// order-independent: only the minimum is used
		for name := range a.Running {
			names = append(names, name)
		}
		return "running " + slices.Min(names) + "..."
	case len(a.Requests) > 0:
		return statusSending
	case a.Paused:
		return statusPaused
	}
	return statusIdle
}

// Diagnostics are the indicators of GET /api/gui/diagnostics.
type Diagnostics struct {
	Thinking bool `json:"thinking"` // a model or a shell is running
	Live     bool `json:"live"`     // a tool is running
	Prior    bool `json:"prior"`    // the session is closed and read-only
}

type indicators struct {
	Activity activity `json:"activity"`
	Closed   bool     `json:"closed"`
}

var diagnostics = Fold[*indicators]{
	Name: "diagnostics", Version: 1,
	Takes: ofTheWork,
	New:   func() *indicators { return &indicators{Activity: newActivity()} },
	Apply: func(i *indicators, e *events.Event) *indicators {
		i.Activity.apply(e)
		if _, over := e.Payload.(events.SessionClosed); over {
			i.Closed = true
		}
		return i
	},
	View: func(i *indicators) any { return i.view() },
}

func (i *indicators) view() Diagnostics {
	return Diagnostics{Thinking: i.Activity.thinking(), Live: i.Activity.live(), Prior: i.Closed}
}

// Diagnostics returns the session's indicators.
func (s *Set) Diagnostics() Diagnostics { return stateOf(s, diagnostics).view() }

// FigureBounds are the upper bounds of the buckets of a [Histogram], in seconds.
func FigureBounds() []float64 { return []float64{0.1, 0.5, 1, 2, 5, 10, 30, 60, 120, 300, 600} }

// Histogram counts durations.
type Histogram struct {
	Buckets []uint64 `json:"buckets"` // by FigureBounds: durations up to each bound, with those of the bounds before
	Count   uint64   `json:"count"`
	SumMS   int64    `json:"sum_ms"`
}

func (h *Histogram) add(ms int64) {
	for i, bound := range FigureBounds() {
		if float64(ms) <= 1000*bound {
			h.Buckets[i]++
		}
	}
	h.Count++
	h.SumMS += ms
}

// outcomeReplied is the outcome of an answered model request, and outcomeFailed that of a failed one.
const (
	outcomeReplied = "replied"
	outcomeFailed  = "failed"
)

// Figures are the counts of a session for monitoring. A key with two parts has a blank between them; the second part
// contains none.
type Figures struct {
	// Models has both outcomes of each model that was asked, so that a rate of failures has something to compare with.
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
	Due  time.Time `json:"due"` // when it may be sent: after the pause of a retry and the wait for a budget
}

var figures = Fold[*figureFold]{
	Name: "figures", Version: 2,
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
		name, due := p.Provider+"/"+p.Model, e.Time
		if p.NotBefore != nil && p.NotBefore.After(due) {
			due = *p.NotBefore
		}
		f.Asked[e.ID] = askedModel{name, due}
		histogramOf(f.Models, name, outcomeReplied)
		histogramOf(f.Models, name, outcomeFailed)
		if p.Attempt > 1 {
			f.Retries["model"]++
		}
	case events.ModelApproved:
		if asked, open := f.Asked[p.Request]; open && e.Time.After(asked.Due) {
			f.Asked[p.Request] = askedModel{asked.Name, e.Time}
		}
	case events.ModelReplied:
		f.model(e, p.Request, outcomeReplied)
	case events.ModelFailed:
		if f.model(e, p.Request, outcomeFailed) {
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
		histogramOf(f.Models, asked.Name, outcome).add(max(0, e.Time.Sub(asked.Due).Milliseconds()))
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
		m[key] = &Histogram{Buckets: make([]uint64, len(FigureBounds()))}
	}
	return m[key]
}

// Figures returns the counts of the session for monitoring. The result is shared and must not be modified.
func (s *Set) Figures() Figures { return stateOf(s, figures).Figures }
