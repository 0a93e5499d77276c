package bench

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"time"

	"manualslop/bus"
	"manualslop/cmd/slop/engine"
	"manualslop/events"
	"manualslop/tiers/llm/script"
)

// benchScript is a scripted model for a number of goals, one after the other. Each goal has tickets, and each ticket
// reads a file in every round but the last.
type benchScript struct {
	goals, tickets, rounds int
	delay                  time.Duration // of each reply of a contributor
	lines                  int           // of the file that are read; 0: 9
}

// ticket returns the id of a goal's ticket; both count from 0.
func (s benchScript) ticket(goal, n int) string { return fmt.Sprintf("T-%04d", goal*s.tickets+n+1) }

// track returns the id of a goal's track.
func (s benchScript) track(goal int) string { return fmt.Sprintf("TR-%d", goal+1) }

// plan returns the reply of tier 1 for a goal.
func (s benchScript) plan(goal int) string {
	return encoded([]map[string]any{{"id": s.track(goal), "title": "One", "description": "Do it"}})
}

// breakdown returns the reply of tier 2 for a goal.
func (s benchScript) breakdown(goal int) string {
	var all []map[string]any
	for n := range s.tickets {
		all = append(all, map[string]any{"id": s.ticket(goal, n), "description": "Read", "depends_on": []string{}})
	}
	return encoded(all)
}

// Texts and calls of a contributor.
const (
	benchTool = "get_file_slice"
	benchDone = "DONE: done"
)

// parse returns the scripted model.
func (s benchScript) parse() (*script.Script, error) {
	return script.Parse(strings.NewReader(s.text()))
}

// text returns the scripted model as a file.
func (s benchScript) text() string {
	type reply struct {
		Text  string           `json:"text"`
		Calls []map[string]any `json:"tool_calls,omitempty"`
		Delay int64            `json:"delay_ms,omitempty"`
	}
	type line struct {
		Tier   int    `json:"tier"`
		Ticket string `json:"ticket,omitempty"`
		Reply  reply  `json:"reply"`
	}
	args := map[string]any{"path": benchFile, "start_line": 1, "end_line": cmp.Or(s.lines, 9)}
	call := []map[string]any{{"name": benchTool, "args": args}}
	var text strings.Builder
	add := func(l line) { text.WriteString(encoded(l) + "\n") }
	for goal := range s.goals {
		add(line{Tier: 1, Reply: reply{Text: s.plan(goal)}})
		add(line{Tier: 2, Reply: reply{Text: s.breakdown(goal)}})
		for round := range s.rounds {
			for n := range s.tickets {
				r := reply{Text: fmt.Sprintf("Round %d.", round+1), Calls: call, Delay: s.delay.Milliseconds()}
				if round == s.rounds-1 {
					r.Text, r.Calls = benchDone, nil
				}
				add(line{Tier: 3, Ticket: s.ticket(goal, n), Reply: r})
			}
		}
	}
	return text.String()
}

// encoded returns the JSON of one of our own values.
func encoded(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		panic(err) // it has only texts and numbers
	}
	return string(b)
}

// replyBare answers model requests from the script without the models effect: it assembles no prompt, makes no body
// and folds nothing.
func (m *Workers) replyBare() error {
	conn, err := m.Bus.As(m.Ctx, bus.Role{Kind: bus.Models})
	if err != nil {
		return err
	}
	var mu sync.Mutex
	sessions := map[string]*script.Assigner{}
	assign := func(e *events.Event) script.Line {
		mu.Lock()
		defer mu.Unlock()
		if sessions[e.Session] == nil {
			sessions[e.Session] = script.NewAssigner(m.Script)
		}
		number, _ := sessions[e.Session].Assign(e, "")
		line, _ := m.Script.Line(number)
		return line
	}
	m.Background(events.ActorModels, func() error {
		return m.Role("models", conn.Work(m.Ctx, events.PoolName(events.PoolModels, m.Name),
			engine.ModelSlots,
			func(ctx context.Context, d events.Delivery) error {
				out, err := events.New(events.Origin{ID: events.DecidedID(events.ActorModels, d.Event, 0), Time: time.Now(),
					Project: m.Name, Session: d.Event.Session, Actor: events.ActorModels, Cause: d.Event.ID},
					bareReply(d.Event.ID, assign(&d.Event)))
				if err == nil {
					_, err = conn.Append(ctx, out, nil)
				}
				return err
			}))
	})
	return nil
}

// bareReply returns a line of the script as the answer to a request.
func bareReply(request string, line script.Line) events.ModelReplied {
	out := events.ModelReplied{Request: request, Text: line.Reply.Text, SHA256: events.Digest([]byte(line.Reply.Text)),
		Finish: "stop", ScriptLine: line.Number}
	for i, c := range line.Reply.Calls {
		out.Finish = "tool_calls"
		call := events.ToolCall{ID: events.CallID(request, i), Name: c.Name, Args: json.RawMessage(c.Args)}
		out.Calls = append(out.Calls, call)
	}
	return out
}
