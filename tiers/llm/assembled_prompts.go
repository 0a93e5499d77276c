package llm

import (
	"slices"

	"manualslop/events"
)

// MaxBegun limits, in bytes, the texts and images of the assembled prompts that a session keeps. A larger
// conversation is assembled again for each request.
const MaxBegun = 8 << 20

// begun holds the assembled prompts of conversations that may continue, by request, so that the
// next request only reads and checks what is new.
type begun struct {
	prompts map[string]*assembler
	size    int
	turn    int // of the newest prompt
}

// beginning takes out the kept start of the prompt of m, whose event has the given id, and returns
// it with the remaining parts. If no kept start fits, it returns all parts.
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

// keep stores the prompt of a request in place of the one that it continues.
func (r *Record) keep(id string, a *assembler) {
	r.mu.Lock()
	defer r.mu.Unlock()
	b := &r.begun
	b.take(id) // the same request may be assembled twice
	if b.prompts == nil {
		b.prompts = map[string]*assembler{}
	}
	b.turn++
	a.turn = b.turn
	b.prompts[id], b.size = a, b.size+a.size+a.images
	for b.size > MaxBegun {
		oldest := id
		for other, o := range b.prompts { // order-independent: turns are unique
			if o.turn < b.prompts[oldest].turn {
				oldest = other
			}
		}
		b.take(oldest)
	}
}

// take removes and returns the prompt of a request, or nil if none is kept.
func (b *begun) take(request string) *assembler {
	a := b.prompts[request]
	if a != nil {
		delete(b.prompts, request)
		b.size -= a.size + a.images
	}
	return a
}
