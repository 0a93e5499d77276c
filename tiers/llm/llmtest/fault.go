package llmtest

import (
	"time"

	"manualslop/events"
)

// Fault is one way in which a turn can go wrong.
type Fault string

// Faults that happen before a stream begins.
const (
	RateLimitedNow  Fault = "429, try again at once"
	RateLimited     Fault = "429, try again in a second"
	RateLimitedDate Fault = "429, try again at a date"
	RateLimitedHour Fault = "429, try again in an hour"
	Overloaded      Fault = "529"
	ServerError     Fault = "500"
	Unauthorized    Fault = "the key is refused"
	PromptTooLong   Fault = "the prompt is too long"
	Page            Fault = "a page under status 200"
	Redirected      Fault = "a redirect"
)

// Faults in the stream.
const (
	ErrorEvent     Fault = "an error in the stream"
	EarlyEnd       Fault = "a clean end in the stream"
	Reset          Fault = "a broken connection"
	Stall          Fault = "silence"
	OneByte        Fault = "one byte at a time"
	SplitUTF8      Fault = "characters split between writes"
	CRLF           Fault = "carriage returns"
	Comments       Fault = "comments"
	UnknownEvents  Fault = "unknown events"
	Gzip           Fault = "a compressed stream"
	DuplicateIndex Fault = "two blocks of one index"
	NoUsage        Fault = "no usage"
)

// Faults in the model's reply.
const (
	ManyCalls    Fault = "20 parallel calls"
	SplitEscape  Fault = "arguments split inside an escape"
	BrokenArgs   Fault = "arguments that are not JSON"
	UnknownTool  Fault = "an unknown tool"
	RepeatedIDs  Fault = "ids that occur in two turns"
	CutInCall    Fault = "the token limit inside a call"
	Refusal      Fault = "a refusal"
	LongText     Fault = "2 MB of text"
	StalledStart Fault = "silence before the answer"
)

// Case is a fault and the result that an adapter must return.
type Case struct {
	Fault Fault
	// Kind is the kind of error; empty if the reply must succeed.
	Kind string
	// RetryAfter is the delay that the error must report.
	RetryAfter time.Duration
}

// cases returns all faults; a wire may override the kinds.
func cases() []Case {
	return []Case{
		{RateLimitedNow, events.ModelRateLimited, 0}, {RateLimited, events.ModelRateLimited, time.Second},
		{RateLimitedDate, events.ModelRateLimited, 30 * time.Second}, {RateLimitedHour, events.ModelRateLimited, time.Hour},
		{Overloaded, events.ModelOverloaded, 0}, {ServerError, events.ModelOverloaded, 0}, {Unauthorized, events.ModelAuth,
			0},
		{PromptTooLong, events.ModelContextTooLong, 0}, {Page, events.ModelNetwork, 0},
		{Redirected, events.ModelInvalidRequest, 0},
		{ErrorEvent, events.ModelOverloaded, 0}, {EarlyEnd, events.ModelIncomplete, 0}, {Reset, events.ModelNetwork, 0},
		{Stall, events.ModelNetwork, 0}, {StalledStart, events.ModelNetwork, 0},
		{OneByte, "", 0}, {SplitUTF8, "", 0}, {CRLF, "", 0}, {Comments, "", 0}, {UnknownEvents, "", 0}, {Gzip, "", 0},
		{DuplicateIndex, events.ModelIncomplete, 0}, {NoUsage, "", 0},
		{ManyCalls, "", 0}, {SplitEscape, "", 0}, {BrokenArgs, "", 0}, {UnknownTool, "", 0}, {RepeatedIDs, "", 0},
		{CutInCall, "", 0},
		{Refusal, events.ModelRefused, 0}, {LongText, events.ModelIncomplete, 0},
	}
}

// Cases returns every fault with its required result for this server's wire.
func (s *Server) Cases() []Case {
	out := cases()
	special := s.wire.expects()
	for i, c := range out {
		if kind, ok := special[c.Fault]; ok {
			out[i].Kind = kind
		}
	}
	return out
}

// status returns the response of a fault that happens before the stream; 0 for other faults.
func (f Fault) status() (code int, kind string) {
	switch f {
	case RateLimitedNow, RateLimited, RateLimitedDate, RateLimitedHour:
		return 429, events.ModelRateLimited
	case Overloaded:
		return 529, events.ModelOverloaded
	case ServerError:
		return 500, ""
	case Unauthorized:
		return 401, events.ModelAuth
	case PromptTooLong:
		return 400, events.ModelContextTooLong
	}
	return 0, ""
}
