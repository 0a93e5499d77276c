package runtime_test

import (
	"fmt"
	"os"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"manualslop/events"
	"manualslop/projections"
	"manualslop/replay"
	"manualslop/tiers"
	"manualslop/tiers/llm/llmtest"
)

// halfAnswer is in every answer that goes wrong, and in nothing else.
const halfAnswer = "HALF-AN-ANSWER"

// trial is a ticket whose first round meets a fault.
type trial struct {
	ticket string
	llmtest.Case
	forEver bool // in each attempt; else in the first
}

// trials are a ticket without a fault, then one for each fault, and one for a
// fault of each kind and wait that never ends; in full runs for every fault.
func trials(cases []llmtest.Case) []trial {
	out := []trial{{ticket: "T-000"}}
	type end struct {
		kind string
		wait time.Duration
	}
	never := map[end]bool{}
	for _, c := range cases {
		out = append(out, trial{fmt.Sprintf("T-%03d", len(out)), c, false})
		same := end{c.Kind, c.RetryAfter}
		if (events.ModelFailed{Kind: c.Kind}).Retryable() && (!never[same] || os.Getenv("SLOP_LOAD") == "full") {
			never[same] = true
			out = append(out, trial{fmt.Sprintf("T-%03d", len(out)), c, true})
		}
	}
	return out
}

// attempts is how many the first round takes.
func (tr trial) attempts() int {
	switch {
	case tr.Kind == "" || !(events.ModelFailed{Kind: tr.Kind}).Retryable():
		return 1
	case tr.forEver:
		return tiers.MaxModelAttempts
	}
	return 2
}

// good tells whether the ticket comes to its end.
func (tr trial) good() bool { return tr.Kind == "" || tr.attempts() > 1 && !tr.forEver }

// silent tells whether the server says nothing in an attempt, from 1.
func (tr trial) silent(attempt int) bool {
	return (tr.Fault == llmtest.Stall || tr.Fault == llmtest.StalledStart) && (tr.forEver || attempt == 1)
}

// court is one session in which every ticket is a trial.
type court struct {
	name     string // of the wire
	byTicket map[string]trial
	tickets  []string
	clock    *strides

	mu   sync.Mutex
	sent map[string][]time.Time // when attempts at the first round began, by ticket
}

func newCourt(name string, all []trial) *court {
	c := &court{name: name, byTicket: map[string]trial{}, clock: &strides{now: time.Now()}, sent: map[string][]time.Time{}}
	for _, tr := range all {
		c.byTicket[tr.ticket] = tr
		c.tickets = append(c.tickets, tr.ticket)
	}
	return c
}

// answer plays every tier.
func (c *court) answer(v llmtest.View) llmtest.Turn {
	who := whoAsks(v)
	if who.tier < 3 {
		return planned(who.tier, c.tickets...)
	}
	if who.round > 1 {
		return llmtest.Turn{Text: "DONE: all.", Usage: &events.Usage{Input: 200, Output: 5}}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	tr, attempt := c.byTicket[who.ticket], len(c.sent[who.ticket])
	turn := llmtest.Turn{Text: "I look.", Calls: []llmtest.Call{{Name: "read_file", Args: `{"path":"a.txt"}`}},
		Usage: &events.Usage{Input: 100, Output: 20}}
	switch {
	case tr.Kind == "":
		turn.Fault, turn.At = tr.Fault, -1
	case tr.forEver || attempt == 1:
		turn = llmtest.Turn{Text: halfAnswer + " that goes on", Usage: &events.Usage{Input: 100, Output: 20}, Fault: tr.Fault,
			At:    -1,
			Calls: []llmtest.Call{{Name: "read_file", Args: `{"path":"` + halfAnswer + `"}`}}}
	}
	if turn.Fault == llmtest.NoUsage {
		turn.Usage = nil
	}
	return turn
}

// isSilent is asked once for each attempt.
func (c *court) isSilent(ticket string) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.sent[ticket] = append(c.sent[ticket], c.clock.at())
	return c.byTicket[ticket].silent(len(c.sent[ticket]))
}

