package runtime_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"manualslop/events"
)

// oneEdit replaces a text that stands once in the file.
type oneEdit struct{ old, new string }

// apply is edit_file: a text that does not stand there once changes nothing.
func (e oneEdit) apply(text string) string {
	if strings.Count(text, e.old) != 1 {
		return text
	}
	return strings.Replace(text, e.old, e.new, 1)
}

// randomEdits are edits of a file of six lines: of the same line, of what an
// edit before made, of what is not there, and of lines between.
func randomEdits(rng *rand.Rand, n int) []oneEdit {
	var out []oneEdit
	for i := range n {
		line := fmt.Sprintf("<%d>", rng.IntN(6))
		switch rng.IntN(4) {
		case 0:
			out = append(out, oneEdit{line, fmt.Sprintf("%s\nnew%d", line, i)})
		case 1:
			out = append(out, oneEdit{line + " left", fmt.Sprintf("%s LEFT%d", line, i)})
		case 2:
			out = append(out, oneEdit{"right " + line, fmt.Sprintf("RIGHT%d %s", i, line)})
		default:
			out = append(out, oneEdit{fmt.Sprintf("LEFT%d", rng.IntN(n)), fmt.Sprintf("MORE%d", i)})
		}
	}
	return out
}

const sixLines = "right <0> left\nright <1> left\nright <2> left\nright <3> left\nright <4> left\nright <5> left\n"

// editing is a script whose ticket makes the edits in one reply.
func editing(edits []oneEdit) string {
	type callOf struct {
		Name string         `json:"name"`
		Args map[string]any `json:"args"`
	}
	var calls []callOf
	for _, e := range edits {
		calls = append(calls, callOf{"edit_file", map[string]any{"path": "a.txt", "old_string": e.old, "new_string": e.new}})
	}
	reply, err := json.Marshal(map[string]any{"tier": 3, "reply": map[string]any{"tool_calls": calls}})
	if err != nil {
		panic(err)
	}
	return `{"tier":1,"reply":{"text":"[{\"id\":\"TR-1\",\"description\":\"edit\"}]"}}
{"tier":2,"reply":{"text":"[{\"id\":\"T-1\",\"description\":\"edit the file\"}]"}}
` + string(reply) + `
{"tier":3,"reply":{"text":"DONE: done"}}
`
}

// TestEditsOfOneReplyEndAsInItsOrder approves and denies random edits of one file
// at random, with three workers, and stops the deciders at a random event.
func TestEditsOfOneReplyEndAsInItsOrder(t *testing.T) {
	t.Parallel()
	for seed := range uint64(12) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Parallel()
			rng := rand.New(rand.NewPCG(seed, 7))
			edits := randomEdits(rng, 7)
			yes, want := make([]bool, len(edits)), sixLines
			for i := range yes {
				if yes[i] = rng.IntN(3) > 0; yes[i] {
					want = edits[i].apply(want)
				}
			}
			w := newWorld(t, map[string]string{"a.txt": sixLines})
			w.open(nil)
			stop := w.startWithoutWorker(editing(edits))
			for n := range 3 {
				w.runWorker(fmt.Sprintf("worker-test-%d", n+1))
			}
			w.say(events.GoalSubmitted{Goal: "edit"})
			stopAt := 40 + rng.IntN(40)
			var order, done []string
			answered := map[string]bool{}
			see := func(e *events.Event) bool {
				switch p := e.Payload.(type) {
				case events.ToolRequested:
					order = append(order, p.Call)
				case events.AskRaised:
					if !answered[p.Ask] {
						answered[p.Ask] = true
						decision := events.No
						if yes[indexOf(order, p.Call)] {
							decision = events.Yes
						}
						w.say(events.AskAnswered{Ask: p.Ask, Decision: decision})
					}
				case events.ToolSettled:
					done = append(done, p.Call)
				}
				return e.Type == "GoalCompleted" || stop != nil && int(e.Seq) >= stopAt
			}
			log := w.until(see)
			if log[len(log)-1].Type != "GoalCompleted" {
				stop()
				stop, order, done = nil, nil, nil
				w.startWithoutWorker(editing(edits))
				log = w.until(see)
			}
			requireWhole(t, log)
			got, err := os.ReadFile(filepath.Join(w.dir, "a.txt"))
			require.NoError(t, err)
			require.Equal(t, want, string(got), "edits %q, approved %v", edits, yes)
			last := -1
			for _, call := range done {
				require.Less(t, last, indexOf(order, call), "in the order of the reply")
				last = indexOf(order, call)
			}
		})
	}
}

func indexOf(list []string, x string) int {
	for i, y := range list {
		if x == y {
			return i
		}
	}
	return -1
}

// TestAChangeBesideTheReplyIsRefused has somebody else edit the file between two
// approved edits of one reply.
func TestAChangeBesideTheReplyIsRefused(t *testing.T) {
	t.Parallel()
	w := newWorld(t, map[string]string{"a.txt": sixLines})
	w.open(nil)
	w.start(editing([]oneEdit{{"<0>", "ZERO"}, {"<3>", "THREE"}}))
	w.say(events.GoalSubmitted{Goal: "edit"})
	var calls []string
	asks := map[string]string{} // by call; previews come in any order
	log := w.until(func(e *events.Event) bool {
		switch p := e.Payload.(type) {
		case events.ToolRequested:
			calls = append(calls, p.Call)
		case events.AskRaised:
			if asks[p.Call] = p.Ask; len(asks) == 2 {
				w.say(events.AskAnswered{Ask: asks[calls[0]], Decision: events.Yes})
			}
		case events.ToolSettled:
			if p.Outcome == events.ToolDone {
				text, err := os.ReadFile(filepath.Join(w.dir, "a.txt"))
				require.NoError(t, err)
				w.write("a.txt", strings.Replace(string(text), "<5>", "somebody else", 1))
				w.say(events.AskAnswered{Ask: asks[calls[1]], Decision: events.Yes})
			}
		}
		return e.Type == "GoalCompleted"
	})
	var outcomes []string
	for _, e := range log {
		if p, ok := e.Payload.(events.ToolSettled); ok {
			if outcomes = append(outcomes, p.Outcome); p.Outcome == events.ToolFailed {
				require.Contains(t, p.Text, "the file changed after")
			}
		}
	}
	require.Equal(t, []string{events.ToolDone, events.ToolFailed}, outcomes)
	text, err := os.ReadFile(filepath.Join(w.dir, "a.txt"))
	require.NoError(t, err)
	require.Contains(t, string(text), "<3>")
}
