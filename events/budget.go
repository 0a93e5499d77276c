package events

import (
	"cmp"
	"encoding/json"
	"math"
)

// Kinds of budgets.
const (
	BudgetSession = "session"
	BudgetTicket  = "ticket"
)

// BudgetSettings limit the cost of models, in micro-dollars, before a person is
// asked; 0 means no limit.
type BudgetSettings struct {
	SessionMicroDollars int64 `json:"session_micro_dollars,omitempty"`
	TicketMicroDollars  int64 `json:"ticket_micro_dollars,omitempty"` // of each ticket
}

// Guards reports whether any budget is set, so that each request to a model
// waits for the approval decider.
func (b *BudgetSettings) Guards() bool {
	return b != nil && (b.SessionMicroDollars > 0 || b.TicketMicroDollars > 0)
}

// ModelApproved allows a guarded request to be sent: its maximum cost fits into every budget that
// applies, or a person allowed it to exceed them.
type ModelApproved struct {
	Request string `json:"request"`
	Ticket  string `json:"ticket,omitempty"`
	// WorstCaseMicroDollars is the amount reserved for the request until it is answered; null if
	// the price is not known and a person allowed that.
	WorstCaseMicroDollars *int64 `json:"worst_case_micro_dollars"`
	Price                 string `json:"price,omitempty"` // id of the price used
	// PromptTokens and ReplyTokens are the token counts of the worst case.
	PromptTokens int64 `json:"prompt_tokens,omitempty"`
	ReplyTokens  int64 `json:"reply_tokens,omitempty"`
}

// EventType returns the type name and version.
func (ModelApproved) EventType() Type { return Type{"ModelApproved", 1} }

// EventCorr returns the request.
func (e ModelApproved) EventCorr() string { return e.Request }

// ModelDenied ends a guarded request without sending it.
type ModelDenied struct {
	Request string `json:"request"`
	Ticket  string `json:"ticket,omitempty"`
	Reason  string `json:"reason"`
	By      string `json:"by"` // a person, or "engine"
	Ask     string `json:"ask,omitempty"`
}

// EventType returns the type name and version.
func (ModelDenied) EventType() Type { return Type{"ModelDenied", 1} }

// EventCorr returns the request.
func (e ModelDenied) EventCorr() string { return e.Request }

// Failed returns the denial as a model failure that must not be retried.
func (e ModelDenied) Failed() ModelFailed {
	return ModelFailed{Request: e.Request, Kind: ModelOverBudget, Message: e.Reason}
}

// BudgetWarned says that four fifths of a budget are spent; it is written once per limit.
type BudgetWarned struct {
	Budget            string `json:"budget"`           // session or ticket
	Ticket            string `json:"ticket,omitempty"` // the ticket that the budget belongs to
	LimitMicroDollars int64  `json:"limit_micro_dollars"`
	SpentMicroDollars int64  `json:"spent_micro_dollars"`
}

// EventType returns the type name and version.
func (BudgetWarned) EventType() Type { return Type{"BudgetWarned", 1} }

// EventCorr returns the ticket.
func (e BudgetWarned) EventCorr() string { return cmp.Or(e.Ticket, e.Budget) }

// BudgetRaised sets a new limit for a budget.
type BudgetRaised struct {
	Budget            string `json:"budget"`           // session or ticket
	Ticket            string `json:"ticket,omitempty"` // the ticket that the budget belongs to
	LimitMicroDollars int64  `json:"limit_micro_dollars,omitempty"`
	// Finish names the ticket that may exceed the budget; the limit stays the same.
	Finish string `json:"finish,omitempty"`
	By     string `json:"by"`
	Ask    string `json:"ask,omitempty"`
}

// EventType returns the type name and version.
func (BudgetRaised) EventType() Type { return Type{"BudgetRaised", 1} }

// EventCorr returns the ticket.
func (e BudgetRaised) EventCorr() string { return cmp.Or(e.Ticket, e.Finish, e.Budget) }