// TestEveryFaultEndsInARetryOrACleanStop lets a whole engine meet every fault
// on every wire.
func TestEveryFaultEndsInARetryOrACleanStop(t *testing.T) {
	t.Parallel()
	for _, on := range theWires() {
		t.Run(on.model, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, map[string]string{"a.txt": "hello\n"})
			var c *court
			s := w.serveOn(t, on, func(v llmtest.View) llmtest.Turn { return c.answer(v) })
			c = newCourt(on.model, trials(s.Cases()))
			live := newShown()
			w.more = impatient{w.more, on.adapter(s.Endpoint(), 100*time.Millisecond), c.isSilent}
			w.clock, w.live = c.clock.look, live
			w.openOn(on)
			w.start("")
			w.say(events.GoalSubmitted{Goal: "look"})
			log := w.untilGoalEnds(t)
			require.Empty(t, s.Refused())
			requireNoTrace(t, log, s.Requests(), halfAnswer)
			v := verdict{t: t, court: c, log: log, end: replay.Rebuild(log).EndState(), second: secondPrompts(s.Requests())}
			for _, ticket := range c.tickets {
				v.attempts(c.byTicket[ticket])
				v.rest(c.byTicket[ticket])
			}
			v.calls()
			v.money()
			v.liveText(live)
		})
	}
}

// verdict is what the record says about the trials.
type verdict struct {
	t      *testing.T
	court  *court
	log    []events.Event
	end    projections.EndState
	second map[string][]string // what second rounds were asked, by ticket
}

// asked are the requests of a ticket's round, and their failures.
func (v verdict) asked(ticket string, round int) (requests []events.ModelRequested, failures []events.Event) {
	mine := map[string]bool{}
	for _, e := range v.log {
		switch p := e.Payload.(type) {
		case events.ModelRequested:
			if p.Ticket == ticket && p.Round == round {
				mine[e.ID] = true
				requests = append(requests, p)
			}
		case events.ModelFailed:
			if mine[p.Request] {
				failures = append(failures, e)
			}
		}
	}
	return requests, failures
}

// attempts checks that each attempt is on record with its kind, and that none
// is sent before its time.
func (v verdict) attempts(tr trial) {
	t := v.t
	name := fmt.Sprintf("%s, for ever: %v", tr.Fault, tr.forEver)
	requests, failures := v.asked(tr.ticket, 1)
	require.Len(t, requests, tr.attempts(), name)
	for i, e := range failures {
		failed := e.Payload.(events.ModelFailed)
		require.Equal(t, tr.Kind, failed.Kind, "%s: %s", name, failed.Message)
		require.Equal(t, tr.RetryAfter.Milliseconds(), failed.RetryAfterMS, name)
		require.NotContains(t, failed.Message, llmtest.Key, name)
		if i+1 == len(requests) {
			break
		}
		wait := 250 * time.Millisecond << i
		if tr.RetryAfter > 0 {
			wait = min(tr.RetryAfter, 60*time.Second)
		}
		next := requests[i+1]
		require.Equal(t, i+2, next.Attempt, name)
		require.Equal(t, requests[0].SHA256, next.SHA256, "%s: the same prompt", name)
		require.WithinDuration(t, e.Time.Add(wait), *next.NotBefore, time.Millisecond, name)
		require.False(t, v.court.sent[tr.ticket][i+1].Before(*next.NotBefore), "%s: it is not sent before its time", name)
	}
	failedAttempts := len(requests)
	if tr.good() {
		failedAttempts--
	}
	require.Len(t, failures, failedAttempts, name)
}

