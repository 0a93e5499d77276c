package mcp

import (
	"cmp"
	"context"
	"fmt"
	"sync"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"manualslop/tools"
)

// maxCalls limits the concurrent calls of one server; further calls wait.
const maxCalls = 8

// Time limits of a call. They are suspended while the user has a question to answer.
const (
	callTimeout = 120 * time.Second // default; see Definition.CallMS; progress restarts it
	hardTimeout = 10 * time.Minute  // limit even with progress; at least callTimeout
)

// limits are the time limits of one running call.
type limits struct {
	quiet, whole time.Duration
	silence, end *time.Timer

	mu   sync.Mutex
	held int // questions that a user is asked now
}

// startLimits starts the time limits of a call. over is called when one of them is reached.
func startLimits(d Definition, over func(error)) *limits {
	l := &limits{quiet: cmp.Or(time.Duration(d.CallMS)*time.Millisecond, callTimeout)}
	l.whole = max(l.quiet, hardTimeout)
	l.silence = time.AfterFunc(l.quiet, func() {
		over(fmt.Errorf("no answer and no progress within %v: %w", l.quiet, context.DeadlineExceeded))
	})
	l.end = time.AfterFunc(l.whole, func() {
		over(fmt.Errorf("no answer within %v: %w", l.whole, context.DeadlineExceeded))
	})
	return l
}

// progress restarts the time in which a call must report something.
func (l *limits) progress() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.held == 0 {
		l.silence.Reset(l.quiet)
	}
}

// hold stops the times until each caller has called resume, which restarts them.
func (l *limits) hold() (resume func()) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.held++
	l.stop()
	return func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		if l.held--; l.held == 0 {
			l.silence.Reset(l.quiet)
			l.end.Reset(l.whole)
		}
	}
}

func (l *limits) stop() {
	l.silence.Stop()
	l.end.Stop()
}

func (s *session) CallTool(ctx context.Context, name string, args map[string]any,
	h Hooks) (result *sdk.CallToolResult, err error) {
	if args == nil {
		args = map[string]any{} // null is not an object
	}
	err = s.during(ctx, h, func(ctx context.Context, c *connection, meta sdk.Meta) (err error) {
		return c.rounds(ctx, func(in sdk.InputResponseMap, state string) (*needed, error) {
			result, err = c.CallTool(ctx, &sdk.CallToolParams{Meta: meta, Name: name, Arguments: args, InputResponses: in,
				RequestState: state})
			if err != nil || !result.NeedsInput() {
				return nil, err
			}
			return &needed{result.InputRequests, result.RequestState}, nil
		})
	})
	return result, err
}

// during makes one request within its times. The request must have the given metadata.
func (s *session) during(ctx context.Context, h Hooks,
	request func(context.Context, *connection, sdk.Meta) error) error {
	select {
	case s.calls <- struct{}{}:
		defer func() { <-s.calls }()
	case <-ctx.Done():
		return ctx.Err()
	}
	c, err := s.connected(ctx)
	if err != nil {
		return err
	}
	within, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	e := &expectation{ask: h.Ask, notify: h.Notify, limits: startLimits(s.definition, cancel)}
	defer e.stop()
	if e.notify == nil {
		e.notify = func(tools.Notice) {}
	}
	e.ctx = context.WithValue(within, underWay{}, e)
	token, done := c.expect(e)
	defer done()
	meta := sdk.Meta{"progressToken": token}
	if c.modern() {
		//lint:ignore SA1019 servers of today log
		meta[sdk.MetaKeyLogLevel] = "debug"
	}
	err = request(e.ctx, c, meta)
	if err != nil && ctx.Err() == nil && within.Err() != nil {
		return context.Cause(within)
	}
	if err != nil && kindOf(ctx, err) == "closed" {
		_ = c.Close() // it is already dead; this removes what remains of its process
		select {
		case <-c.ended: // so that the next call does not get it
		case <-within.Done():
		}
	}
	return err
}
