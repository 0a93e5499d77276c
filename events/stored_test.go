package events_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/oklog/ulid/v2"
	"github.com/stretchr/testify/require"

	"manualslop/events"
)

const answerSubject = "slop.ev.p1.01S.ada.AskAnswered.tool"

// fromStored reads and decodes a stored message.
func fromStored(t *testing.T, m events.Stored) events.Event {
	t.Helper()
	e, err := events.FromStored(m)
	require.NoError(t, err)
	events.Catalogue().Decode(&e)
	return e
}

func TestStoredEnvelopeReadsAsItself(t *testing.T) {
	t.Parallel()
	want := ticketReady(t)
	body, err := json.Marshal(want)
	require.NoError(t, err)
	got := fromStored(t, events.Stored{Subject: want.Subject(), MsgID: "ignored", Seq: 9, Time: time.Unix(1, 0),
		Body: body})
	want.Seq = 9
	require.Equal(t, want, got)
}

func TestBareAnswerIsLiftedFromSubjectAndHeaders(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 1, 2, 3, 4, 5, 0, time.FixedZone("east", 3600))
	e := fromStored(t, events.Stored{Subject: answerSubject, MsgID: "M1", Seq: 5, Time: at,
		Body: []byte(`{"ask":"01K","decision":"yes","reason":"fine","args":{"path":"b"}}`)})
	require.Equal(t, events.AskAnswered{Ask: "01K", Decision: events.Yes, Reason: "fine",
		Args: json.RawMessage(`{"path":"b"}`)}, e.Payload)
	require.Equal(t, "M1", e.ID)
	require.Equal(t, "ada", e.Actor)
	require.Equal(t, "p1", e.Project)
	require.Equal(t, "01S", e.Session)
	require.Equal(t, "tool", e.Topic)
	require.Equal(t, "01K", e.Corr)
	require.Equal(t, 1, e.V)
	require.Equal(t, uint64(5), e.Seq)
	require.Equal(t, at.UTC(), e.Time)
	require.Empty(t, e.Cause)
}

func TestLiftedAnswerIsAnEventLikeAnyOther(t *testing.T) {
	t.Parallel()
	e := fromStored(t, events.Stored{Subject: answerSubject, Seq: 5, Time: time.Unix(100, 0),
		Body: []byte(`{"ask":"01K","decision":"no"}`)})
	wire, err := json.Marshal(e)
	require.NoError(t, err)
	again := fromStored(t, events.Stored{Subject: answerSubject, Seq: 5, Body: wire})
	require.Equal(t, e, again)
}

func TestBareAnswerWithoutAMessageIDGetsAStableID(t *testing.T) {
	t.Parallel()
	m := events.Stored{Subject: answerSubject, Seq: 5, Time: time.Unix(100, 0),
		Body: []byte(`{"ask":"01K","decision":"yes"}`)}
	first := fromStored(t, m)
	require.Equal(t, first.ID, fromStored(t, m).ID)
	id, err := ulid.ParseStrict(first.ID)
	require.NoError(t, err)
	require.Equal(t, uint64(100_000), id.Time())
	for name, change := range map[string]func(*events.Stored){
		"sequence": func(m *events.Stored) { m.Seq++ },
		"subject":  func(m *events.Stored) { m.Subject = strings.Replace(m.Subject, "ada", "bob", 1) },
		"body":     func(m *events.Stored) { m.Body = []byte(`{"ask":"01K","decision":"no"}`) },
	} {
		other := m
		change(&other)
		require.NotEqual(t, first.ID, fromStored(t, other).ID, name)
	}
	m.MsgID = strings.Repeat("x", events.MaxIDLength+1)
	require.Equal(t, first.ID, fromStored(t, m).ID, "an id over the limit counts as none")
}

func TestABareBodyIsOnlyEverAnAnswer(t *testing.T) {
	t.Parallel()
	for _, subject := range []string{"slop.ev.p1.01S.approval.ToolApproved.edit_file",
		"slop.ev.p1.01S.ada.GoalSubmitted.-", "slop.ev.p1.01S.approval.AskSettled.tool"} {
		e := fromStored(t, events.Stored{Subject: subject, Body: []byte(`{"ask":"01K","decision":"yes","goal":"x"}`)})
		require.IsType(t, events.Malformed{}, e.Payload, subject)
	}
}

