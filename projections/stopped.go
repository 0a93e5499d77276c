package projections

import (
	"cmp"
	"fmt"
	"slices"

	"manualslop/events"
)

// StoppedError says that a read model could not fold an event and has stood
// still since. It is the view of the model from then on, and what looking at
// its state ends with.
type StoppedError struct {
	// Model is its name.
	Model string
	// Seq, ID and Type are those of the event that it could not fold.
	Seq  uint64
	ID   string
	Type string
	// Reason is what went wrong, for the operator.
	Reason string
}

// Error says which model stopped where, and why.
func (e *StoppedError) Error() string {
	return fmt.Sprintf("the read model %s stopped at event %d (%s): %s", e.Model, e.Seq, e.Type, e.Reason)
}

func stoppedAt(model string, e *events.Event, reason any) *StoppedError {
	return &StoppedError{model, e.Seq, e.ID, e.Type, fmt.Sprint(reason)}
}

// give folds an event, or stops the model where that panics.
func (m *slot) give(e *events.Event) {
	defer func() {
		if reason := recover(); reason != nil {
			m.stopped = stoppedAt(m.Name(), e, reason)
		}
	}()
	m.Apply(e)
}

// Stopped lists the models that do not go on, in the order in which they
// stopped. Nothing else in the set is affected; folding the session anew with a
// program that knows how brings them back.
func (s *Set) Stopped() []*StoppedError {
	var out []*StoppedError
	for i := range s.slots {
		if stopped := s.slots[i].stopped; stopped != nil {
			out = append(out, stopped)
		}
	}
	slices.SortStableFunc(out, func(a, b *StoppedError) int { return cmp.Compare(a.Seq, b.Seq) })
	return out
}

// Show calls fn with the set. Where fn looks at a model that stopped, Show
// returns its *StoppedError, and what fn did after that look is not done.
func (s *Set) Show(fn func(*Set)) (err error) {
	defer func() {
		reason := recover()
		if reason == nil {
			return
		}
		stopped, ok := reason.(*StoppedError)
		if !ok {
			panic(reason)
		}
		err = stopped
	}()
	fn(s)
	return nil
}
