package engine

import (
	"slices"
	"sync"
	"time"

	"manualslop/hookgw/wire"
)

// tasks lists the background work of this process in the order in which it began. The number of roles and effects
// bounds it, so no entry is ever dropped.
type tasks struct {
	mu    sync.Mutex
	begun []wire.Task
}

// begin notes a task; call ended with its error.
func (t *tasks) begin(name string) (ended func(error)) {
	t.mu.Lock()
	defer t.mu.Unlock()
	at := len(t.begun)
	t.begun = append(t.begun, wire.Task{Name: name, Started: time.Now()})
	return func(err error) {
		t.mu.Lock()
		defer t.mu.Unlock()
		now := time.Now()
		t.begun[at].Ended = &now
		if err != nil {
			t.begun[at].Error = err.Error()
		}
	}
}

func (t *tasks) list() []wire.Task {
	t.mu.Lock()
	defer t.mu.Unlock()
	return slices.Clone(t.begun)
}
