package tierstest_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"manualslop/events"
)

// record is a finished log, read by a fold of its own: it shares no code with
// the deciders that it checks.
type record struct {
	log      []events.Event
	whole    bool           // it was closed only when nobody had anything left to say
	at       map[string]int // id of an event to its place
	closed   int            // place of SessionClosed
	killed   map[attempt]int
	calls    map[string]*callRecord
	order    []*callRecord
	requests map[string]events.ModelRequested
}

type attempt struct {
	ticket string
	n      int
}

type callRecord struct {
	request    events.ToolRequested
	wish       events.Event // that it comes from, of a call that no model made
	generation int
	digest     string
	open       bool
	finals     int
	shellFails int
	hints      int
}

func readLog(log []events.Event, whole bool) *record {
	r := &record{log: log, whole: whole, at: map[string]int{}, killed: map[attempt]int{}, calls: map[string]*callRecord{},
		requests: map[string]events.ModelRequested{}}
	for i, e := range log {
		r.at[e.ID] = i
		switch p := e.Payload.(type) {
		case events.SessionClosed:
			r.closed = i
		case events.TicketKilled:
			r.killed[attempt{p.Ticket, p.Attempt}] = i
		case events.ModelRequested:
			r.requests[e.ID] = p
		case events.ToolRequested:
			c := &callRecord{request: p}
			r.calls[p.Call], r.order = c, append(r.order, c)
		case events.UndoRequested:
			r.byPerson(e, events.ToolRequested{Call: events.UndoCall(e.ID), Tool: events.RestoreTool})
		case events.PatchProposed:
			args, err := json.Marshal(map[string]string{"patch": p.Patch})
			if err != nil {
				panic(err) // a string
			}
			r.byPerson(e, events.ToolRequested{Call: events.PatchCall(e.ID), Tool: events.PatchTool, Args: args})
		default:
			r.call(e)
		}
	}
	return r
}

// byPerson notes a call that no model made.
func (r *record) byPerson(e events.Event, call events.ToolRequested) {
	c := &callRecord{request: call, wish: e}
	r.calls[call.Call], r.order = c, append(r.order, c)
}

func (r *record) call(e events.Event) {
	switch p := e.Payload.(type) {
	case events.ToolApproved:
		c := r.calls[p.Call]
		c.generation, c.digest, c.open = p.Generation, p.ArgsSHA256, true
	case events.ToolDenied:
		r.calls[p.Call].finals++
	case events.UndoRefused:
		r.calls[events.UndoCall(p.Request)].finals++
	case events.ToolSettled:
		c := r.calls[p.Call]
		if !c.open || p.Generation != c.generation || p.ArgsSHA256 != c.digest {
			return
		}
		c.open = false
		if p.Outcome != events.ToolInterrupted {
			c.finals++
		}
		if p.Outcome == events.ToolFailed && p.Interpreter != "" {
			c.shellFails++
		}
	case events.ToolParked:
		r.calls[p.Call].open = false
	case events.InterruptResolved:
		if p.Resolution != events.InterruptRetry {
			r.calls[p.Call].finals++
		}
	case events.HintGiven:
		r.calls[p.Call].hints++
	case events.HintSkipped:
		r.calls[p.Call].hints++
	}
}

// alone tells whether an attempt could end by itself.
func (r *record) alone(a attempt) bool {
	_, killed := r.killed[a]
	return r.whole && !killed
}

// comesToAnEnd checks that the session did not stand still before its goal was
// reached or given up.
func (r *record) comesToAnEnd(t *testing.T) {
	t.Helper()
	ends := slices.ContainsFunc(r.log[:r.closed], func(e events.Event) bool {
		return e.Type == "GoalCompleted" ||
			e.Type == "GoalFailed"
	})
	require.True(t, ends || !r.whole, "the session stands still")
}

func (r *record) callsEndOnce(t *testing.T) {
	t.Helper()
	for _, c := range r.order {
		require.LessOrEqual(t, c.finals, 1, "call %s", c.request.Call)
		if r.alone(attempt{c.request.Ticket, c.request.Attempt}) {
			require.Equal(t, 1, c.finals, "call %s of %s has no outcome", c.request.Call, c.request.Ticket)
		}
	}
}

func (r *record) failedShellsAreRead(t *testing.T) {
	t.Helper()
	for _, c := range r.order {
		require.LessOrEqual(t, c.hints, c.shellFails, "call %s", c.request.Call)
		if r.whole {
			require.Equal(t, c.shellFails, c.hints, "call %s", c.request.Call)
		}
	}
}