func TestBareAnswerOfSomebodyWhoMayNotAnswerIsMalformed(t *testing.T) {
	t.Parallel()
	for _, actor := range []string{"worker-h-1", "agent-ci", "models", "gateway", "approval"} {
		e := fromStored(t, events.Stored{Subject: "slop.ev.p1.01S." + actor + ".AskAnswered.tool",
			Body: []byte(`{"ask":"01K","decision":"yes"}`)})
		require.Equal(t, actor+" may not write AskAnswered", e.Payload.(events.Malformed).Reason)
	}
}

func TestForgedEnvelopeIsMalformedUnderTheSubjectItCameOn(t *testing.T) {
	t.Parallel()
	d, ok := events.Catalogue().Lookup("ToolApproved")
	require.True(t, ok)
	forged := sampleEvent(t, d)
	body, err := json.Marshal(forged)
	require.NoError(t, err)
	for _, subject := range []string{
		"slop.ev.p1.01KDZV3M87SESSION000000000.worker-h-1.ToolApproved.edit_file", // another actor
		"slop.ev.p1.01OTHER.approval.ToolApproved.edit_file",                      // another session
		"slop.ev.p1.01KDZV3M87SESSION000000000.approval.ToolApproved.read_file",   // another topic
		"slop.ev.p1.01KDZV3M87SESSION000000000.worker-h-1.ToolSettled.edit_file",  // another type
	} {
		e := fromStored(t, events.Stored{Subject: subject, MsgID: forged.ID, Seq: 3, Body: body})
		bad, isBad := e.Payload.(events.Malformed)
		require.True(t, isBad, subject)
		require.Equal(t, string(body), string(bad.Raw), "it stays on the record as it came")
		require.Equal(t, subject, e.Subject(), "the subject says who wrote it, not the body")
	}
}

func TestGarbageOnTheStreamDoesNotStopAReader(t *testing.T) {
	t.Parallel()
	for _, body := range []string{"", "x", "null", "[]", `{"ask":""}`, `{"ask":1}`, `{"ask":"01K","decision":[]}`,
		"\xff\xfe", strings.Repeat("[", 100_000)} {
		e := fromStored(t, events.Stored{Subject: answerSubject, Seq: 1, Body: []byte(body)})
		bad, isBad := e.Payload.(events.Malformed)
		require.True(t, isBad, "%.20q", body)
		require.NotEmpty(t, bad.Detail)
		require.NotEmpty(t, e.ID)
		wire, err := json.Marshal(e)
		require.NoError(t, err, "it can be shown")
		var again events.Event
		require.NoError(t, json.Unmarshal(wire, &again))
		events.Catalogue().Decode(&again)
		shown, isBad := again.Payload.(events.Malformed)
		require.True(t, isBad, "and shown, it is still nothing that counts")
		require.Equal(t, bad.Reason, shown.Reason, "for the same reason, because decisions quote it")
	}
}

func TestForeignSubjectIsAnError(t *testing.T) {
	t.Parallel()
	_, err := events.FromStored(events.Stored{Subject: "slop.sig.x", Body: []byte(`{}`)})
	require.ErrorIs(t, err, events.ErrSubject)
}

func FuzzFromStored(f *testing.F) {
	f.Add([]byte(`{"ask":"01K","decision":"yes"}`), "M1", uint64(1))
	f.Add([]byte(`{"specversion":"1.0","id":"a","source":"ada","type":"AskAnswered","subject":"`+answerSubject+
		`","time":"2026-01-02T03:04:05Z","session":"01S","v":1,"data":{"ask":"x","decision":"no"}}`), "", uint64(2))
	f.Add([]byte(`null`), "", uint64(3))
	registry := events.Catalogue()
	f.Fuzz(func(t *testing.T, body []byte, id string, seq uint64) {
		e, err := events.FromStored(events.Stored{Subject: answerSubject, MsgID: id, Seq: seq, Body: body})
		require.NoError(t, err)
		registry.Decode(&e)
		require.Equal(t, answerSubject, e.Subject())
		require.NotEmpty(t, e.ID)
		require.LessOrEqual(t, len(e.ID), events.MaxIDLength)
		require.NotNil(t, e.Payload)
		_, err = json.Marshal(e)
		require.NoError(t, err)
	})
}
