package replay

import (
	"encoding/json"
	"errors"
	"fmt"
	"sort"

	"manualslop/events"
	"manualslop/projections"
)

// Until returns the part of a history up to and including a sequence, or all of it if the sequence is at or past
// its end. The result shares memory with the history.
func Until(history []events.Event, seq uint64) []events.Event {
	n := sort.Search(len(history), func(i int) bool { return history[i].Seq > seq })
	return history[:n:n]
}

// Rebuild folds a history into the read models. Payloads that are not yet decoded are decoded on a copy. The
// digest of each model is [projections.Set.Digest].
func Rebuild(history []events.Event) *projections.Set {
	history = decoded(events.Catalogue(), history)
	set := projections.NewSet()
	for i := range history {
		set.Apply(&history[i])
	}
	return set
}

// ErrFork means that a history cannot be the beginning of another session.
var ErrFork = errors.New("cannot be forked")

// Branch is what distinguishes a fork from the session with which it shares its beginning.
type Branch struct {
	Session string // its own session
	Folder  string // name of its log folder
	Label   string
}

// Fork makes the beginning of a history, up to and including a sequence, the beginning of another session. Ids,
// times, causes and ordinals stay, so deciders that read it continue from there and first record the decisions
// that were due at that point. Sequences are 0 until the fork is stored. It returns ErrFork for a branch without
// session or folder, for the session itself, or for a prefix without SessionOpened. The events of both sessions
// have the same ids; a log keeps both.
func Fork(history []events.Event, seq uint64, b Branch) ([]events.Event, error) {
	prefix := decoded(events.Catalogue(), Until(history, seq))
	switch {
	case len(prefix) == 0:
		return nil, fmt.Errorf("%w: there are no events before sequence %d", ErrFork, seq)
	case !events.ValidToken(b.Session) || b.Session == prefix[0].Session:
		return nil, fmt.Errorf("%w: the fork needs a new session id, got %q", ErrFork, b.Session)
	case b.Folder == "":
		return nil, fmt.Errorf("%w: the fork needs its own log folder", ErrFork)
	}
	opened, ok := prefix[0].Payload.(events.SessionOpened)
	if !ok {
		return nil, fmt.Errorf("%w: it must begin with SessionOpened, got %s", ErrFork, prefix[0].Type)
	}
	opened.Folder, opened.Label = b.Folder, b.Label
	data, err := json.Marshal(opened)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrFork, err)
	}
	out := append([]events.Event(nil), prefix...)
	for i := range out {
		out[i].Session, out[i].Seq = b.Session, 0
	}
	out[0].Data, out[0].V, out[0].Payload = data, opened.EventType().Version, opened
	return out, nil
}
