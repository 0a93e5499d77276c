package events_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"manualslop/events"
)

func TestSubjectSplitsIntoWhatItWasBuiltFrom(t *testing.T) {
	t.Parallel()
	want := events.Tokens{Project: "p1", Session: "01J", Actor: "worker-host1-1", Type: "ToolSettled",
		Topic: "run_powershell"}
	s := events.Subject(want.Project, want.Session, want.Actor, want.Type, want.Topic)
	require.Equal(t, "slop.ev.p1.01J.worker-host1-1.ToolSettled.run_powershell", s)
	got, err := events.ParseSubject(s)
	require.NoError(t, err)
	require.Equal(t, want, got)
}

func TestEmptyTokenReadsAsADash(t *testing.T) {
	t.Parallel()
	require.Equal(t, "slop.ev.p.s.a.T.-", events.Subject("p", "s", "a", "T", ""))
}

func TestForeignSubjectsAreRefused(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x", events.MaxToken)
	_, err := events.ParseSubject("slop.ev.p.s.a.T." + long)
	require.NoError(t, err, "a token at the limit")
	for _, s := range []string{
		"", "slop", "slop.ev", "slop.ev.", "slop.ev.p.s.a.T", "slop.ev.p.s.a.T.", "slop.ev.p.s.a.T.x.y", "slop.ev.p..a.T.-",
		"slop.sig.p.s.a.T.-", "slop.live.p.s.a.T.-", "Slop.ev.p.s.a.T.-", "slop.ev.*.s.a.T.-", "slop.ev.p.s.a.T.>",
		"slop.ev.p.s.a.T.é",
		"slop.ev.p.s.a b.T.-", "slop.ev.p.s.a.T.-\n", "slop.ev.p.s.a.T." + long + "x", " slop.ev.p.s.a.T.-",
	} {
		_, err := events.ParseSubject(s)
		require.ErrorIs(t, err, events.ErrSubject, "%q", s)
	}
}

func TestTokenOfAnyTextIsValid(t *testing.T) {
	t.Parallel()
	require.Equal(t, "-", events.Token(""))
	require.Equal(t, "mcp__a__b", events.Token("mcp__a__b"))
	require.Equal(t, "a_b_c_", events.Token("a.b c>"))
	require.Len(t, events.Token(strings.Repeat("é", events.MaxToken)), events.MaxToken)
}

func TestFilterSubjectAndMatchAgree(t *testing.T) {
	t.Parallel()
	e := &events.Event{Project: "p", Session: "s", Actor: "a", Type: "T", Topic: "x"}
	for subject, c := range map[string]struct {
		f    events.Filter
		want bool
	}{
		"slop.ev.>":             {events.Filter{}, true},
		"slop.ev.p.>":           {events.Filter{Project: "p"}, true},
		"slop.ev.q.>":           {events.Filter{Project: "q"}, false},
		"slop.ev.p.s.>":         {events.Filter{Project: "p", Session: "s"}, true},
		"slop.ev.p.s.a.>":       {events.Filter{Project: "p", Session: "s", Actor: "a"}, true},
		"slop.ev.*.*.a.>":       {events.Filter{Actor: "a"}, true},
		"slop.ev.*.*.b.>":       {events.Filter{Actor: "b"}, false},
		"slop.ev.*.*.*.T.>":     {events.Filter{Type: "T"}, true},
		"slop.ev.*.*.*.U.>":     {events.Filter{Type: "U"}, false},
		"slop.ev.*.*.*.*.x":     {events.Filter{Topic: "x"}, true},
		"slop.ev.*.*.*.*.y":     {events.Filter{Topic: "y"}, false},
		"slop.ev.p.s.a.T.x":     {events.Filter{Project: "p", Session: "s", Actor: "a", Type: "T", Topic: "x"}, true},
		"slop.ev.p.other.a.T.x": {events.Filter{Project: "p", Session: "other", Actor: "a", Type: "T", Topic: "x"}, false},
	} {
		require.Equal(t, subject, c.f.Subject())
		require.Equal(t, c.want, c.f.Match(e), subject)
	}
	bare := &events.Event{Project: "p", Session: "s", Actor: "a", Type: "T"}
	require.True(t, events.Filter{Topic: "-"}.Match(bare), "no topic reads as a dash")
}

func FuzzParseSubject(f *testing.F) {
	f.Add("slop.ev.p1.01J.worker-host1-1.ToolSettled.run_powershell")
	f.Add("slop.ev.p.s.a.T.-")
	f.Add("slop.ev.>")
	f.Fuzz(func(t *testing.T, s string) {
		tokens, err := events.ParseSubject(s)
		if err != nil {
			require.ErrorIs(t, err, events.ErrSubject)
			return
		}
		require.Equal(t, s, events.Subject(tokens.Project, tokens.Session, tokens.Actor, tokens.Type, tokens.Topic))
	})
}

func FuzzSubjectOfAnyNames(f *testing.F) {
	f.Add("p1", "01J", "ada", "AskAnswered", "tool")
	f.Add("", ".", "*", ">", "é")
	f.Fuzz(func(t *testing.T, project, session, actor, typ, topic string) {
		want := events.Tokens{Project: events.Token(project), Session: events.Token(session), Actor: events.Token(actor),
			Type: events.Token(typ), Topic: events.Token(topic)}
		got, err := events.ParseSubject(events.Subject(want.Project, want.Session, want.Actor, want.Type, want.Topic))
		require.NoError(t, err)
		require.Equal(t, want, got)
	})
}
