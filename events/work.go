package events

import (
	"errors"
	"fmt"
	"time"
)

// Kinds of pools. Each project has one pool of each kind; see [PoolName].
const (
	// PoolTools holds approved tool calls, workspaces and merges.
	PoolTools = "tools"
	// PoolShort holds previews, views, injections and refreshes.
	PoolShort = "short"
	// PoolModels holds model calls.
	PoolModels = "models"
)

// PoolName is the name of a project's pool of one kind. It is a subject token.
func PoolName(kind, project string) string { return kind + "-" + project }

// ErrTakenOver is returned by a handler of pool work that another one took over
// meanwhile. The work is left to that one: it is neither done nor given back.
var ErrTakenOver = errors.New("the work was taken over")

// NeedsNewer begins the reason of work that a program gives back because it is too
// old to read it.
const NeedsNewer = "needs a newer program"

// NotBeforeError is returned by a handler of pool work that is not due yet. The
// pool hands the work out again at the given time and frees the slot until then.
type NotBeforeError struct {
	Time time.Time
	// Reason says what the work waits for, for people; empty: its time alone.
	Reason string
}

// Error names the time and the reason.
func (e *NotBeforeError) Error() string {
	said := fmt.Sprintf("not before %s", e.Time.UTC().Format(time.RFC3339Nano))
	if e.Reason != "" {
		said += ": " + e.Reason
	}
	return said
}
