package projections

import (
	"slices"
	"strconv"
	"time"

	"manualslop/events"
)

// Kinds of spans.
const (
	SpanGoal    = "goal"
	SpanAttempt = "attempt" // at a ticket
	SpanContext = "context" // reading the files that a prompt shows
	SpanModel   = "model"
	SpanTool    = "tool"
	SpanAsk     = "ask" // a wait for a user
	SpanMerge   = "merge"
)

// SpanOpen is the state of a span that has not ended.
const SpanOpen = "open"

// Span is an activity, from the event that began it to the event that ended it.
type Span struct {
	ID      string     `json:"id"` // of the call, the ask, the attempt, or else of the first event
	Kind    string     `json:"kind"`
	Name    string     `json:"name"`             // goal, ticket, model, tool or title, on one line
	Worker  string     `json:"worker,omitempty"` // as in Workers
	Tier    int        `json:"tier,omitempty"`
	Ticket  string     `json:"ticket,omitempty"`
	Attempt int        `json:"attempt,omitempty"` // at the ticket
	Round   int        `json:"round,omitempty"`
	Call    string     `json:"call,omitempty"` // of an ask: what it is about; of tier 4: the failed call
	State   string     `json:"state"`          // open, or how it ended
	Detail  string     `json:"detail,omitempty"`
	By      string     `json:"by,omitempty"`    // who approved, denied or answered
	Start   time.Time  `json:"start"`           // of the first event
	Began   *time.Time `json:"began,omitempty"` // when the work began, behind a queue or a user; null if that is not known
	End     *time.Time `json:"end"`             // null while it is open
	Seq     uint64     `json:"seq"`             // of the first event
	EndSeq  uint64     `json:"end_seq,omitempty"`
	EndID   string     `json:"end_id,omitempty"`
	Usage   *Usage     `json:"usage,omitempty"`
}

// Limits of the kept spans: the newest MaxSpans, and up to spansSlack more before old ones are removed.
const (
	MaxSpans   = 20_000
	spansSlack = 2_000
)

// spanTable is the fold of the spans.
type spanTable struct {
	Spans   []*Span           `json:"spans"`   // in the order in which they began
	Dropped uint64            `json:"dropped"` // number of removed spans
	Live    map[string]string `json:"live"`    // newest attempt by ticket
	Calls   calls             `json:"calls"`
	open    map[string]*Span  // by id
}

var spans = Fold[*spanTable]{
	Name: "spans", Version: 3,
	Takes: ofTheWork,
	New: func() *spanTable {
		return &spanTable{Live: map[string]string{}, Calls: calls{}, open: map[string]*Span{}}
	},
	Apply: (*spanTable).apply,
}

// UnmarshalJSON decodes a table and rebuilds its index.
func (t *spanTable) UnmarshalJSON(raw []byte) error {
	type plain spanTable
	if err := events.Unmarshal(raw, (*plain)(t)); err != nil {
		return err
	}
	t.open = map[string]*Span{}
	for _, s := range t.Spans {
		if s.End == nil {
			t.open[s.ID] = s
		}
	}
	return nil
}

func (t *spanTable) apply(e *events.Event) *spanTable {
	switch p := e.Payload.(type) {
	case events.GoalSubmitted:
		t.begin(e, Span{ID: e.ID, Kind: SpanGoal, Name: head(p.Goal)})
	case events.GoalCompleted:
		t.end(e, p.Goal, OutcomeDone, "")
	case events.GoalFailed:
		t.end(e, p.Goal, OutcomeFailed, p.Reason)
	case events.TicketStarted:
		id := p.Ticket.ID + "#" + strconv.Itoa(p.Attempt)
		t.Live[p.Ticket.ID] = id
		t.begin(e, Span{ID: id, Kind: SpanAttempt, Name: head(p.Ticket.Description), Worker: p.Ticket.ID, Tier: 3,
			Ticket: p.Ticket.ID, Attempt: p.Attempt})
	case events.TicketCompleted:
		t.end(e, t.Live[p.Ticket], events.StatusCompleted, "")
	case events.TicketBlocked:
		t.end(e, t.Live[p.Ticket], events.StatusBlocked, p.Reason)
	case events.SessionClosed:
		// order-independent: each ticket has its own attempt
		for _, attempt := range t.Live {
			t.end(e, attempt, WorkerStopped, p.Reason)
		}
	case events.ContextRequested:
		q := request{Tier: p.Tier, Goal: p.Goal, Track: p.Track, Ticket: p.Ticket}
		t.begin(e, Span{ID: e.ID, Kind: SpanContext, Name: count(len(p.Views), "view") + " of files",
			Worker: uidOf(q), Tier: p.Tier, Ticket: p.Ticket, Attempt: p.Attempt})
	case events.ContextBuilt:
		t.end(e, p.Request, OutcomeDone, "")
	case events.MergeRequested:
		t.begin(e, Span{ID: e.ID, Kind: SpanMerge, Name: head(p.Title), Worker: p.Ticket, Tier: 3, Ticket: p.Ticket,
			Attempt: p.Attempt})
	case events.MergeSettled:
		t.end(e, p.Request, p.Outcome, p.Detail)
	case events.AskRaised:
		t.begin(e, Span{ID: p.Ask, Kind: SpanAsk, Name: head(p.Gate + ": " + p.Title), Worker: p.Ticket, Ticket: p.Ticket,
			Attempt: p.Attempt, Call: p.Call})
	case events.AskSettled:
		if s := t.end(e, p.Ask, p.Outcome, p.Reason); s != nil {
			s.By = p.By
		}
	default:
		t.model(e)
		t.tool(e)
	}
	return t
}

