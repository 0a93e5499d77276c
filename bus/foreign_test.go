package bus_test

import (
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/stretchr/testify/require"

	"manualslop/events"
)

func TestASubjectWithoutFiveTokensIsRefused(t *testing.T) {
	t.Parallel()
	b := setup(t)
	nc, err := b.srv.Stock(ada)
	require.NoError(t, err)
	t.Cleanup(nc.Close)
	refused := make(chan error, 2)
	nc.SetErrorHandler(func(_ *nats.Conn, _ *nats.Subscription, err error) { refused <- err })
	for _, subject := range []string{"slop.ev.p1.s1.ada.AskAnswered", "slop.ev.p1.s1.ada.AskAnswered.tool.more"} {
		require.NoError(t, nc.Publish(subject, []byte(`{"ask":"x","decision":"yes"}`)))
		require.NoError(t, nc.Flush())
		select {
		case err := <-refused:
			require.ErrorIs(t, err, nats.ErrPermissionViolation, subject)
		case <-b.ctx.Done():
			require.Fail(t, "it was not refused", subject)
		}
	}
	last, err := b.as(t, approval).Last(b.ctx, events.Filter{})
	require.NoError(t, err)
	require.Zero(t, last)
}

func TestAForeignSubjectAtTheEndOfTheLogStopsNobody(t *testing.T) {
	t.Parallel()
	b := setup(t)
	log := b.as(t, approval)
	past := b.approve(t, log, 2)
	nc, err := b.srv.Stock(ada)
	require.NoError(t, err)
	t.Cleanup(nc.Close)
	_, err = nc.Request("slop.ev.p1.s1.ada.AskAnswered.tö", []byte(`{"ask":"x","decision":"yes"}`), time.Minute)
	require.NoError(t, err)

	session := events.Filter{Project: "p1", Session: "s1"}
	last, err := log.Last(b.ctx, session)
	require.NoError(t, err)
	require.Equal(t, past[1].Seq+1, last)
	var got []string
	for e, err := range log.Read(b.ctx, session, 1, 0) {
		require.NoError(t, err)
		got = append(got, e.ID)
	}
	require.Equal(t, []string{past[0].ID, past[1].ID}, got)
	_, feed, err := log.Watch(b.ctx, session, 1)
	require.NoError(t, err)
	next := b.approve(t, log, 1)
	for e, err := range feed {
		require.NoError(t, err)
		if e.ID == next[0].ID {
			break
		}
	}
}
