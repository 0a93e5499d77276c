package gemini

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"strings"
	"time"

	"manualslop/events"
	"manualslop/tiers/llm"
	"manualslop/tiers/llm/transport"
)

// problem is google.rpc.Status as the API sends it:
// https://cloud.google.com/apis/design/errors#http_mapping.
type problem struct {
	Code    int      `json:"code"`
	Message string   `json:"message"`
	Status  string   `json:"status"`
	Details []detail `json:"details"`
}

// detail is a google.rpc.ErrorInfo or a google.rpc.RetryInfo.
type detail struct {
	Reason     string `json:"reason"`
	RetryDelay string `json:"retryDelay"` // "34.07s"
}

// failure converts err to an [*llm.Error], using what the server reported.
func (p Provider) failure(ctx context.Context, call *transport.Call, err error) *llm.Error {
	var said problem
	if mid, ok := errors.AsType[*problem](err); ok { // in the middle of a stream
		said = *mid
		err = &llm.Error{Kind: cmp.Or(said.kind(), events.ModelNetwork), Message: said.Error()}
	}
	if errors.Is(err, errUnreadable) {
		err = &llm.Error{Kind: events.ModelIncomplete, Message: err.Error()}
	}
	out := call.Error(ctx, err, func(s *transport.Status) (string, string) {
		said = problemIn(s)
		return said.kind(), ""
	})
	if out == nil {
		return nil
	}
	if out.RetryAfter == 0 {
		out.RetryAfter = said.wait()
	}
	return out
}

// problemIn returns the problem in the body of an error response; the zero value if there is none.
func problemIn(s *transport.Status) problem {
	var body struct {
		Error problem `json:"error"`
	}
	if json.Unmarshal(s.Body, &body) != nil || body.Error.Status == "" {
		return problem{}
	}
	return body.Error
}

// refine classifies an error response.
func refine(s *transport.Status) (kind, message string) { return problemIn(s).kind(), "" }

// Error returns the server's status and message.
func (s *problem) Error() string { return "gemini: " + s.Status + ": " + s.Message }

// kind returns the kind of error; empty if only the status code can tell.
func (s problem) kind() string {
	switch s.Status {
	case "INVALID_ARGUMENT":
		switch {
		case s.has("API_KEY_INVALID"):
			return events.ModelAuth // sent with status 400
		case strings.Contains(s.Message, "exceeds the maximum number of tokens"):
			return events.ModelContextTooLong // no detail identifies it
		}
		return events.ModelInvalidRequest
	case "FAILED_PRECONDITION", "OUT_OF_RANGE", "NOT_FOUND", "UNIMPLEMENTED", "ALREADY_EXISTS":
		return events.ModelInvalidRequest
	case "UNAUTHENTICATED", "PERMISSION_DENIED":
		return events.ModelAuth
	case "RESOURCE_EXHAUSTED":
		return events.ModelRateLimited
	case "INTERNAL", "UNAVAILABLE", "DEADLINE_EXCEEDED", "ABORTED", "UNKNOWN":
		return events.ModelOverloaded
	case "CANCELLED", "DATA_LOSS":
		return events.ModelNetwork
	}
	if s.Code != 0 {
		return transport.Kind(s.Code)
	}
	return ""
}

func (s problem) has(reason string) bool {
	for _, d := range s.Details {
		if d.Reason == reason {
			return true
		}
	}
	return false
}

// wait returns the delay that the problem's RetryInfo asks for, up to the transport's limit.
func (s problem) wait() time.Duration {
	for _, d := range s.Details {
		if wait, err := time.ParseDuration(d.RetryDelay); err == nil && wait > 0 {
			return min(wait, transport.MaxRetryAfter)
		}
	}
	return 0
}
