package hookgw_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"manualslop/events"
	"manualslop/events/eventstest"
	"manualslop/hookgw/access"
	"manualslop/hookgw/core"
	"manualslop/hookgw/request"
)

// conduct answers the next event of a type as the conductor would.
func (f *fixture) conduct(typ string, facts ...events.Payload) {
	go func() {
		_, feed, err := f.log.Watch(f.t.Context(), events.Filter{Project: project, Type: typ}, 1)
		if err != nil {
			return
		}
		for cause, err := range feed {
			if err != nil {
				return
			}
			for i, p := range facts {
				if r, refused := p.(events.ControlRefused); refused {
					r.Request = cause.ID
					p = r
				}
				own, err := events.Decided(events.ActorConductor, cause, i, 0, p)
				if err != nil {
					return
				}
				if _, err := f.log.Append(f.t.Context(), own, nil); err != nil {
					return
				}
			}
			return
		}
	}()
}

func TestAControlRequestIsAnsweredByTheConductorsFact(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		body, typ string
		facts     []events.Payload
	}{
		{`{"action":"pause"}`, "PauseRequested", []events.Payload{events.Paused{By: person}}},
		{`{"action":"resume"}`, "ResumeRequested", []events.Payload{events.Resumed{By: person}}},
		{`{"action":"kill","ticket":"T-1"}`, "KillRequested", []events.Payload{
			events.TicketKilled{Ticket: "T-1", Attempt: 1, By: person}, events.TicketBlocked{Ticket: "T-1",
				Kind: events.BlockKilled}}},
		{`{"action":"retry","ticket":"T-1"}`, "RetryRequested", []events.Payload{events.TicketRetried{Ticket: "T-1",
			RetryCount: 1}}},
		{`{"action":"block","ticket":"T-1","reason":"later"}`, "BlockRequested",
			[]events.Payload{events.TicketBlocked{Ticket: "T-1", Kind: events.BlockManual}}},
		{`{"action":"unblock","ticket":"T-1"}`, "UnblockRequested", []events.Payload{events.TicketUnblocked{Ticket: "T-1"}}},
		{`{"action":"note","ticket":"T-1","note":"use v2"}`, "NoteRequested", []events.Payload{events.TicketNoted{
			Ticket: "T-1", By: person, Note: "use v2"}}},
		{`{"action":"step_mode","on":true}`, "StepModeSet", nil},
		{`{"action":"raise_budget","budget":"session","limit_micro_dollars":7500000}`, "BudgetRaiseRequested", nil},
		{`{"action":"raise_budget","budget":"ticket","ticket":"T-1","limit_micro_dollars":1}`, "BudgetRaiseRequested", nil},
	} {
		t.Run(c.typ, func(t *testing.T) {
			t.Parallel()
			f := open(t)
			f.conduct(c.typ, c.facts...)
			a := f.post("/api/control", access.RightHuman, c.body)
			require.Equal(t, http.StatusOK, a.status, string(a.body))
			require.JSONEq(t, `{"status":"ok"}`, string(a.body))
			said := eventstest.All(t, f.log, events.Filter{Project: project, Type: c.typ})
			require.Len(t, said, 1)
			require.Equal(t, person, said[0].Actor)
			if len(c.facts) > 0 {
				last := c.facts[len(c.facts)-1].EventType().Name
				require.NotEmpty(t, eventstest.All(t, f.log, events.Filter{Project: project, Type: last}))
			}
		})
	}
}

func TestTheTicketAndReasonOfAControlRequestAreOnRecord(t *testing.T) {
	t.Parallel()
	f := open(t, func(c *core.Config) {
		c.Masker = func(b []byte) []byte { return []byte(strings.ReplaceAll(string(b), "hunter2hunter2", "[secret]")) }
	})
	f.conduct("BlockRequested", events.TicketBlocked{Ticket: "T-1", Kind: events.BlockManual})
	f.post("/api/control", access.RightHuman, `{"action":"block","ticket":"T-1","reason":"key hunter2hunter2"}`)
	require.Equal(t, []events.BlockRequested{{Ticket: "T-1", Reason: "key [secret]"}}, recorded[events.BlockRequested](f))
}

