package bus_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"manualslop/events"
)

func TestAForeignSubjectAtTheEndOfTheLogStopsNobody(t *testing.T) {
	t.Parallel()
	b := setup(t)
	log := b.as(t, approval)
	past := b.approve(t, log, 2)
	nc, err := b.srv.Stock(ada)
	require.NoError(t, err)
	t.Cleanup(nc.Close)
	for _, subject := range []string{"slop.ev.p1.s1.ada.AskAnswered", "slop.ev.p1.s1.ada.AskAnswered.tool.more", "slop.ev.p1.s1.ada.AskAnswered.tö"} {
		_, err := nc.Request(subject, []byte(`{"ask":"x","decision":"yes"}`), 1e9)
		t.Log(subject, err)
	}
	require.NoError(t, nc.Flush())
	_ = past
	_, err = log.Last(b.ctx, events.Filter{Project: "p1"})
	require.NoError(t, err)
}
