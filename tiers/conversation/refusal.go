package conversation

import "manualslop/events"

// MaxRefusals limits how often the prompt of one round is shortened because its
// provider found it too long.
const MaxRefusals = 3

// ceiling is what a model is known to take less than.
type ceiling struct {
	provider, model string
	tokens          int64
}

// Refused takes the failure of the last prompt, which m sent. True where it is
// that the prompt is too long: [Thread.Fit] then makes a shorter one, or says
// why there is none.
func (t *Thread) Refused(m events.ModelRequested, p events.ModelFailed) bool {
	if p.Kind != events.ModelContextTooLong {
		return false
	}
	if t.least.provider != m.Provider || t.least.model != m.Model {
		t.least, t.refusals = ceiling{provider: m.Provider, model: m.Model}, 0
	}
	t.refusal = &p
	t.refusals++
	return true
}

// refused reports whether the last prompt was too long for this reader.
func (t *Thread) refused(to Reader) bool {
	return t.refusal != nil && t.least.provider == to.Provider && t.least.model == to.Model
}

// Room returns how many tokens a prompt may have for a reader: its own room, or
// what a prompt that it refused was brought to.
func (t *Thread) Room(to Reader) int64 {
	if t.least.tokens > 0 && t.least.provider == to.Provider && t.least.model == to.Model {
		return min(to.Room, t.least.tokens)
	}
	return to.Room
}