// begin adds a span. If the id is already open, it changes nothing.
func (t *spanTable) begin(e *events.Event, s Span) {
	if t.open[s.ID] != nil {
		return
	}
	s.State, s.Start, s.Seq = SpanOpen, e.Time, e.Seq
	if over := len(t.Spans) - MaxSpans; over >= spansSlack {
		for _, old := range t.Spans[:over] {
			delete(t.open, old.ID)
		}
		t.Spans = append(make([]*Span, 0, MaxSpans+spansSlack+1), t.Spans[over:]...)
		t.Dropped += uint64(over)
	}
	t.Spans = append(t.Spans, &s)
	t.open[s.ID] = &s
}

// end ends an open span and returns it, or nil if there is none.
func (t *spanTable) end(e *events.Event, id, state, detail string) *Span {
	s := t.open[id]
	if s == nil {
		return nil
	}
	delete(t.open, id)
	at := e.Time
	s.State, s.Detail, s.End, s.EndSeq, s.EndID = state, head(detail), &at, e.Seq, e.ID
	return s
}

// worked notes how long the work of an ended span took.
func (s *Span) worked(milliseconds int64) {
	if milliseconds > 0 {
		began := s.End.Add(-time.Duration(milliseconds) * time.Millisecond)
		s.Began = &began
	}
}

// model folds an event about a model request.
func (t *spanTable) model(e *events.Event) {
	switch p := e.Payload.(type) {
	case events.ModelRequested:
		q := request{Tier: p.Tier, Goal: p.Goal, Track: p.Track, Ticket: p.Ticket, Call: p.Call}
		t.begin(e, Span{ID: e.ID, Kind: SpanModel, Name: p.Provider + "/" + p.Model, Worker: uidOf(q), Tier: p.Tier,
			Ticket: p.Ticket, Attempt: p.TicketAttempt, Round: p.Round, Call: p.Call})
	case events.ModelReplied:
		if s := t.end(e, p.Request, p.Finish, ""); s != nil {
			s.worked(p.DurationMS)
			s.Usage = &Usage{Requests: 1}
			s.Usage.add(p.Usage)
		}
	case events.ModelFailed:
		if s := t.end(e, p.Request, p.Kind, p.Message); s != nil && p.Usage != nil {
			s.Usage = &Usage{Failed: 1}
			s.Usage.add(*p.Usage)
		}
	case events.ModelDenied:
		if s := t.end(e, p.Request, CallDenied, p.Reason); s != nil {
			s.By = p.By
		}
	}
}

// tool folds an event about a tool call.
func (t *spanTable) tool(e *events.Event) {
	k, counts := t.Calls.take(e)
	if !counts {
		return
	}
	switch p := e.Payload.(type) {
	case events.ToolRequested:
		t.begin(e, Span{ID: p.Call, Kind: SpanTool, Name: p.Tool, Worker: p.Ticket, Tier: 3, Ticket: p.Ticket,
			Attempt: p.Attempt, Round: p.Round})
	case events.ToolApproved:
		if s := t.open[p.Call]; s != nil {
			at := e.Time
			s.Began, s.By, s.Detail = &at, p.By, head(p.Rule)
		}
	case events.ToolDenied:
		if s := t.end(e, p.Call, CallDenied, p.Reason); s != nil {
			s.By = p.By
		}
	case events.ToolSettled:
		if p.Outcome == events.ToolInterrupted {
			break
		}
		if s := t.open[p.Call]; s != nil {
			rule := s.Detail
			t.end(e, p.Call, p.Outcome, rule)
			s.worked(p.DurationMS)
		}
	case events.InterruptResolved:
		if p.Resolution != events.InterruptRetry && k != nil {
			t.end(e, p.Call, p.Resolution, p.Reason)
		}
	}
}

// Spans returns at most limit of the newest spans that began before a sequence (0 means all), in the order in which
// they began, and the number of older ones. They are shared and must not be modified.
func (s *Set) Spans(before uint64, limit int) (newest []*Span, older uint64) {
	t := stateOf(s, spans)
	end := len(t.Spans)
	for before > 0 && end > 0 && t.Spans[end-1].Seq >= before {
		end--
	}
	from := max(0, end-limit)
	return t.Spans[from:end:end], t.Dropped + uint64(from)
}

// Span returns the newest span with an id, if it is kept. It is shared and must not be modified.
func (s *Set) Span(id string) (*Span, bool) {
	for _, p := range slices.Backward(stateOf(s, spans).Spans) {
		if p.ID == id {
			return p, true
		}
	}
	return nil, false
}

// Conversation returns the spans of one attempt of a worker: its model requests, the files that they were shown, and
// its calls. Attempt 0 is the newest one; a worker without attempts has only this one.
func (s *Set) Conversation(worker string, attempt int) (newest int, found []*Span) {
	t := stateOf(s, spans)
	for _, p := range t.Spans {
		if p.Worker == worker {
			newest = max(newest, p.Attempt)
		}
	}
	if attempt == 0 {
		attempt = newest
	}
	for _, p := range t.Spans {
		if p.Worker == worker && p.Attempt == attempt {
			found = append(found, p)
		}
	}
	return newest, found
}
