package events

import "errors"

// Errors of pools of work and of claims. Callers branch on them with errors.Is.
var (
	// ErrClaimed says that a claim exists already.
	ErrClaimed = errors.New("already claimed")
	// ErrNoKey says that nothing is stored under a key.
	ErrNoKey = errors.New("no such key")
	// ErrNoPool says that there is no work pool of that name.
	ErrNoPool = errors.New("no such pool")
)

// Delivery is one piece of work from a pool. It may have been handed out before, to
// this process or another, and that one may have carried it out.
type Delivery struct {
	Event Event
	// Deliveries counts how often it was handed out, this time included.
	Deliveries int
}