// BudgetRaiseRequested asks for a higher limit of an existing budget. A limit that is not higher
// changes nothing.
type BudgetRaiseRequested struct {
	Budget            string `json:"budget"` // session or ticket
	Ticket            string `json:"ticket,omitempty"`
	LimitMicroDollars int64  `json:"limit_micro_dollars"`
}

// EventType returns the type name and version.
func (BudgetRaiseRequested) EventType() Type { return Type{"BudgetRaiseRequested", 1} }

// EventCorr returns the ticket.
func (e BudgetRaiseRequested) EventCorr() string { return cmp.Or(e.Ticket, e.Budget) }

// MaxBudget is the maximum limit in micro-dollars: a million dollars.
const MaxBudget = 1_000_000_000_000

// ConversationShortened says which part of a conversation with a model is left out of all later prompts, because the
// next one would not fit.
type ConversationShortened struct {
	// Tier is the tier whose conversation it is; unset means 3.
	Tier int `json:"tier,omitempty"`
	// Goal and Track identify what tiers 1 and 2 plan.
	Goal  string `json:"goal,omitempty"`
	Track string `json:"track,omitempty"`
	// Ticket and Attempt identify what tier 3 works on, what tier 2 reviews, or whose call tier 4
	// reads.
	Ticket  string `json:"ticket,omitempty"`
	Attempt int    `json:"attempt,omitempty"`
	Call    string `json:"call,omitempty"` // tier 4: the failed call
	Round   int    `json:"round"`          // the round that is about to be sent
	Reason  string `json:"reason"`
	// Shortened are results of which only the first characters are shown, oldest first.
	Shortened []ShortenedResult `json:"shortened,omitempty"`
	// DroppedRounds are rounds left out with their calls and results, oldest first.
	DroppedRounds []int `json:"dropped_rounds,omitempty"`
	// Views are the views that are shortened or left out: the initial views of the conversation,
	// and files that a model requested.
	Views []ShortenedView `json:"views,omitempty"`
	// Before, After and Limit are the measured tokens of the prompt before and after shortening,
	// and their limit.
	Before int64 `json:"before"`
	After  int64 `json:"after"`
	Limit  int64 `json:"limit"`
}

// Reasons for a ConversationShortened.
const (
	ShortenedForWindow = "window" // the prompt exceeds the model's limit
	ShortenedForEvent  = "event"  // the conversation does not fit into one event
	ShortenedForVendor = "vendor" // the provider rejected the prompt as too long
)

// ShortenedResult is a result that is only shown in part.
type ShortenedResult struct {
	Call string `json:"call"`
	Tool string `json:"tool"`
	Size int64  `json:"size"` // bytes of the whole result
	Head int    `json:"head"` // number of characters that are still shown
}

// ShortenedView is a view in a conversation that is shown in part or not at all.
type ShortenedView struct {
	Part int    `json:"part"`           // index in the prompt, from 0
	Name string `json:"name"`           // what it shows, such as a path
	Size int64  `json:"size"`           // bytes of the whole view
	Head int    `json:"head,omitempty"` // number of characters that are still shown; 0 if none
}

// EventType returns the type name and version.
func (ConversationShortened) EventType() Type { return Type{"ConversationShortened", 1} }

// EventCorr returns the most specific of call, ticket, track and goal.
func (e ConversationShortened) EventCorr() string { return cmp.Or(e.Call, e.Ticket, e.Track, e.Goal) }

