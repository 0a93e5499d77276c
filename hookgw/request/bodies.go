package request

import (
	"errors"
	"io"
	"net/http"
	"sync"

	"manualslop/hookgw/access"
	"manualslop/hookgw/problem"
)

// errBodies means that no memory is left for another body.
var errBodies = errors.New("too many bytes of request bodies are in memory")

// Bodies counts the bytes of requests in memory, both arriving and in progress, and of blobs and snapshots that are
// being sent. Each right has its own share, so that agents cannot use up the user's.
type Bodies struct {
	most int64
	mu   sync.Mutex
	held map[access.Right]int64
}

// NewBodies allows up to most bytes for each right.
func NewBodies(most int64) *Bodies { return &Bodies{most: most, held: map[access.Right]int64{}} }

// Take reserves n bytes for the given right. If too few are left, it reserves nothing and returns false.
func (b *Bodies) Take(who access.Right, n int) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.held[who]+int64(n) > b.most {
		return false
	}
	b.held[who] += int64(n)
	return true
}

// Give releases n bytes of the given right.
func (b *Bodies) Give(who access.Right, n int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.held[who] -= int64(n)
}

// counting reads a body and reserves its bytes for the call.
type counting struct {
	call *Call
	from io.Reader
}

// Read returns errBodies if no memory is left for the bytes that it read.
func (r counting) Read(p []byte) (int, error) {
	n, err := r.from.Read(p)
	if !r.call.Hold(n) {
		return 0, errBodies
	}
	return n, err
}

// Hold reserves bytes for the call until it ends. It returns false if too few are left.
func (c *Call) Hold(n int) bool {
	if !c.Core.bodies.Take(c.Right, n) {
		return false
	}
	c.held += n
	return true
}

// ReleaseBody releases the bytes of the call's body.
func (c *Call) ReleaseBody() {
	c.Core.bodies.Give(c.Right, c.held)
	c.held = 0
}

// Overloaded returns the problem for a body that does not fit into memory.
func (c *Call) Overloaded() *problem.Problem {
	c.Response.Header().Set("Retry-After", "1")
	return problem.New(http.StatusServiceUnavailable, "the gateway is overloaded",
		"Send it again in a moment.")
}
