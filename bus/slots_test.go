package bus_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"manualslop/bus"
	"manualslop/bus/bustest"
	"manualslop/events"
	"manualslop/events/eventstest"
)

// TestAsManySlotsWorkAsThereIsWorkAndFewWait has a worker with many slots, whose
// calls all wait for each other.
func TestAsManySlotsWorkAsThereIsWorkAndFewWait(t *testing.T) {
	t.Parallel()
	const most = 40
	b := setup(t, silentFor(2*eventstest.Patience))
	timers := b.as(t, bus.Role{Kind: bus.Timers, Project: bustest.Project})
	waiting := func() int {
		n, err := timers.Pulls(b.ctx, toolPool)
		require.NoError(t, err)
		return n
	}
	begun, release := make(chan struct{}, 2*most), make(chan struct{})
	working(t, b.ctx, b.as(t, worker1), most, func(context.Context, events.Delivery) error {
		begun <- struct{}{}
		<-release
		return nil
	})
	few := func() bool { n := waiting(); return n > 0 && n <= bus.SpareSlots }
	require.Eventually(t, few, eventstest.Patience, time.Millisecond)
	b.approve(t, b.as(t, approval), most+1)
	for range most {
		<-begun
	}
	require.Eventually(t, func() bool { return waiting() == 0 }, eventstest.Patience, time.Millisecond)
	require.Empty(t, begun, "no more than it has slots for")
	close(release)
	<-begun
	require.Eventually(t, few, eventstest.Patience, time.Millisecond)
}
