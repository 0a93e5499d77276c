package runtime_test

import (
	"context"
	"fmt"
	"iter"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"manualslop/events"
	"manualslop/projections"
	"manualslop/tiers/llm"
)

// paid is a script in which each reply costs what it says.
const paid = `
{"tier":1,"reply":{"text":"[{\"id\":\"TR-1\",\"description\":\"greet\"}]","usage":{"input":10,"output":100}}}
{"tier":2,"reply":{"text":"[{\"id\":\"T-1\",\"description\":\"greet the world\"}]","usage":{"input":10,"output":100}}}
{"tier":3,"ticket":"T-1","reply":{"text":"DONE: greeted","usage":{"input":10,"output":100}}}
`

func TestAGuardedRequestIsSentOnApprovalsWordAndPricedOnce(t *testing.T) {
	t.Parallel()
	w := newWorld(t, map[string]string{"a.txt": "hello\n"})
	w.open(func(s *events.Settings) { s.Budget = &events.BudgetSettings{SessionMicroDollars: 250} })
	w.say(events.ModelsOffered{Models: []events.ModelOffer{{Provider: "script", Model: "*", MaxOutputTokens: 100,
		Prices: []events.ModelPrice{{ID: "p", Output: 1_000_000}}}}})
	w.start(paid)
	goal := w.say(events.GoalSubmitted{Goal: "greet"})
	asked := 0
	log := w.until(func(e *events.Event) bool {
		if p, ok := e.Payload.(events.AskRaised); ok && p.Gate == events.GateBudget {
			asked++
			w.say(events.AskAnswered{Ask: p.Ask, Decision: events.Yes})
		}
		p, ok := e.Payload.(events.GoalCompleted)
		return ok && p.Goal == goal
	})
	require.Equal(t, 1, asked, "two replies of 100 fit 250, the third asks")
	approved, requests, cost := map[string]bool{}, 0, int64(0)
	for _, e := range log {
		switch p := e.Payload.(type) {
		case events.ModelRequested:
			require.True(t, p.Guarded)
			requests++
		case events.ModelApproved:
			require.False(t, approved[p.Request])
			approved[p.Request] = true
		case events.ModelReplied:
			require.True(t, approved[p.Request], "it was sent before approval said so")
			require.Equal(t, "p", p.Usage.Price)
			cost += *p.Usage.PricedMicroDollars
		}
	}
	require.Equal(t, 3, requests)
	require.Len(t, approved, requests)
	require.EqualValues(t, 300, cost)
}

// TestAGuardedRequestThatIsCutShortCounts stops the engine in the middle of a
// call: what was sent may have been paid for, so its worst case is spent.
func TestAGuardedRequestThatIsCutShortCounts(t *testing.T) {
	t.Parallel()
	for at := 1; at <= 3; at++ {
		t.Run(fmt.Sprintf("call %d", at), func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, nil)
			w.more = &stuck{cut: int64(at), began: make(chan struct{}), says: []string{`[{"id":"TR-1","description":"greet"}]`,
				`[{"id":"T-1","description":"greet the world"}]`, "DONE: greeted"}}
			w.stuck(400)
			stop := w.startWithoutWorker(paid)
			w.runWorker("worker-test-1")
			w.say(events.GoalSubmitted{Goal: "greet"})
			<-w.more.(*stuck).began
			stop()
			w.startWithoutWorker(paid)
			log := w.until(isType("GoalCompleted"))
			requireWhole(t, log)
			approved, ended, cost := map[string]int{}, map[string]int{}, int64(0)
			for _, e := range log {
				switch p := e.Payload.(type) {
				case events.ModelApproved:
					approved[p.Request]++
				case events.ModelReplied:
					ended[p.Request]++
					cost += *p.Usage.PricedMicroDollars
				case events.ModelFailed:
					require.Equal(t, events.ModelInterrupted, p.Kind)
					ended[p.Request]++
					cost += *p.Usage.PricedMicroDollars
				case events.AskRaised:
					require.Fail(t, "four attempts of 100 fit 400")
				}
			}
			require.Len(t, approved, 4)
			require.Equal(t, approved, ended)
			require.EqualValues(t, 400, cost)
			spent := projections.NewSet()
			for i := range log {
				spent.Apply(&log[i])
			}
			var read int64
			for _, l := range spent.Spending() {
				u := l.Usage
				paid, _ := l.Price.Cost(events.Usage{Input: u.Input, Output: u.Output, CacheRead: u.CacheRead,
					CacheWrite: u.CacheWrite, CacheWriteHour: u.CacheWriteHour})
				read += paid.Micro()
			}
			require.EqualValues(t, 400, read, "read models agree with approval")
		})
	}
}

// stuck is a provider whose n-th call never answers.
type stuck struct {
	calls atomic.Int64
	cut   int64
	began chan struct{} // closed by the n-th call
	says  []string
}

func (s *stuck) Name() string { return "stuck" }

func (s *stuck) Wire() string { return "stuck/1" }

func (s *stuck) Body(llm.Request) ([]byte, error) { return []byte("{}"), nil }

func (s *stuck) Stream(ctx context.Context, _ llm.Request) iter.Seq2[llm.Chunk, error] {
	return func(yield func(llm.Chunk, error) bool) {
		n := s.calls.Add(1)
		if n == s.cut {
			close(s.began)
			<-ctx.Done()
			yield(nil, llm.AsError(ctx.Err()))
			return
		}
		if s.cut > 0 && n > s.cut {
			n-- // it is asked again
		}
		_ = yield(llm.TextDelta(s.says[n-1]), nil) && yield(llm.Usage{Output: 100}, nil) && yield(llm.Finish{Reason: "stop"},
			nil)
	}
}

func TestAReplyThatIsTooLongToStoreIsPaid(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	w.more = &stuck{says: []string{strings.Repeat("<", events.MaxEventBytes/6)}}
	w.stuck(100)
	w.startWithoutWorker(paid)
	w.runWorker("worker-test-1")
	w.say(events.GoalSubmitted{Goal: "greet"})
	log := w.until(isType("ModelFailed"))
	p, ok := log[len(log)-1].Payload.(events.ModelFailed)
	require.True(t, ok)
	require.Equal(t, events.ModelIncomplete, p.Kind)
	require.NotNil(t, p.Usage)
	require.EqualValues(t, 100, p.Usage.Output)
}

// stuck opens a session of that provider with a budget, at a micro-dollar for a token.
func (w *world) stuck(budget int64) {
	w.open(func(s *events.Settings) {
		s.Budget = &events.BudgetSettings{SessionMicroDollars: budget}
		for i := range s.Tiers {
			s.Tiers[i].Provider = "stuck"
		}
	})
	w.say(events.ModelsOffered{Models: []events.ModelOffer{{Provider: "stuck", Model: "*", MaxOutputTokens: 100,
		Prices: []events.ModelPrice{{ID: "p", Output: 1_000_000}}}}})
}