// rest checks how the ticket ended, and that a fault that was met once leads to
// the same next prompt as none.
func (v verdict) rest(tr trial) {
	t := v.t
	board := v.end.Tickets[tr.ticket]
	if !tr.good() {
		require.Equal(t, "blocked", board.Status, tr.Fault)
		require.Contains(t, board.Reason, tr.Kind, tr.Fault)
		second, _ := v.asked(tr.ticket, 2)
		require.Empty(t, second, tr.Fault)
		return
	}
	require.Equal(t, "completed", board.Status, tr.Fault)
	require.NotEmpty(t, v.second[tr.ticket], tr.Fault)
	if tr.Kind != "" {
		require.Equal(t, v.second["T-000"], v.second[tr.ticket], tr.Fault)
	}
}

// fenceCode is the code of a fence, which derives from an id.
var fenceCode = regexp.MustCompile(`\b[0-9a-f]{12}\b`)

// secondPrompts are what second rounds were asked, by ticket and without ids.
func secondPrompts(views []llmtest.View) map[string][]string {
	out := map[string][]string{}
	for _, view := range views {
		who := whoAsks(view)
		if who.tier != 3 || who.round != 2 {
			continue
		}
		for _, m := range view.Messages[1:] {
			out[who.ticket] = append(out[who.ticket], m.Role+": "+fenceCode.ReplaceAllString(m.Text, "CODE"))
			for _, c := range m.Calls {
				out[who.ticket] = append(out[who.ticket], c.Name+c.Args)
			}
		}
	}
	return out
}

// calls checks which calls ran, and how the others were answered.
func (v verdict) calls() {
	t := v.t
	ran := map[string]int{}
	for _, e := range v.log {
		if p, ok := e.Payload.(events.ToolRequested); ok {
			ran[p.Ticket]++
		}
		if p, ok := e.Payload.(events.ToolApproved); ok {
			require.Equal(t, "read_file", p.Tool)
		}
	}
	for ticket, tr := range v.court.byTicket {
		want, says := 1, ""
		switch {
		case !tr.good():
			want = 0
		case tr.Kind != "": // a failed attempt counts for nothing
		case tr.Fault == llmtest.DuplicateIndex && v.court.name == "gpt-4.1":
			want = 2 // some servers give every parallel call the index 0
		case tr.Fault == llmtest.ManyCalls:
			want = 20
		case tr.Fault == llmtest.BrokenArgs:
			want, says = 0, "ERROR: the arguments of read_file cannot be used"
		case tr.Fault == llmtest.CutInCall:
			says = "inside this call of read_file"
		case tr.Fault == llmtest.UnknownTool:
			says = "ERROR: unknown tool"
		}
		require.Equal(t, want, ran[ticket], "%s asks for so many", tr.Fault)
		if says != "" {
			require.Contains(t, strings.Join(v.second[ticket], "\n"), says, tr.Fault)
		}
	}
}

// money checks that what was used is counted once for each attempt.
func (v verdict) money() {
	t := v.t
	var want projections.Usage
	answered := map[string]bool{}
	for _, e := range v.log {
		var used *events.Usage
		switch p := e.Payload.(type) {
		case events.ModelReplied:
			require.False(t, answered[p.Request])
			answered[p.Request] = true
			used = &p.Usage
			want.Requests++
		case events.ModelFailed:
			require.False(t, answered[p.Request])
			answered[p.Request] = true
			used = p.Usage
			want.Failed++
		}
		if used != nil {
			want.Input, want.Output = want.Input+used.Input, want.Output+used.Output
		}
	}
	got := replay.Rebuild(v.log).Cost().Total
	require.Equal(t, []int64{int64(want.Requests), int64(want.Failed), want.Input, want.Output},
		[]int64{int64(got.Requests), int64(got.Failed), got.Input, got.Output})
}

// liveText checks that whoever follows live text and takes back what failed
// sees what the record says.
func (v verdict) liveText(live *shown) {
	require.Empty(v.t, live.lost)
	for _, e := range v.log {
		if p, ok := e.Payload.(events.ModelReplied); ok {
			require.Equal(v.t, p.Text, live.of(p.Request))
		}
	}
}
