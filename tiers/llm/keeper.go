package llm

import (
	"context"
	"time"
)

// Keeper is a provider that can keep the beginning of a prompt, at a price for
// the time, so that later requests name it in [Request.Cached].
type Keeper interface {
	Provider
	// Keepable is the beginning of r that is worth keeping for the requests that
	// follow it; false where there is none. It is a pure function of r, and
	// requests with the same beginning give the same digest.
	Keepable(r Request) (Keepable, bool)
	// Keep has the provider keep it, for [Keepable.TTL] and under [Keepable.Label].
	Keep(ctx context.Context, r Request, k Keepable) (Kept, error)
	// Labelled are the names of what the provider keeps under these labels, by
	// label; one under which it keeps nothing is not among them. It fails rather
	// than leave one out.
	Labelled(ctx context.Context, labels []string) (map[string][]string, error)
	// Forget deletes what has this name. One that is gone already is no error.
	Forget(ctx context.Context, name string) error
}

// Keepable is the beginning of a prompt that is worth keeping.
type Keepable struct {
	Messages int    // that it holds, the system message included
	SHA256   string // of what would be kept, in the provider's own form
	TTL      time.Duration
	// Label is the caller's own name for it, by which [Keeper.Labelled] finds it:
	// at most 128 characters; empty: none.
	Label string
}

// Kept is the beginning of a prompt that a provider keeps.
type Kept struct {
	Name      string
	ExpiresAt time.Time
	Tokens    int64 // that it holds, as the provider counts; 0 if it did not say
}
