package eventstest

import (
	"iter"

	"manualslop/events"
)

// Each yields a history event by event, as a log does.
func Each(history []events.Event) iter.Seq2[events.Event, error] {
	return func(yield func(events.Event, error) bool) {
		for _, e := range history {
			if !yield(e, nil) {
				return
			}
		}
	}
}
