package hookgw

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

// bodies counts the bytes of requests that are in memory: those that still
// arrive and those at work, and of blobs and snapshots on their way out. Each
// right has a share of its own, so that no agent takes the person's.
type bodies struct {
	most int64
	mu   sync.Mutex
	held map[access.Right]int64
}

func newBodies(most int64) *bodies { return &bodies{most: most, held: map[access.Right]int64{}} }

func (b *bodies) take(who access.Right, n int) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.held[who]+int64(n) > b.most {
		return false
	}
	b.held[who] += int64(n)
	return true
}

func (b *bodies) give(who access.Right, n int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.held[who] -= int64(n)
}

// counting reads a body and counts it for the call.
type counting struct {
	call *call
	from io.Reader
}

// Read fails with errBodies where there is no room for what came.
func (r counting) Read(p []byte) (int, error) {
	n, err := r.from.Read(p)
	if !r.call.hold(n) {
		return 0, errBodies
	}
	return n, err
}

// hold counts bytes for the call until it ends; false where there is no room.
func (c *call) hold(n int) bool {
	if !c.gw.bodies.take(c.who, n) {
		return false
	}
	c.held += n
	return true
}

// letGo no longer counts the call's body.
func (c *call) letGo() {
	c.gw.bodies.give(c.who, c.held)
	c.held = 0
}

// crowdedOut refuses a body for which there is no room.
func (c *call) crowdedOut() *problem.Problem {
	c.w.Header().Set("Retry-After", "1")
	return problem.Refuse(http.StatusServiceUnavailable, "too much is being sent or asked at once", "Send it again in a moment.")
}