func TestANoteIsOnRecordWithoutSecrets(t *testing.T) {
	t.Parallel()
	f := open(t, func(c *core.Config) {
		c.Masker = func(b []byte) []byte { return []byte(strings.ReplaceAll(string(b), "hunter2hunter2", "[secret]")) }
	})
	f.conduct("RetryRequested", events.TicketRetried{Ticket: "T-1", RetryCount: 1})
	f.post("/api/control", access.RightHuman, `{"action":"retry","ticket":"T-1","note":"key hunter2hunter2"}`)
	require.Equal(t, []events.RetryRequested{{Ticket: "T-1", Note: "key [secret]"}}, recorded[events.RetryRequested](f))
	for body, status := range map[string]int{
		`{"action":"note","ticket":"T-1"}`:                                                        http.StatusBadRequest,
		`{"action":"note","ticket":"T-1","note":" "}`:                                             http.StatusBadRequest,
		`{"action":"note","note":"x"}`:                                                            http.StatusBadRequest,
		`{"action":"kill","ticket":"T-1","note":"x"}`:                                             http.StatusBadRequest,
		`{"action":"note","ticket":"T-1","note":"` + strings.Repeat("x", events.MaxNote+1) + `"}`: http.StatusRequestEntityTooLarge,
	} {
		require.Equal(t, status, f.post("/api/control", access.RightHuman, body).status, "%.60s", body)
	}
	require.Empty(t, recorded[events.NoteRequested](f))
}

func TestARefusedControlRequestTellsTheConductorsReason(t *testing.T) {
	t.Parallel()
	f := open(t)
	f.conduct("KillRequested", events.ControlRefused{Kind: "KillRequested", Ticket: "T-9",
		Reason: "there is no such ticket"})
	a := f.post("/api/control", access.RightHuman, `{"action":"kill","ticket":"T-9"}`)
	require.Equal(t, http.StatusConflict, a.status)
	require.Equal(t, "there is no such ticket", a.object(t)["error"])
}

func TestAControlRequestThatNobodyAnswersIsAccepted(t *testing.T) {
	t.Parallel()
	f := open(t, limited(func(l *request.Limits) { l.SettleWait = 10 * time.Millisecond }))
	a := f.post("/api/control", access.RightHuman, `{"action":"pause"}`)
	require.Equal(t, http.StatusAccepted, a.status)
	require.Equal(t, "accepted", a.object(t)["status"])
	require.Len(t, recorded[events.PauseRequested](f), 1)
}

func TestAnUnclearControlRequestIsRefusedAndNotRecorded(t *testing.T) {
	t.Parallel()
	f := open(t)
	for _, body := range []string{
		`{}`, `{"action":"stop"}`, `{"action":1}`, `{"action":"kill"}`, `{"action":"kill","ticket":""}`,
		`{"action":"kill","ticket":7}`,
		`{"action":"pause","ticket":"T-1"}`, `{"action":"kill","ticket":"T-1","reason":"x"}`, `{"action":"step_mode"}`,
		`{"action":"raise_budget"}`, `{"action":"raise_budget","budget":"session"}`,
		`{"action":"raise_budget","budget":"ticket","limit_micro_dollars":1}`,
		`{"action":"raise_budget","budget":"session","limit_micro_dollars":1000000000001}`,
		`{"action":"raise_budget","budget":"session","ticket":"T-1","limit_micro_dollars":1}`,
		`{"action":"step_mode","on":"yes"}`, `{"action":"pause","Action":"resume"}`,
		`{"action":"kill","ticket":"` + strings.Repeat("x", events.MaxIDLength+1) + `"}`,
	} {
		a := f.post("/api/control", access.RightHuman, body)
		require.Equal(t, http.StatusBadRequest, a.status, "%s: %s", body, a.body)
		require.NotEmpty(t, a.object(t)["hint"])
	}
	a := f.post("/api/control", access.RightHuman, `{"action":"block","ticket":"T-1","reason":"`+strings.Repeat("x",
		4<<10+1)+`"}`)
	require.Equal(t, http.StatusRequestEntityTooLarge, a.status)
	for _, typ := range []string{"PauseRequested", "ResumeRequested", "KillRequested", "BlockRequested", "StepModeSet"} {
		require.Empty(t, eventstest.All(t, f.log, events.Filter{Project: project, Type: typ}), typ)
	}
}

func TestAControlRequestNeedsASession(t *testing.T) {
	t.Parallel()
	f := openEmpty(t)
	require.Equal(t, http.StatusServiceUnavailable, f.post("/api/control", access.RightHuman, `{"action":"pause"}`).status)
	require.Equal(t, http.StatusServiceUnavailable, f.post("/api/goal", access.RightHuman, `{"goal":"x"}`).status)
}
