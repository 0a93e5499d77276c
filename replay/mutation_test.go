package replay_test

import (
	"encoding/json"
	"maps"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"manualslop/events"
	"manualslop/replay"
)

// mutant is a history that differs from a truthful one in one place.
type mutant struct {
	kind    string // removed, doubled, repeated, swapped, changed
	at      *events.Event
	next    *events.Event // swapped: the other one
	where   string        // changed: the attribute, or the path in the body
	history []events.Event
}

// what names the mutant as the table of immaterial changes does.
func (m mutant) what() string {
	d, _ := events.Catalogue().Lookup(m.at.Type)
	_, malformed := m.at.Payload.(events.Malformed)
	switch {
	case m.kind == "swapped":
		return "swapped " + m.at.Type + " and " + m.next.Type
	case malformed:
		return m.kind + " malformed"
	case d.Class == events.Notice:
		return m.kind + " notice"
	case m.kind == "changed" && d.Class == events.Command && !strings.HasPrefix(m.where, "data"):
		return "changed " + m.where + " of a command"
	case m.kind == "changed":
		return "changed " + m.at.Type + "." + m.where
	}
	return m.kind + " " + m.at.Type
}

// maxLeaves bounds the leaves of one decision that are changed, spread evenly.
const maxLeaves = 8

// mutants yields every change of one place. Sequences are counted anew, so that
// no mutant is found by its sequence alone.
func mutants(history []events.Event, yield func(mutant)) {
	for i := range history {
		e := history[i]
		yield(mutant{kind: "removed", at: &e, history: renumbered(slices.Delete(slices.Clone(history), i, i+1))})
		yield(mutant{kind: "doubled", at: &e, history: renumbered(slices.Insert(slices.Clone(history), i, e))})
		again := e
		again.ID += "x"
		yield(mutant{kind: "repeated", at: &e, history: renumbered(slices.Insert(slices.Clone(history), i+1, again))})
		if i+1 < len(history) {
			swapped := slices.Clone(history)
			swapped[i], swapped[i+1] = swapped[i+1], swapped[i]
			yield(mutant{kind: "swapped", at: &e, next: &history[i+1], history: renumbered(swapped)})
		}
		for name, change := range attributeChanges() {
			other := e
			change(&other)
			yield(mutant{kind: "changed", at: &e, where: name, history: replaced(history, i, other)})
		}
		leaves := leafChanges(e.Data)
		stride := 1
		if d, _ := events.Catalogue().Lookup(e.Type); d.Class == events.Decision {
			stride += len(leaves) / maxLeaves
		}
		for n := 0; n < len(leaves); n += stride {
			leaf := leaves[n]
			other := e
			other.Data = leaf.body
			yield(mutant{kind: "changed", at: &e, where: "data" + leaf.path, history: replaced(history, i, other)})
		}
	}
}

func attributeChanges() map[string]func(*events.Event) {
	return map[string]func(*events.Event){
		"id":      func(e *events.Event) { e.ID = "x" + e.ID },
		"type":    func(e *events.Event) { e.Type = "Ticket" + e.Type },
		"v":       func(e *events.Event) { e.V++ },
		"time":    func(e *events.Event) { e.Time = e.Time.Add(time.Millisecond) },
		"project": func(e *events.Event) { e.Project += "x" },
		"session": func(e *events.Event) { e.Session += "x" },
		"actor":   func(e *events.Event) { e.Actor += "x" },
		"topic":   func(e *events.Event) { e.Topic += "x" },
		"cause":   func(e *events.Event) { e.Cause += "x" },
		"corr":    func(e *events.Event) { e.Corr += "x" },
		"n":       func(e *events.Event) { e.N++ },
		"tier":    func(e *events.Event) { e.Tier = (e.Tier + 1) % 5 },
	}
}

func replaced(history []events.Event, i int, e events.Event) []events.Event {
	out := slices.Clone(history)
	e.Payload = nil
	out[i] = e
	events.Catalogue().Decode(&out[i])
	return out
}

func renumbered(history []events.Event) []events.Event {
	for i := range history {
		history[i].Seq = uint64(i + 1)
	}
	return history
}

// leafChange is a body with one leaf changed. Indices are left out of the path.
type leafChange struct {
	path string
	body json.RawMessage
}

func leafChanges(body json.RawMessage) []leafChange {
	var root any
	if json.Unmarshal(body, &root) != nil {
		return nil
	}
	var out []leafChange
	var walk func(path string, v any, set func(any))
	emit := func(path string) {
		b, err := json.Marshal(root)
		if err != nil {
			panic(err)
		}
		out = append(out, leafChange{path, b})
	}
	walk = func(path string, v any, set func(any)) {
		switch x := v.(type) {
		case map[string]any:
			for _, k := range slices.Sorted(maps.Keys(x)) {
				was := x[k]
				walk(path+"."+k, was, func(n any) { x[k] = n })
				x[k] = was
			}
		case []any:
			for i := range x {
				was := x[i]
				walk(path+"[]", was, func(n any) { x[i] = n })
				x[i] = was
			}
		case string:
			set(x + "x")
			emit(path)
		case float64:
			set(x + 1)
			emit(path)
		case bool:
			set(!x)
			emit(path)
		}
	}
	walk("", root, func(n any) { root = n })
	return out
}

// commute tells whether two neighbours may change places: neither led to the
// other, and no decider or worker wrote both, so that both orders are equally true.
func commute(a, b *events.Event) bool {
	ordered := a.Actor == b.Actor && (events.IsDecider(a.Actor) || events.IsWorker(a.Actor))
	return !ordered && b.Cause != a.ID
}

func TestEveryChangeOfATruthfulHistoryIsRefusedOrImmaterial(t *testing.T) {
	t.Parallel()
	full := os.Getenv("SLOP_LOAD") == "full" // make load; otherwise one session
	var mu sync.Mutex
	met := map[string]bool{}
	t.Run("scenarios", func(t *testing.T) {
		for _, s := range scenarios() {
			if !full && !slices.Contains([]string{"asked"}, s.name) {
				continue
			}
			t.Run(s.name, func(t *testing.T) {
				t.Parallel()
				mutants(play(1, s.script), func(m mutant) {
					_, err := replay.Verify(m.history, replay.Deciders()...)
					if err != nil {
						var d *replay.Divergence
						require.ErrorAs(t, err, &d)
						return
					}
					mu.Lock()
					defer mu.Unlock()
					met[m.what()] = true
					d, _ := events.Catalogue().Lookup(m.at.Type)
					switch {
					case m.kind == "swapped":
						require.True(t, commute(m.at, m.next), m.what())
					case d.Class == events.Decision:
						require.Fail(t, "a changed decision is accepted", m.what())
					case immaterial[m.what()] == "":
						t.Error("accepted: ", m.what())
					}
				})
			})
		}
	})
	for what := range immaterial {
		require.True(t, !full || met[what], "%q is in the table and always refused", what)
	}
}