func (r *record) approvalsAreJustified(t *testing.T) {
	t.Helper()
	rules := map[string]bool{"reads run": true, "tool preset few": true}
	settled := map[string]events.AskSettled{}
	asked := map[string]events.AskRaised{}
	for _, e := range r.log {
		switch p := e.Payload.(type) {
		case events.SessionOpened:
			for _, rule := range p.Settings.Rules {
				rules[rule.Source] = rule.Action == "allow"
			}
		case events.RuleAdded:
			rules[p.Rule.Source] = p.Rule.Action == "allow"
		case events.AskRaised:
			asked[p.Ask] = p
		case events.AskSettled:
			settled[p.Ask] = p
		case events.ToolApproved:
			require.Equal(t, events.ActorApproval, e.Actor)
			digest, err := events.CanonicalDigest(p.Args)
			require.NoError(t, err)
			require.Equal(t, digest, p.ArgsSHA256)
			r.isJustified(t, p, rules, asked[p.Ask], settled[p.Ask])
		}
	}
}

func (r *record) isJustified(t *testing.T, p events.ToolApproved, rules map[string]bool, ask events.AskRaised,
	answer events.AskSettled) {
	t.Helper()
	if p.Tool == events.RestoreTool && p.Generation == 1 {
		require.Equal(t, r.calls[p.Call].wish.Actor, p.By)
		return
	}
	if p.Ask == "" {
		require.Equal(t, "rule", p.By)
		require.True(t, rules[p.Rule], "%q allows nothing", p.Rule)
		require.True(t, p.Rule != "reads run" || p.Effect == "reads", "%s is no read", p.Effect)
		require.JSONEq(t, string(r.calls[p.Call].request.Args), string(p.Args))
		require.Equal(t, 1, p.Generation)
		return
	}
	require.Equal(t, p.Call, ask.Call, "the ask was about this call")
	require.Contains(t, []string{events.GateTool, events.GateInterrupted}, ask.Gate)
	require.Equal(t, ask.Gate == events.GateInterrupted, p.Generation > 1)
	require.Equal(t, events.Yes, answer.Outcome)
	require.Equal(t, p.By, answer.By)
	said := r.log[r.at[answer.AnswerID]]
	if _, ruled := said.Payload.(events.RuleAdded); ruled {
		require.Equal(t, "rule", p.By)
		require.True(t, rules[p.Rule], "%q allows nothing", p.Rule)
		require.JSONEq(t, string(ask.Args), string(p.Args))
		return
	}
	word, ok := said.Payload.(events.AskAnswered)
	require.True(t, ok, "a person's word, not %s", said.Type)
	require.Equal(t, p.By, said.Actor)
	require.Equal(t, events.Yes, word.Decision)
	require.Equal(t, p.Ask, word.Ask)
	want := ask.Args
	if ask.Gate == events.GateTool && len(word.Args) > 0 {
		want = word.Args
	}
	require.JSONEq(t, string(want), string(p.Args), "exactly what was shown or edited")
}

func (r *record) asksAreSettledOnce(t *testing.T) {
	t.Helper()
	open := map[string]string{}
	for _, e := range r.log {
		switch p := e.Payload.(type) {
		case events.AskRaised:
			require.NotContains(t, open, p.Ask)
			open[p.Ask] = p.Gate
		case events.AskSettled:
			require.Equal(t, open[p.Ask], p.Gate, "it is open until here")
			open[p.Ask] = "settled"
			cause := r.log[r.at[p.AnswerID]]
			switch p.Outcome {
			case events.Yes:
				require.Equal(t, "AskAnswered", cause.Type)
			case events.Expired:
				require.Equal(t, "TimerFired", cause.Type)
			default:
				ends := []string{"AskAnswered", "TicketKilled", "TicketBlocked", "SessionClosed", "BudgetRaiseRequested"}
				switch p.Gate {
				case events.GateTool: // a rule denies it now
					ends = append(ends, "RuleAdded")
				case events.GateHTTP: // the session was closed before
					ends = append(ends, "AskPosted")
				case events.GateBudget: // what was reserved is free again, so what it asked for goes
					ends = append(ends, "ModelReplied", "ModelFailed", "ModelsOffered")
				}
				require.Contains(t, ends, cause.Type)
			}
		}
	}
	for ask, state := range open {
		require.Equal(t, "settled", state, "ask %s is left open", ask)
	}
}

