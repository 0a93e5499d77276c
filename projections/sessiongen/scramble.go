package sessiongen

import (
	"encoding/json"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"manualslop/events"
)

// Scrambled returns n events of all registered types in random order. Each is a sample in which
// members were replaced by members of other samples with the same name, by ids of earlier events,
// and by small numbers. This creates combinations that no engine writes: two plans of one track,
// outcomes before calls, renamed and deleted discussions. All events decode and belong to one
// session; the same seed gives the same events.
func Scrambled(seed uint64, n int) []events.Event {
	s := &scrambler{random: rand.New(rand.NewPCG(seed, 77)), registry: events.Catalogue(), words: map[string][]any{}}
	for _, d := range s.registry.Defs() {
		s.learn("", s.plain(d.Sample))
	}
	at := time.Date(2026, 3, 1, 9, 0, 0, 0, time.UTC)
	log := make([]events.Event, 0, n)
	for len(log) < n {
		d := s.registry.Defs()[s.random.IntN(len(s.registry.Defs()))]
		at = at.Add(time.Duration(s.random.IntN(2000)) * time.Millisecond)
		if e, ok := s.event(d, at, uint64(len(log)+1)); ok {
			log = append(log, e)
			s.ids = append(s.ids, e.ID)
		}
	}
	return log
}

// scrambler builds events from parts of samples.
type scrambler struct {
	random   *rand.Rand
	registry *events.Registry
	words    map[string][]any // values in all samples, by member name
	ids      []string         // ids of the events so far
}

// plain returns a payload as decoded JSON.
func (s *scrambler) plain(p events.Payload) any {
	raw, err := json.Marshal(p)
	if err != nil {
		panic("sessiongen: " + err.Error()) // samples can always be marshalled
	}
	var v any
	if err := json.Unmarshal(raw, &v); err != nil {
		panic("sessiongen: " + err.Error())
	}
	return v
}

// learn collects values by member name.
func (s *scrambler) learn(name string, v any) {
	s.words[name] = append(s.words[name], v)
	switch v := v.(type) {
	case map[string]any:
		for _, k := range sortedKeys(v) {
			s.learn(k, v[k])
		}
	case []any:
		for _, x := range v {
			s.learn(name, x)
		}
	}
}

func sortedKeys(m map[string]any) []string {
	keys := make([]string, 0, len(m))
	// order-independent: sorted below
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}

// event returns a scrambled sample; false if the result does not decode.
func (s *scrambler) event(d events.Def, at time.Time, seq uint64) (events.Event, bool) {
	raw, err := json.Marshal(s.change("", s.plain(d.Sample)))
	if err != nil {
		panic("sessiongen: " + err.Error()) // made of decoded JSON, so this cannot fail
	}
	o := events.Origin{ID: events.DecidedID("scramble", events.Event{ID: d.Type.Name, Time: at}, int(seq)), Time: at,
		Project: Project, Session: "01SCRAMBLED", Actor: s.writer(d)}
	if len(s.ids) > 0 {
		o.Cause = s.ids[len(s.ids)-1]
	}
	e, err := events.New(o, d.Sample)
	if err != nil {
		panic("sessiongen: " + err.Error()) // samples are valid, so this cannot fail
	}
	e.Seq, e.Data, e.Payload = seq, raw, nil
	s.registry.Decode(&e)
	_, broken := e.Payload.(events.Malformed)
	return e, !broken
}

// change replaces parts of the value of a member at random.
func (s *scrambler) change(name string, v any) any {
	switch v := v.(type) {
	case map[string]any:
		for _, k := range sortedKeys(v) {
			v[k] = s.change(k, v[k])
		}
	case []any:
		out := []any{}
		for _, x := range v {
			for range s.random.IntN(3) {
				out = append(out, s.change(name, copied(x)))
			}
		}
		return out
	case string:
		return s.word(name, v)
	case float64:
		return float64(s.random.IntN(4))
	case bool:
		return s.random.IntN(2) == 0
	}
	return v
}

// copied returns a deep copy of decoded JSON.
func copied(v any) any {
	raw, err := json.Marshal(v)
	if err != nil {
		panic("sessiongen: " + err.Error())
	}
	var again any
	_ = json.Unmarshal(raw, &again)
	return again
}

// word returns a possible replacement for a string.
func (s *scrambler) word(name, was string) any {
	switch s.random.IntN(6) {
	case 0, 1:
		return was
	case 2:
		if len(s.ids) > 0 {
			return s.ids[len(s.ids)-1-s.random.IntN(min(len(s.ids), 12))]
		}
	case 3:
		return string(rune('a' + s.random.IntN(3)))
	}
	known := s.words[name]
	if w, ok := known[s.random.IntN(len(known))].(string); ok {
		return w
	}
	return was
}

// writer returns an actor that may write the type.
func (s *scrambler) writer(d events.Def) string {
	all := strings.Split(d.Writer, ", ")
	switch w := all[s.random.IntN(len(all))]; w {
	case "person":
		return person
	case "worker":
		return "worker-made-1"
	case "agent":
		return "agent-ci"
	case "any decider":
		return events.ActorConductor
	default:
		return w
	}
}
