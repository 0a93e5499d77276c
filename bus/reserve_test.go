package bus_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"manualslop/bus"
	"manualslop/events"
)

// fillUp appends events of a kind until the log refuses one, and returns why.
func (b *bench) fillUp(t *testing.T, c *bus.Conn, actor string, p events.Payload) error {
	t.Helper()
	for {
		if _, err := c.Append(b.ctx, b.Event(t, actor, p), nil); err != nil {
			return err
		}
	}
}

func TestReserveOfTheLogIsLeftForClosing(t *testing.T) {
	t.Parallel()
	b := setup(t, func(c *bus.Config) { c.MaxBytes = bus.MinBudget })
	c, w := b.as(t, ada), b.as(t, worker1)
	text := strings.Repeat("x", 20_000)
	append1 := func(c *bus.Conn, actor string, p events.Payload) error {
		_, err := c.Append(b.ctx, b.Event(t, actor, p), nil)
		return err
	}
	require.NoError(t, c.Room())
	err := b.fillUp(t, c, "ada", events.GoalSubmitted{Goal: text})
	require.ErrorIs(t, err, events.ErrReserve)
	require.ErrorIs(t, err, events.ErrFull)
	require.ErrorIs(t, c.Room(), events.ErrReserve, "as health tells")
	fill, err := c.Fill(b.ctx)
	require.NoError(t, err)
	require.True(t, fill.Reserved)
	require.False(t, fill.Closing)

	decider := b.as(t, bus.Role{Kind: bus.Decider, Name: events.ActorApproval})
	denied := events.ToolDenied{Call: "c", Tool: "read_file", Reason: text}
	require.NoError(t, append1(decider, events.ActorApproval, denied), "what runs goes on")
	require.ErrorIs(t, b.fillUp(t, decider, events.ActorApproval, denied), events.ErrReserve)
	hook := events.HookCalled{Method: "POST", Path: "/api/ask", Status: 507}
	require.ErrorIs(t, append1(b.as(t, bus.Role{Kind: bus.Gateway}), events.ActorGateway, hook), events.ErrReserve)
	fill, err = c.Fill(b.ctx)
	require.NoError(t, err)
	require.True(t, fill.Closing)
	require.Greater(t, fill.Budget-fill.Bytes, uint64(200<<10), "the second half is there")

	require.NoError(t, append1(c, "ada", events.SessionClosed{Reason: "closed by hand"}))
	require.NoError(t, append1(decider, events.ActorApproval, events.AskSettled{Ask: "a", Outcome: events.No}))
	require.NoError(t, append1(w, "worker-test-1", events.ToolSettled{Call: "c", Tool: "read_file",
		Outcome: events.ToolDone}))
	require.ErrorIs(t, append1(c, "ada", events.GoalSubmitted{Goal: "x"}), events.ErrReserve, "and it stays so")
}

func TestTypesOfTheReserveExist(t *testing.T) {
	t.Parallel()
	for _, typ := range bus.ReserveTypes() {
		_, known := events.Catalogue().Lookup(typ)
		require.True(t, known, typ)
	}
}

// TestOutcomesOfOthersCountAtOnceForWhatFollows lets a worker use up the first half of
// the reserve between two events of a decider.
func TestOutcomesOfOthersCountAtOnceForWhatFollows(t *testing.T) {
	t.Parallel()
	b := setup(t, func(c *bus.Config) { c.MaxBytes = bus.MinBudget })
	c, w, decider := b.as(t, ada), b.as(t, worker1), b.as(t, bus.Role{Kind: bus.Decider, Name: events.ActorApproval})
	require.ErrorIs(t, b.fillUp(t, c, "ada", events.GoalSubmitted{Goal: strings.Repeat("x", 20_000)}), events.ErrReserve)
	denied := b.Event(t, events.ActorApproval, events.ToolDenied{Call: "c", Tool: "read_file"})
	_, err := decider.Append(b.ctx, denied, nil)
	require.NoError(t, err)
	for range 10 {
		_, err := w.Append(b.ctx, b.Event(t, "worker-test-1", events.ToolSettled{Call: "c", Tool: "read_file",
			Text: strings.Repeat("x", 60_000), Outcome: events.ToolDone}), nil)
		require.NoError(t, err)
	}
	_, err = decider.Append(b.ctx, b.Event(t, events.ActorApproval, events.ToolDenied{Call: "d", Tool: "read_file"}), nil)
	require.ErrorIs(t, err, events.ErrReserve)
}
