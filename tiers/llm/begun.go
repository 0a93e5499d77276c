package llm

import (
	"slices"

	"manualslop/events"
)

// MaxBegun limits the texts of the prompts that a session keeps put together,
// in bytes. A conversation beyond it is put together again for each request.
const MaxBegun = 8 << 20

// begun are the prompts of conversations that may continue, by request, so that
// the next one reads and checks only what is new.
type begun struct {
	prompts map[string]*assembler
	size    int
	turn    int // of the newest
}

// beginning takes out what the prompt of m, the event with this id, begins
// with, and gives the parts after it: where nothing fits, all of them.
func (r *Record) beginning(id string, m events.ModelRequested) (*assembler, []events.Part, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	parts, err := r.lent(id)
	if err != nil {
		return nil, nil, err
	}
	a := r.begun.take(m.Continues)
	if a == nil || a.parts > m.Keep {
		a = &assembler{}
	}
	return a, slices.Clone(parts[a.parts:]), nil
}

// keep puts the prompt of a request in place of the one that it continues.
func (r *Record) keep(id string, a *assembler) {
	r.mu.Lock()
	defer r.mu.Unlock()
	b := &r.begun
	b.take(id) // it was put together twice
	if b.prompts == nil {
		b.prompts = map[string]*assembler{}
	}
	b.turn++
	a.turn = b.turn
	b.prompts[id], b.size = a, b.size+a.size
	for b.size > MaxBegun {
		oldest := id
		for other, o := range b.prompts { // order-independent: no two have one turn
			if o.turn < b.prompts[oldest].turn {
				oldest = other
			}
		}
		b.take(oldest)
	}
}

// take returns the prompt of a request, which is not kept any more; nil: none
// is.
func (b *begun) take(request string) *assembler {
	a := b.prompts[request]
	if a != nil {
		delete(b.prompts, request)
		b.size -= a.size
	}
	return a
}