func moneyDefs() []Def {
	cents, read := int64(120_000), int64(300_000)
	return []Def{
		Define(Command, "person", "Limits and prices of models, from here on.", ModelsOffered{[]ModelOffer{{
			Provider: "anthropic", Model: "claude-sonnet-4-5*", ContextWindow: 200_000, MaxOutputTokens: 64_000,
			Caching: "marked",
			Prices: []ModelPrice{{ID: "anthropic/claude-sonnet-4-5*", Input: 3_000_000, Output: 15_000_000, CacheRead: &read,
				Source: "price list", AsOf: "2026-01-02"}}}}}),
		Define(Decision, "approval", "A guarded request to a model may be sent; its maximum cost is reserved.",
			ModelApproved{Request: "01J", Ticket: "T-001", WorstCaseMicroDollars: &cents}),
		Define(Decision, "approval", "A guarded request to a model is not sent.", ModelDenied{Request: "01J", Ticket: "T-001",
			Reason: "the budget of the session is spent", By: "ada", Ask: "01K"}),
		Define(Decision, "approval", "Four fifths of a budget are spent.", BudgetWarned{Budget: BudgetSession,
			LimitMicroDollars: 5_000_000, SpentMicroDollars: 4_100_000}),
		Define(Decision, "approval", "A budget has a new limit from here on, or a ticket may exceed it.",
			BudgetRaised{Budget: BudgetSession, LimitMicroDollars: 10_000_000, By: "ada", Ask: "01K"}),
		Define(Command, "person", "A person wants a higher limit of a budget.", BudgetRaiseRequested{Budget: BudgetSession,
			LimitMicroDollars: 10_000_000}),
		Define(Decision, "planner, lead, contributor, qa", "What a conversation with a model leaves out from here on, so "+
			"that it fits.", ConversationShortened{Ticket: "T-001", Attempt: 1, Round: 7, Reason: ShortenedForWindow,
			Shortened: []ShortenedResult{{"01J-0", "read_file", 90_000, 8000}}, DroppedRounds: []int{1, 2}, Before: 210_000,
			After: 130_000, Limit: 190_000}),
	}
}

// BudgetArgs are the arguments with which a person approves a budget ask. Without arguments the limit is doubled
// until the waiting request fits.
type BudgetArgs struct {
	// Action is raise, stop or finish_ticket; empty means raise.
	Action string `json:"action,omitempty"`
	// Limit is the new limit in US dollars, for raise.
	Limit float64 `json:"limit,omitempty"`
}

// Actions of BudgetArgs.
const (
	BudgetActionRaise  = "raise"
	BudgetActionStop   = "stop"
	BudgetActionFinish = "finish_ticket"
)

// BudgetQuestion is the content of a budget ask.
type BudgetQuestion struct {
	Budget              string  `json:"budget"` // session, ticket or price
	Ticket              string  `json:"ticket,omitempty"`
	Provider            string  `json:"provider"`
	Model               string  `json:"model"`
	LimitDollars        float64 `json:"limit_dollars,omitempty"`
	SpentDollars        float64 `json:"spent_dollars"`
	WorstCaseDollars    float64 `json:"worst_case_dollars,omitempty"`
	SuggestLimitDollars float64 `json:"suggested_limit_dollars,omitempty"` // the limit that a plain yes sets
}

// JSON returns the question as the arguments of the ask.
func (q BudgetQuestion) JSON() json.RawMessage {
	b, err := json.Marshal(q)
	if err != nil {
		panic("events: " + err.Error()) // strings and finite numbers cannot fail
	}
	return b
}

// Pico is an amount of money in pico-dollars, millionths of a micro-dollar. The price of one token
// is a whole number of them, so sums are exact. An amount is never negative, and saturates at the
// largest value.
type Pico int64

// Plus returns the sum of two amounts.
func (p Pico) Plus(o Pico) Pico {
	p, o = max(p, 0), max(o, 0)
	if p > math.MaxInt64-o {
		return math.MaxInt64
	}
	return p + o
}

// Micro returns the amount in micro-dollars, rounded to the nearest.
func (p Pico) Micro() int64 {
	const micro = 1_000_000
	return int64(p/micro + (p%micro+micro/2)/micro)
}

// FromMicro returns an amount of micro-dollars; a negative one becomes 0.
func FromMicro(micro int64) Pico { return Pay(micro, 1_000_000) }

// Pay returns the cost of tokens at a price in micro-dollars per million tokens, which equals
// pico-dollars per token. Negative arguments count as 0.
func Pay(tokens, price int64) Pico {
	switch {
	case tokens <= 0 || price <= 0:
		return 0
	case tokens > math.MaxInt64/price:
		return math.MaxInt64
	}
	return Pico(tokens * price)
}
