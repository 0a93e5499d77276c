package bus

import (
	"context"
	"fmt"
	"strings"
	"sync"

	"manualslop/events"
)

// denials wakes those who wait for an answer that will not come. The server
// answers a refused publish with a remark that names the subject and nothing
// else; without this a refusal would look like a timeout.
type denials struct {
	mu      sync.Mutex
	waiting map[string]map[*context.CancelCauseFunc]struct{}
}

// watch registers a waiter for the answer to subject until forget is called.
func (d *denials) watch(subject string, cancel context.CancelCauseFunc) (forget func()) {
	key := &cancel
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.waiting == nil {
		d.waiting = map[string]map[*context.CancelCauseFunc]struct{}{}
	}
	if d.waiting[subject] == nil {
		d.waiting[subject] = map[*context.CancelCauseFunc]struct{}{}
	}
	d.waiting[subject][key] = struct{}{}
	return func() {
		d.mu.Lock()
		defer d.mu.Unlock()
		delete(d.waiting[subject], key)
		if len(d.waiting[subject]) == 0 {
			delete(d.waiting, subject)
		}
	}
}

// deny wakes everybody who waits for the subject that the remark quotes.
// Rights depend on the subject alone, so all of them are refused.
func (d *denials) deny(remark error) {
	subject, ok := quoted(remark.Error())
	if !ok {
		return
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	for cancel := range d.waiting[subject] {
		(*cancel)(fmt.Errorf("%w: %s", events.ErrDenied, subject))
	}
}

// wakeAll ends every waiting attempt with the same cause.
func (d *denials) wakeAll(cause error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, set := range d.waiting {
		for cancel := range set {
			(*cancel)(cause)
		}
	}
}

// quoted returns the first text between double quotes.
func quoted(s string) (string, bool) {
	_, rest, ok := strings.Cut(s, `"`)
	if !ok {
		return "", false
	}
	text, _, ok := strings.Cut(rest, `"`)
	return text, ok
}
