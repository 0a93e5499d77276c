package sessionlog

import (
	"context"
	"time"

	"manualslop/events"
)

const (
	// storeEvery limits how many events a start after a crash reads again, not counting those
	// since the registry file was written.
	storeEvery = 5000
	// storeWait limits the time for storing, so that an unavailable store does not block the
	// shutdown.
	storeWait = 5 * time.Second
)

// storedFacts holds the facts of all sessions at one position of the log. Losing them only costs
// time.
type storedFacts struct {
	Build    string          `json:"build"` // identifies the program; facts of another one are not used
	Project  string          `json:"project"`
	Seq      uint64          `json:"seq"`
	LastID   string          `json:"last_id"`
	Sessions []storedSession `json:"sessions"` // in the order in which they started
}

type storedSession struct {
	Facts  *Facts `json:"facts"`
	Newest uint64 `json:"newest"`
}

func (k *Keeper) storeKey() string { return "folds." + k.Project + ".-logs" }

// forget resets the keeper to the state before the first event.
func (k *Keeper) forget() {
	k.facts, k.order, k.newest = map[string]*Facts{}, nil, map[string]uint64{}
	k.seq, k.id, k.kept = 0, "", 0
}

// restore restores the stored facts if they belong to this program and this log, and returns the
// sequence of their last event.
func (k *Keeper) restore(ctx context.Context, to uint64) uint64 {
	var s storedFacts
	if k.Snapshots == nil || k.Snapshots.Snapshot(ctx, k.storeKey(), &s) != nil {
		return 0
	}
	if s.Build != k.Build || s.Project != k.Project || s.Seq > to || !k.holds(ctx, s.Seq, s.LastID) {
		return 0
	}
	for _, one := range s.Sessions {
		if one.Facts == nil {
			k.forget()
			return 0
		}
		k.facts[one.Facts.Session], k.newest[one.Facts.Session] = one.Facts, one.Newest
		k.order = append(k.order, one.Facts)
	}
	k.seq, k.id, k.kept = s.Seq, s.LastID, s.Seq
	return s.Seq
}

// holds reports whether the log has the event with that id at that sequence.
func (k *Keeper) holds(ctx context.Context, seq uint64, id string) bool {
	if seq == 0 {
		return false
	}
	for e, err := range k.Log.Read(ctx, events.Filter{Project: k.Project}, seq, seq) {
		return err == nil && e.Seq == seq && e.ID == id
	}
	return false
}

// store stores the facts if at least the given number of events were taken since the last time.
func (k *Keeper) store(ctx context.Context, least uint64) {
	if k.Snapshots == nil || k.seq < k.kept+least {
		return
	}
	s := storedFacts{Build: k.Build, Project: k.Project, Seq: k.seq, LastID: k.id, Sessions: make([]storedSession,
		len(k.order))}
	for i, f := range k.order {
		s.Sessions[i] = storedSession{f, k.newest[f.Session]}
	}
	ctx, cancel := context.WithTimeout(ctx, storeWait)
	defer cancel()
	if err := k.Snapshots.PutSnapshot(ctx, k.storeKey(), s); err != nil {
		k.Logger.InfoContext(ctx, "cannot store the state of the session logs", "error", err)
	}
	k.kept = k.seq // even after a failure, the next attempt comes after the same number of events
}
