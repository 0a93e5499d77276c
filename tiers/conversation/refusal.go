package conversation

import "manualslop/events"

// MaxRefusals limits how often the prompt of one round is shortened because its
// provider found it too long.
const MaxRefusals = 3

// ceiling is a prompt size that a model is known to reject.
type ceiling struct {
	provider, model string
	tokens          int64
}

// Refused records the failure of the last prompt, which m sent. It returns true if the prompt was
// too long: [Thread.Fit] then shortens it, or returns why it cannot.
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

// Room returns how many tokens a prompt may have for a reader: the reader's own room, or less if
// it rejected a prompt.
func (t *Thread) Room(to Reader) int64 {
	if t.least.tokens > 0 && t.least.provider == to.Provider && t.least.model == to.Model {
		return min(to.Room, t.least.tokens)
	}
	return to.Room
}
