package runtime_test

import (
	"context"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"manualslop/events"
	"manualslop/events/eventstest"
)

// openingLog is a log in which a session is opened right before its end is asked for.
type openingLog struct {
	*eventstest.Memory
	open func()
}

func (l openingLog) Last(ctx context.Context, f events.Filter) (uint64, error) {
	if f == (events.Filter{Project: project}) {
		l.open()
	}
	return l.Memory.Last(ctx, f)
}

// begins hears which sessions are handed over.
type begins chan string

func (b begins) Begin(_ context.Context, session string, _ []*events.Event) { b <- session }
func (b begins) Take(context.Context, *events.Event)                        {}

// TestASessionThatIsOpenedWhileAProcessStartsIsBegun has one opened before and
// one while the open sessions are looked for.
func TestASessionThatIsOpenedWhileAProcessStartsIsBegun(t *testing.T) {
	t.Parallel()
	log := eventstest.NewMemory()
	t.Cleanup(log.Close)
	say1(t, log, "S1", events.SessionOpened{})
	heard := make(begins, 10)
	engineOn(t, readerOf(openingLog{log, sync.OnceFunc(func() { say1(t, log, "S2", events.SessionOpened{}) })}), heard)
	seen := map[string]bool{}
	require.Eventually(t, func() bool {
		select {
		case s := <-heard:
			seen[s] = true
		default:
		}
		return seen["S1"] && seen["S2"]
	}, eventstest.Patience, time.Millisecond)
}
