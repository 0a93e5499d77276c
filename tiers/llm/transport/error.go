package transport

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"strings"

	"manualslop/events"
	"manualslop/tiers/llm"
)

// Refine interprets a status for one vendor; if kind or message is empty, the common
// interpretation applies.
type Refine func(*Status) (kind, message string)

// Error converts err, which an SDK returned for this attempt, to an [*llm.Error]: of kind
// cancelled if ctx was, else the error that the transport saw, else err. It returns an error even
// if err is nil but the transport saw one, and nil if nothing went wrong. refine may be nil.
func (c *Call) Error(ctx context.Context, err error, refine Refine) *llm.Error {
	c.mu.Lock()
	first := c.first
	c.mu.Unlock()
	switch {
	case err == nil && first == nil:
		return nil
	case ctx.Err() != nil:
		return llm.AsError(ctx.Err())
	case first != nil:
		err = first
	}
	if s, ok := errors.AsType[*Status](err); ok {
		return c.hidden(s.failure(refine))
	}
	return c.hidden(llm.AsError(unreached(err)))
}

func (s *Status) failure(refine Refine) *llm.Error {
	e := &llm.Error{Kind: Kind(s.Code), Message: s.Error(), RetryAfter: s.RetryAfter}
	if refine != nil {
		kind, message := refine(s)
		e.Kind, e.Message = cmp.Or(kind, e.Kind), cmp.Or(message, e.Message)
	}
	e.Message += advice(e.Kind, s.Code)
	return e
}

// advice returns a hint for the user about a status.
func advice(kind string, code int) string {
	switch {
	case kind == events.ModelAuth:
		return " (slop models --check shows whether the key works)"
	case code == http.StatusNotFound:
		return " (slop models --check marks unknown models; is base_url right?)"
	}
	return ""
}

// unreached adds a hint to err if no connection could be made.
func unreached(err error) error {
	var at *net.OpError
	if errors.As(err, &at) && at.Op == "dial" {
		return fmt.Errorf("%w (is the network up, the server running, and base_url right?)", err)
	}
	return err
}

// hidden returns e with the key removed. If its message or cause contains the key, the cause is
// dropped.
func (c *Call) hidden(e *llm.Error) *llm.Error {
	clean := c.secrets.Replace(e.Message)
	if cause := errors.Unwrap(e); clean == e.Message &&
		(cause == nil || c.secrets.Replace(cause.Error()) == cause.Error()) {
		return e
	}
	return &llm.Error{Kind: e.Kind, Message: clean, RetryAfter: e.RetryAfter, CLI: e.CLI}
}

// hiding returns a replacer for the key and for the values of configured headers, which may be
// keys too, in every form in which a message could repeat them.
func hiding(e llm.Endpoint) *strings.Replacer {
	var pairs []string
	add := func(secret string, shortest int) {
		if len(secret) < shortest {
			return
		}
		for _, form := range []string{secret, url.QueryEscape(secret), url.PathEscape(secret)} {
			pairs = append(pairs, form, "[key]")
		}
	}
	add(e.Key, minKey)
	for _, value := range e.Headers {
		for _, word := range strings.Fields(value) { // such as "Bearer …"
			add(word, minHeader)
		}
	}
	return strings.NewReplacer(pairs...)
}
