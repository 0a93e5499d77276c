package mcp

import (
	"math/rand/v2"
	"slices"
	"time"
)

// Rules for restarting a failed server.
const (
	maxFailures   = 5 // within failureWindow; after that, only a user can restart it
	failureWindow = 10 * time.Minute
	steady        = time.Minute // a server that ran this long has its failures reset
	firstWait     = 500 * time.Millisecond
	lastWait      = 30 * time.Second
)

// restarts records the failures of one server.
type restarts struct {
	at    []time.Time
	since time.Time // when it last started successfully
}

func (r *restarts) began(now time.Time) { r.since = now }

func (r *restarts) failed(now time.Time) {
	if !r.since.IsZero() && now.Sub(r.since) >= steady {
		r.at = nil
	}
	r.since = time.Time{}
	r.at = append(r.at, now)
}

// wait returns how long to wait before the server is started, and whether it may be started at all. The wait
// doubles with each failure. Up to half of it is random, so that servers that failed together do not restart
// together.
func (r *restarts) wait(now time.Time) (time.Duration, bool) {
	r.at = slices.DeleteFunc(r.at, func(t time.Time) bool { return now.Sub(t) > failureWindow })
	if len(r.at) == 0 {
		return 0, true
	}
	if len(r.at) >= maxFailures {
		return 0, false
	}
	whole := min(firstWait<<(len(r.at)-1), lastWait)
	return max(0, whole-rand.N(whole/2)-now.Sub(r.at[len(r.at)-1])), true
}
