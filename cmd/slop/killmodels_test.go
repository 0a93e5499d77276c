package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"manualslop/bus"
	"manualslop/bus/bustest"
	"manualslop/events"
	"manualslop/projections"
	"manualslop/tiers/llm/llmtest"
)

// interrupted is a session on one wire that is killed while an answer streams,
// while a tool runs, and while a retry waits; or, to compare, never.
type interrupted struct {
	reached
	split bool // the models are a process of their own, and so is each other part
	never bool
	// sleeps has the models stand still in place of the first kill, while a
	// second process for models gets the same request.
	sleeps bool
}

// manyInterrupted has each wire, in one process and in many.
func manyInterrupted() []interrupted {
	var out []interrupted
	for i, r := range everyReached()[:3] {
		if os.Getenv("SLOP_LOAD") == "full" {
			out = append(out, interrupted{reached: r}, interrupted{reached: r, split: true}, interrupted{reached: r,
				never: true}, interrupted{reached: r, split: true, sleeps: true})
		} else {
			out = append(out, interrupted{reached: r, split: i == 1})
		}
	}
	return out
}

func (in interrupted) name() string {
	switch {
	case in.never:
		return in.reached.name + " never"
	case in.sleeps:
		return in.reached.name + " sleeps"
	case in.split:
		return in.reached.name + " split"
	}
	return in.reached.name + " in one process"
}

// TestAKillWhileAModelAnswersLeadsToTheSameEnd kills whoever calls the models,
// and whoever runs the tools, at the worst moments.
func TestAKillWhileAModelAnswersLeadsToTheSameEnd(t *testing.T) {
	t.Parallel()
	for _, in := range manyInterrupted() {
		t.Run(in.name(), func(t *testing.T) {
			t.Parallel()
			log := in.play(t)
			requireVerified(t, log)
			requireNoWriteTwice(t, log)
			end := endState(log)
			require.Equal(t, projections.EndTicket{Status: "completed", Track: "TR-1", Attempt: 1}, end.Tickets["T-001"])
			require.Equal(t, "I edit.\nDONE: all.", end.Streams[events.WorkerStream("T-001")])
			require.Equal(t, map[string]int{}, end.Asks)
			used := map[string]events.Usage{}
			for who, u := range end.Usage {
				tier, _, _ := strings.Cut(who, " ")
				used[tier] = *u
			}
			require.Equal(t, map[string]events.Usage{"1": {Input: 100, Output: 20}, "2": {Input: 100, Output: 20},
				"3": {Input: 200, Output: 40}}, used)
			require.Len(t, only[events.ModelReplied](log), 4)
			failed := only[events.ModelFailed](log)
			in.requireFailures(t, failed)
			require.Len(t, only[events.ModelRequested](log), 4+len(failed))
			require.Len(t, only[events.ModelStarted](log), 4+len(failed), "one for each request")
			for _, e := range log {
				require.NotContains(t, string(e.Data), halfAnswer, e.Type)
			}
		})
	}
}

// requireFailures looks at the failed attempts. What a kill cut off is interrupted,
// the second round too where the kill of the worker met it; then comes the refusal,
// more than once where the test was slow to see it.
func (in interrupted) requireFailures(t *testing.T, failed []events.ModelFailed) {
	t.Helper()
	var kinds []string
	for _, f := range failed {
		kinds = append(kinds, f.Kind)
	}
	require.Contains(t, kinds, events.ModelRateLimited)
	if in.never {
		require.NotContains(t, kinds, events.ModelInterrupted)
		return
	}
	require.Equal(t, events.ModelInterrupted, kinds[0])
	require.NotNil(t, failed[0].Usage, "what was cut off counts")
	require.Subset(t, []string{events.ModelInterrupted, events.ModelRateLimited}, kinds)
	require.LessOrEqual(t, len(kinds), 5)
}

// halfAnswer is in the answer that is never whole.
const halfAnswer = "HALF-AN-ANSWER"

// asksOf are the words by which a fake knows who asks.
var asksOf = regexp.MustCompile(`tier ([1-4]) of four`)

// standIn answers for the models. Its first answer to tier 3 stands still in its
// middle, and it takes no second round of it until it is lenient.
type standIn struct {
	in      interrupted
	begun   atomic.Int32 // how often tier 3 asked for its first round
	lenient atomic.Bool
}

func (s *standIn) answer(v llmtest.View) llmtest.Turn {
	used := &events.Usage{Input: 100, Output: 20}
	tier, round := "", 0
	if found := asksOf.FindStringSubmatch(v.System); found != nil {
		tier = found[1]
	}
	for _, m := range v.Messages {
		if m.Role == "assistant" {
			round++
		}
	}
	switch {
	case tier == "1":
		return llmtest.Turn{Text: `[{"id":"TR-1","title":"One","description":"Do it"}]`, Usage: used}
	case tier == "2":
		return llmtest.Turn{Text: `[{"id":"T-001","description":"Edit","target_file":"a.txt","depends_on":[]}]`, Usage: used}
	case round > 0 && !s.lenient.Load():
		return llmtest.Turn{Error: events.ModelRateLimited, Message: "slow down", RetryAfter: time.Second}
	case round > 0:
		return llmtest.Turn{Text: "DONE: all.", Usage: used}
	}
	turn := llmtest.Turn{Text: "I edit.", Usage: used,
		Calls: []llmtest.Call{{Name: "edit_file", Args: `{"path":"a.txt","old_string":"one","new_string":"ONE"}`}}}
	if s.begun.Add(1) == 1 && !s.in.never {
		gate := make(chan struct{}, 2) // two frames come and the others never do
		gate <- struct{}{}
		gate <- struct{}{}
		turn.Text, turn.Gate = halfAnswer+" that goes on", gate
	}
	return turn
}