func (r *record) answersAreAnswered(t *testing.T) {
	t.Helper()
	told := map[string]int{}
	for _, e := range r.log {
		switch p := e.Payload.(type) {
		case events.AskSettled:
			told[p.AnswerID]++
		case events.AnswerRefused:
			told[p.AnswerID]++
		}
	}
	for _, e := range r.log[:r.closed] {
		if e.Type == "AskAnswered" {
			require.Equal(t, 1, told[e.ID], "answer %s by %s", e.ID, e.Actor)
		}
	}
}

func (r *record) attemptsEndOnce(t *testing.T) {
	t.Helper()
	ends := map[attempt]int{}
	for _, e := range r.log {
		if p, ok := e.Payload.(events.TicketResolved); ok {
			ends[attempt{p.Ticket, p.Attempt}]++
		}
	}
	for _, e := range r.log {
		p, ok := e.Payload.(events.TicketStarted)
		if !ok {
			continue
		}
		a := attempt{p.Ticket.ID, p.Attempt}
		require.LessOrEqual(t, ends[a], 1, "%v", a)
		if r.alone(a) {
			require.Equal(t, 1, ends[a], "%v does not end", a)
		}
	}
}

// talk is one conversation with a model: a goal's, a track's, an attempt's, a
// failed call's.
type talk struct {
	tier              int
	goal, track, call string
	attempt
	about string // of tier 4: the event that it is asked because of
}

// wish is the event because of which a request was made first, before its retries.
func (r *record) wish(e events.Event) string {
	if failed, ok := r.log[r.at[e.Cause]].Payload.(events.ModelFailed); ok {
		return r.wish(r.log[r.at[failed.Request]])
	}
	return e.Cause
}

// promptsGrow checks, for every tier, that each prompt of a conversation begins
// with the whole one before it, tools included, but for its block of changed
// files; and that nothing of an earlier attempt is in it.
func (r *record) promptsGrow(t *testing.T) {
	t.Helper()
	last, tools, began := map[talk]string{}, map[talk][]string{}, map[attempt]int{}
	prompts := events.Prompts[events.Part]{}
	for i, e := range r.log {
		if p, ok := e.Payload.(events.TicketStarted); ok {
			began[attempt{p.Ticket.ID, p.Attempt}] = i
		}
		p, ok := e.Payload.(events.ModelRequested)
		if !ok {
			continue
		}
		a := attempt{p.Ticket, p.TicketAttempt}
		of := talk{tier: p.Tier, goal: p.Goal, track: p.Track, call: p.Call, attempt: a}
		if p.Tier == 4 {
			of.about = r.wish(e)
		}
		parts, err := prompts.Take(e.ID, &p, events.Same)
		require.NoError(t, err)
		digest, err := events.ManifestDigest(parts)
		require.NoError(t, err)
		require.Equal(t, digest, p.SHA256, "%v, round %d: not the prompt that was meant", of, p.Round)
		_, goesOn := last[of]
		require.Equal(t, goesOn, p.Continues != "", "%v, round %d", of, p.Round)
		if n := len(parts) - 1; parts[n].Kind == events.PartRefresh {
			parts = parts[:n]
		}
		for _, part := range parts {
			require.Empty(t, part.Kind)
			require.True(t, p.Tier == 4 || part.From == "" || r.at[part.From] > began[a], "%v remembers %s", a, part.From)
		}
		b, err := json.Marshal(parts)
		require.NoError(t, err)
		now := strings.TrimSuffix(string(b), "]")
		require.True(t, strings.HasPrefix(now, last[of]), "%v, round %d", of, p.Round)
		if _, before := last[of]; before {
			require.Equal(t, tools[of], append([]string{p.BiasProfile}, p.Tools...), "%v, round %d", of, p.Round)
		}
		last[of], tools[of] = now, append([]string{p.BiasProfile}, p.Tools...)
	}
}

// killsAreFinal checks that nothing is sent, asked or approved for an attempt
// on an event that came after its kill.
func (r *record) killsAreFinal(t *testing.T) {
	t.Helper()
	for _, e := range r.log {
		var a attempt
		switch p := e.Payload.(type) {
		case events.ModelRequested:
			a = attempt{p.Ticket, p.TicketAttempt}
		case events.ToolRequested:
			a = attempt{p.Ticket, p.Attempt}
		case events.ToolApproved:
			a = attempt{p.Ticket, r.calls[p.Call].request.Attempt}
		case events.AskRaised:
			a = attempt{p.Ticket, p.Attempt}
		case events.TicketResolved:
			a = attempt{p.Ticket, p.Attempt}
		default:
			continue
		}
		if killed, ok := r.killed[a]; ok {
			require.Less(t, r.at[e.Cause], killed, "%s of %v", e.Type, a)
		}
	}
}
