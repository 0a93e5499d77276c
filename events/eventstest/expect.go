package eventstest

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"manualslop/events"
)

// Patience limits every wait of this package; an event that takes longer counts
// as missing.
const Patience = 2 * time.Minute

// Expect waits until the log holds events of the given types under the filter in this order,
// possibly with others in between, and returns those events with decoded payloads. It fails the
// test if they do not arrive.
func Expect(tb testing.TB, log events.Log, f events.Filter, types ...string) []events.Event {
	tb.Helper()
	var found []events.Event
	waitFor(tb, log, f, fmt.Sprintf("the types %s in this order", strings.Join(types, ", ")), func(e events.Event) bool {
		if len(found) < len(types) && e.Type == types[len(found)] {
			found = append(found, e)
		}
		return len(found) == len(types)
	})
	return found
}

// ExpectWhere waits until the log holds an event under the filter for which accept returns true,
// and returns it with its payload decoded.
func ExpectWhere(tb testing.TB, log events.Log, f events.Filter, what string,
	accept func(events.Event) bool) events.Event {
	tb.Helper()
	var found events.Event
	waitFor(tb, log, f, what, func(e events.Event) bool {
		found = e
		return accept(e)
	})
	return found
}

// All returns all events that the log now holds under the filter, decoded.
func All(tb testing.TB, log events.Log, f events.Filter) []events.Event {
	tb.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), Patience)
	defer cancel()
	var out []events.Event
	catalogue := events.Catalogue()
	for e, err := range log.Read(ctx, f, 1, 0) {
		if err != nil {
			tb.Fatalf("read %s: %v", f.Subject(), err)
		}
		catalogue.Decode(&e)
		out = append(out, e)
	}
	return out
}

func waitFor(tb testing.TB, log events.Log, f events.Filter, what string, done func(events.Event) bool) {
	tb.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), Patience)
	defer cancel()
	_, feed, err := log.Watch(ctx, f, 1)
	if err != nil {
		tb.Fatalf("watch %s: %v", f.Subject(), err)
	}
	catalogue := events.Catalogue()
	var seen []string
	for e, err := range feed {
		if err != nil {
			tb.Fatalf("watch %s: %v", f.Subject(), err)
		}
		catalogue.Decode(&e)
		seen = append(seen, e.Type)
		if done(e) {
			return
		}
	}
	tb.Fatalf("%s did not come under %s; there are %s", what, f.Subject(), strings.Join(seen, ", "))
}