// play runs the session to its end and returns its log.
func (in interrupted) play(t *testing.T) []events.Event {
	model := &standIn{in: in}
	fake, stop, err := llmtest.Start(llmtest.Options{Vendor: in.reached.name, Models: []string{in.model},
		Answer: model.answer})
	require.NoError(t, err)
	t.Cleanup(stop)
	s := newSite(t, twoFiles)
	s.configure(scriptConfig + fmt.Sprintf("[tiers]\n%s\n[providers.%s]\nbase_url = %q\n", in.oneLine(), in.reached.name,
		fake.URL))
	require.NoError(t, os.WriteFile(filepath.Join(s.home, "slop", "credentials.toml"),
		fmt.Appendf(nil, "[%s]\napi_key = %q\n", in.reached.name, llmtest.Key), 0o600))
	crew := newCrew(s, in)
	if !in.never {
		require.Eventually(t, func() bool { return model.begun.Load() == 1 && fake.Active() == 1 }, patience,
			time.Millisecond)
		if in.sleeps {
			crew.sleep("models", func() bool { return fake.Active() == 0 })
		} else {
			crew.kill("models")
		}
		fact(t, crew.log, 1, func(_ events.Event, p events.ToolApproved) bool { return p.Tool == "edit_file" })
		crew.kill("worker")
	}
	fact(t, crew.log, 1, func(_ events.Event, p events.ModelFailed) bool { return p.Kind == events.ModelRateLimited })
	model.lenient.Store(true)
	if !in.never {
		crew.kill("models")
	}
	fact(t, crew.log, 1, anyOf[events.GoalCompleted])
	crew.stop()
	require.Empty(t, fake.Refused())
	if !in.never {
		require.EqualValues(t, 2, model.begun.Load(), "what stood still was asked for again, and the rest was not")
	}
	require.Equal(t, "ONE\n", s.read("a.txt"))
	log := historyOf(t, s.dir)
	var got replayed
	require.NoError(t, json.Unmarshal([]byte(s.ok("replay", log[0].Session, "--verify", "--json")), &got))
	require.Equal(t, 4, got.Prompts.Same, "built again to the byte")
	require.Zero(t, got.Prompts.Skipped)
	return log
}

// crew is the processes of an engine: one, or one for each part.
type crew struct {
	s     *site
	log   *bus.Conn
	args  map[string][]string // by part; empty: there is one process
	alive map[string]*running
}

// newCrew starts the processes and gives them a goal.
func newCrew(s *site, in interrupted) *crew {
	c := &crew{s: s, args: map[string][]string{}, alive: map[string]*running{}}
	if !in.split {
		c.serve()
		status, _ := s.post("/api/goal", `{"goal":"edit"}`)
		require.Equal(s.t, 200, status)
		return c
	}
	s.keys()
	address := bustest.Address(s.t)
	of := func(role string) []string {
		return []string{"--json", "--nats", "nats://" + address, "--creds", s.data("keys/" + role + ".json")}
	}
	c.start("bus", "bus", "--json", "--nats-listen", address)
	c.start("models", append(of("orchestrator"), "orchestrator", "--only", "models")...)
	c.start("judges", append(of("orchestrator"), "orchestrator", "--only",
		"conductor,planner,lead,contributor,qa,approval,timers")...)
	c.start("worker", append(of("worker"), "worker")...)
	var err error
	c.log, err = bus.Dial(s.t.Context(), bus.DialConfig{URL: "nats://" + address, Creds: s.data("keys/person-" + person +
		".json"),
		Role: bus.Role{Kind: bus.Person, Name: person}})
	require.NoError(s.t, err)
	s.t.Cleanup(c.log.Close)
	c.alive["run"] = s.start(append(of("person-"+person), "run", "--yes", "--wait", "edit")...)
	return c
}

// start starts a part and waits until it answers.
func (c *crew) start(part string, args ...string) {
	c.args[part] = args
	c.alive[part] = c.s.start(args...)
	c.alive[part].sees("\n")
}

func (c *crew) serve() { c.alive["all"], c.log = c.s.serve("--yes") }

// kill ends a part as a crash would, and starts it again.
func (c *crew) kill(part string) {
	if len(c.args) == 0 {
		c.alive["all"].kill()
		c.serve()
		return
	}
	c.alive[part].kill()
	c.start(part, c.args[part]...)
}

// sleep has a part stand still until another one like it has done its work, and
// waits until it gave up its own.
func (c *crew) sleep(part string, quiet func() bool) {
	t, asleep := c.s.t, c.alive[part].cmd.Process
	require.NoError(t, asleep.Signal(syscall.SIGSTOP))
	c.alive[part+" two"] = c.s.start(c.args[part]...)
	fact(t, c.log, 3, anyOf[events.ModelReplied])
	require.NoError(t, asleep.Signal(syscall.SIGCONT))
	require.Eventually(t, quiet, patience, time.Millisecond)
}

func (c *crew) stop() {
	if run := c.alive["run"]; run != nil {
		require.Zero(c.s.t, run.wait())
	}
	for _, part := range c.alive {
		part.kill()
	}
}
