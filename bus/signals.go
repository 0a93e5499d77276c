package bus

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/nats-io/nats.go"

	"manualslop/events"
)

// MaxSignal bounds the body of a signal in bytes.
const MaxSignal = 64 << 10

// Signal is a remark that is never stored and never folded: a text delta, a
// sign of life. It may be lost at any time.
type Signal struct {
	Project, Session, Actor, Name string
	Body                          []byte
}

// Signal publishes a signal. An empty session reads "-". While the connection
// is down signals are dropped. Errors: events.ErrSubject, events.ErrTooLarge,
// events.ErrClosed; rights are not reported, because nobody waits for an answer.
func (c *Conn) Signal(ctx context.Context, project, session, actor, name string, body []byte) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if session == "" {
		session = "-"
	}
	for _, token := range []string{project, session, actor, name} {
		if !events.ValidToken(token) {
			return fmt.Errorf("signal: %w: %.80q is no token", events.ErrSubject, token)
		}
	}
	if len(body) > MaxSignal {
		return fmt.Errorf("signal %s: %w: %d bytes, at most %d", name, events.ErrTooLarge, len(body), MaxSignal)
	}
	err := c.nc.Publish(strings.Join([]string{events.RootSignals, project, session, actor, name}, "."), body)
	if errors.Is(err, nats.ErrConnectionClosed) {
		return fmt.Errorf("signal %s: %w", name, mapConn(err))
	}
	return nil
}

// Signals calls take for each signal from now on until ctx ends; an empty
// field of the pattern matches anything. What a slow taker misses is gone.
func (c *Conn) Signals(ctx context.Context, pattern Signal, take func(Signal)) error {
	tokens := []string{pattern.Project, pattern.Session, pattern.Actor, pattern.Name}
	for i, t := range tokens {
		if t == "" {
			tokens[i] = "*"
		} else if !events.ValidToken(t) {
			return fmt.Errorf("signals: %w: %.80q is no token", events.ErrSubject, t)
		}
	}
	subject := events.RootSignals + "." + strings.Join(tokens, ".")
	for {
		err := c.listen(ctx, subject, func(m *nats.Msg) {
			part := strings.Split(strings.TrimPrefix(m.Subject, events.RootSignals+"."), ".")
			take(Signal{part[0], part[1], part[2], part[3], m.Data})
		})
		if err == nil || !errors.Is(err, nats.ErrSlowConsumer) {
			return err
		}
	}
}
