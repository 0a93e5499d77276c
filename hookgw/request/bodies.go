package request

import (
	"errors"
	"io"
	"net/http"
	"sync"

	"manualslop/hookgw/access"
	"manualslop/hookgw/problem"
)

// errBodies says that there is no room for another body.
var errBodies = errors.New("too many bytes of bodies are held")

// Bodies counts the bytes of requests that are in memory: those that still
// arrive and those at work, and of blobs and snapshots on their way out. Each
// right has a share of its own, so that no agent takes the person's.
type Bodies struct {
	most int64
	mu   sync.Mutex
	held map[access.Right]int64
}

// NewBodies takes up to most bytes for each right.
func NewBodies(most int64) *Bodies { return &Bodies{most: most, held: map[access.Right]int64{}} }

// Take counts n bytes of who; false, and nothing is counted, where there is no room.
func (b *Bodies) Take(who access.Right, n int) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.held[who]+int64(n) > b.most {
		return false
	}
	b.held[who] += int64(n)
	return true
}

// Give no longer counts n bytes of who.
func (b *Bodies) Give(who access.Right, n int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.held[who] -= int64(n)
}

// counting reads a body and counts it for the call.
type counting struct {
	call *Call
	from io.Reader
}

// Read fails with errBodies where there is no room for what came.
func (r counting) Read(p []byte) (int, error) {
	n, err := r.from.Read(p)
	if !r.call.Hold(n) {
		return 0, errBodies
	}
	return n, err
}

// Hold counts bytes for the call until it ends; false where there is no room.
func (c *Call) Hold(n int) bool {
	if !c.Core.bodies.Take(c.Right, n) {
		return false
	}
	c.held += n
	return true
}

// ReleaseBody no longer counts the call's body.
func (c *Call) ReleaseBody() {
	c.Core.bodies.Give(c.Right, c.held)
	c.held = 0
}

// Overloaded refuses a body for which there is no room.
func (c *Call) Overloaded() *problem.Problem {
	c.Response.Header().Set("Retry-After", "1")
	return problem.New(http.StatusServiceUnavailable, "the gateway is overloaded",
		"Send it again in a moment.")
}
