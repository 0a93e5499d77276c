package eventstest

import (
	"context"
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	"manualslop/events"
)

// BareAppender is what a log under test provides in addition to events.Log, so that the suite can
// store anything that a plain client could publish: any body on any event subject.
type BareAppender interface {
	AppendBare(ctx context.Context, subject, msgID string, body []byte) error
}

// epoch is the time of the first event that a [Builder] makes.
var epoch = time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)

// Builder makes events of one session with numbered ids and times, the same in every run.
type Builder struct {
	Project, Session string
	n                atomic.Int64
}

// Event returns an event with a payload, written by actor.
func (b *Builder) Event(tb testing.TB, actor string, p events.Payload) events.Event {
	tb.Helper()
	n := b.n.Add(1)
	e, err := events.New(events.Origin{
		ID: fmt.Sprintf("%s-%s-%06d", b.Session, actor, n), Time: epoch.Add(time.Duration(n) * time.Second),
		Project: b.Project, Session: b.Session, Actor: actor,
	}, p)
	if err != nil {
		tb.Fatalf("make event: %v", err)
	}
	return e
}
