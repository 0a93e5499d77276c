package projections

import (
	"encoding/json"
	"time"

	"manualslop/events"
)

// Bounds of the spending model.
const (
	// MaxSpendingLines is how many lines are kept apart; what comes beyond is
	// summed per provider and model, in lines whose ticket is [OtherTickets].
	MaxSpendingLines = 4096
	// MaxSpendingPoints is how long the history of a line gets before each two
	// neighbours become one.
	MaxSpendingPoints = 32
	// OtherTickets stands where a ticket would, of lines beyond the bound.
	OtherTickets = "(others)"
)

// SpendingLine is what one model used for one ticket, or for a track or goal
// where no ticket is concerned, as providers reported it.
type SpendingLine struct {
	Track    string `json:"track,omitempty"`
	Ticket   string `json:"ticket,omitempty"`
	Tier     int    `json:"tier"`
	Provider string `json:"provider"`
	Model    string `json:"model"`
	// Price is what its tokens cost, by the session's newest ModelsOffered at the
	// time; nil where no price was known.
	Price *events.ModelPrice `json:"price,omitempty"`
	Usage Usage              `json:"usage"`
	// History is Usage over time, oldest first; the points add up to it.
	History []SpendingPoint `json:"history"`
}

// SpendingPoint is what was used up to a time and behind the point before.
type SpendingPoint struct {
	At    time.Time `json:"at"` // of the newest answer in it
	Usage Usage     `json:"usage"`
}

// spendingKey tells lines apart.
type spendingKey struct {
	track, ticket   string
	tier            int
	provider, model string
	price           string // as JSON: the same id may stand for another price later
}

type spendings struct {
	Requests requests             `json:"requests"`
	Offered  events.ModelsOffered `json:"offered"`
	Budgets  Budgets              `json:"budgets"`
	Lines    []*SpendingLine      `json:"lines"` // in the order of their first answer
	byKey    map[spendingKey]*SpendingLine
}

var spending = Fold[*spendings]{
	Name: "spending", Version: 2,
	Takes: func(p events.Payload) bool {
		switch p.(type) {
		case events.SessionOpened, events.ModelsOffered, events.BudgetRaised, events.BudgetWarned:
			return true
		}
		return ofRequests(p)
	},
	New: func() *spendings {
		return &spendings{Requests: requests{}, Lines: []*SpendingLine{}, byKey: map[spendingKey]*SpendingLine{}}
	},
	Apply: (*spendings).apply,
	View: func(s *spendings) any {
		return struct {
			Lines   []*SpendingLine `json:"lines"`
			Budgets Budgets         `json:"budgets"`
		}{s.Lines, s.Budgets}
	},
}

// UnmarshalJSON reads the state and rebuilds its index.
func (s *spendings) UnmarshalJSON(raw []byte) error {
	type plain spendings
	if err := events.Unmarshal(raw, (*plain)(s)); err != nil {
		return err
	}
	s.byKey = map[spendingKey]*SpendingLine{}
	for _, l := range s.Lines {
		s.byKey[spendingKey{l.Track, l.Ticket, l.Tier, l.Provider, l.Model, priceKey(l.Price)}] = l
	}
	return nil
}

func (s *spendings) apply(e *events.Event) *spendings {
	switch p := e.Payload.(type) {
	case events.ModelsOffered:
		s.Offered = p
	case events.ModelRequested:
		s.Requests.asked(e, &p)
	case events.ModelReplied:
		s.answered(e, p.Request, Usage{Requests: 1}, p.Usage)
	case events.ModelFailed:
		var used events.Usage
		if p.Usage != nil {
			used = *p.Usage
		}
		s.answered(e, p.Request, Usage{Failed: 1}, used)
	case events.ModelDenied:
		s.Requests.answered(p.Request)
	default:
		s.Budgets.apply(p)
	}
	return s
}

// answered counts what an attempt used, at the price of its time and its prompt.
func (s *spendings) answered(e *events.Event, request string, u Usage, used events.Usage) {
	q, counts := s.Requests.answered(request)
	if !counts {
		return
	}
	u.add(used)
	var price *events.ModelPrice
	if p, known := s.Offered.Price(q.Provider, q.Model, e.Time, used.Prompt()); known {
		price = &p
	}
	s.line(q, price).spend(e.Time, u)
}

// priceKey tells prices apart.
func priceKey(p *events.ModelPrice) string {
	if p == nil {
		return ""
	}
	b, err := json.Marshal(p)
	if err != nil {
		panic("projections: " + err.Error()) // strings and numbers
	}
	return string(b)
}

// line finds or begins the line of a request.
func (s *spendings) line(q request, price *events.ModelPrice) *SpendingLine {
	k := spendingKey{q.Track, q.Ticket, q.Tier, q.Provider, q.Model, priceKey(price)}
	if l := s.byKey[k]; l != nil {
		return l
	}
	if len(s.Lines) >= MaxSpendingLines {
		k = spendingKey{ticket: OtherTickets, provider: q.Provider, model: q.Model, price: k.price}
		if l := s.byKey[k]; l != nil {
			return l
		}
	}
	l := &SpendingLine{Track: k.track, Ticket: k.ticket, Tier: k.tier, Provider: k.provider, Model: k.model, Price: price}
	s.byKey[k] = l
	s.Lines = append(s.Lines, l)
	return l
}

// spend adds what one answer used; a full history loses detail, never a token.
func (l *SpendingLine) spend(at time.Time, u Usage) {
	l.Usage.sum(u)
	if len(l.History) >= MaxSpendingPoints {
		half := l.History[:0]
		for i := 0; i < len(l.History); i += 2 {
			pair := l.History[i]
			if i+1 < len(l.History) {
				pair.At = l.History[i+1].At
				pair.Usage.sum(l.History[i+1].Usage)
			}
			half = append(half, pair)
		}
		l.History = half
	}
	l.History = append(l.History, SpendingPoint{at, u})
}

// sum adds what somebody else used.
func (u *Usage) sum(o Usage) {
	u.Requests += o.Requests
	u.Failed += o.Failed
	u.Reported += o.Reported
	u.add(events.Usage{Input: o.Input, Output: o.Output, CacheRead: o.CacheRead, CacheWrite: o.CacheWrite,
		CacheWriteHour: o.CacheWriteHour, Estimated: o.Estimated})
}

// Offered is the newest of what the session recorded of models; no rows before
// the first. It is shared: read it only.
func (s *Set) Offered() events.ModelsOffered { return stateOf(s, spending).Offered }

// Spending is what the session used so far, line by line. It is shared: read it only.
func (s *Set) Spending() []*SpendingLine { return stateOf(s, spending).Lines }
