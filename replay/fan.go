package replay

import (
	"sync"

	"manualslop/events"
)

// Fan passes the events of a history to several folds, each of which receives them in order in its own goroutine.
// A fold must not change an event.
type Fan struct {
	folds []chan []events.Event
	next  []events.Event
	work  sync.WaitGroup
}

// fanBatch is how many events are passed to a fold at once, and fanAhead how many batches a slow fold may lag behind.
const (
	fanBatch = 64
	fanAhead = 4
)

// NewFan returns a Fan for these folds. The caller must call Close.
func NewFan(folds ...func(*events.Event)) *Fan {
	f := &Fan{}
	for _, take := range folds {
		batches := make(chan []events.Event, fanAhead)
		f.folds = append(f.folds, batches)
		f.work.Go(func() {
			for batch := range batches {
				for i := range batch {
					take(&batch[i])
				}
			}
		})
	}
	return f
}

// Take passes the next event to all folds. It waits if the slowest fold lags too far behind.
func (f *Fan) Take(e events.Event) {
	if f.next == nil {
		f.next = make([]events.Event, 0, fanBatch)
	}
	if f.next = append(f.next, e); len(f.next) == fanBatch {
		f.flush()
	}
}

func (f *Fan) flush() {
	for _, batches := range f.folds {
		batches <- f.next
	}
	f.next = nil
}

// Close waits until all folds have processed all events.
func (f *Fan) Close() {
	f.flush()
	for _, batches := range f.folds {
		close(batches)
	}
	f.work.Wait()
}
