package live

import (
	"context"
	"encoding/json"
	"slices"

	"manualslop/events"
	"manualslop/projections"
)

// Snapshots stores states between runs, as JSON by key. Losing one only costs
// time, so a store may reject or drop any of them.
type Snapshots interface {
	// PutSnapshot stores v under key and replaces any earlier value.
	PutSnapshot(ctx context.Context, key string, v any) error
	// Snapshot decodes the value stored under key into v. It returns an error if there is none.
	Snapshot(ctx context.Context, key string, v any) error
}

func (l *Live) setKey(session string) string { return "folds." + l.project + "." + session }

func (l *Live) indexKey() string { return "folds." + l.project + ".-index" }

// index holds the summaries of all sessions at one position of the log.
type index struct {
	Seq      uint64         `json:"seq"`
	LastID   string         `json:"last_id"`
	Sessions []indexSession `json:"sessions"`
}

type indexSession struct {
	ID      string                  `json:"id"`
	First   uint64                  `json:"first"`
	LastSeq uint64                  `json:"last_seq"`
	Light   *projections.Summarizer `json:"light"`
}

// restoreIndex restores the stored summaries if they belong to this log, and returns where to
// continue reading.
func (l *Live) restoreIndex(ctx context.Context, end uint64) uint64 {
	if l.opts.Snapshots == nil || l.opts.Session != "" {
		return 1
	}
	var ix index
	if l.opts.Snapshots.Snapshot(ctx, l.indexKey(), &ix) != nil || ix.Seq > end || !l.holds(ctx, l.filter, ix.Seq,
		ix.LastID) {
		return 1
	}
	for _, x := range ix.Sessions {
		s := l.newSession(x.ID, x.First)
		s.lastSeq = x.LastSeq
		if x.Light != nil {
			s.light = *x.Light
		}
		l.sessions[x.ID] = s
		l.order = append(l.order, s)
	}
	l.noted, l.notedID = ix.Seq, ix.LastID
	return ix.Seq + 1
}

// restore returns a set restored from the session's newest usable snapshot, or an empty one.
func (l *Live) restore(ctx context.Context, s *session, f events.Filter) *projections.Set {
	set := projections.NewSetOf(l.opts.Models)
	if l.opts.Snapshots == nil {
		return set
	}
	var snap projections.Snapshot
	if l.opts.Snapshots.Snapshot(ctx, l.setKey(s.id), &snap) != nil || !l.holds(ctx, f, snap.Seq, snap.LastID) {
		return set
	}
	if err := set.Restore(snap); err != nil {
		l.opts.Logger.Info("snapshot discarded", "session", s.id, "error", err)
	}
	return set
}

// holds reports whether the log has the event with that id at that sequence. If not, the snapshot
// is from another log.
func (l *Live) holds(ctx context.Context, f events.Filter, seq uint64, id string) bool {
	if seq == 0 {
		return false
	}
	for e, err := range l.log.Read(ctx, f, seq, seq) {
		return err == nil && e.Seq == seq && e.ID == id
	}
	return false
}

// wantSave requests a snapshot of a session. If many are pending, it is skipped until the next
// time.
func (l *Live) wantSave(s *session) {
	if l.opts.Snapshots == nil {
		return
	}
	select {
	case l.saves <- s:
	default:
	}
}

// wantIndex requests that the summaries are stored.
func (l *Live) wantIndex() {
	select {
	case l.index <- struct{}{}:
	default:
	}
}

// worthSaving is the minimum number of events that a snapshot at shutdown must save from being
// read again.
const worthSaving = 200

// save stores requested snapshots, and at shutdown those that save much reading.
func (l *Live) save(ctx context.Context) {
	if l.opts.Snapshots == nil {
		return
	}
	for {
		select {
		case s := <-l.saves:
			if !l.saveUnseen(ctx, s) {
				l.saveSession(ctx, s, 1)
			}
			l.saveIndex(ctx)
		case <-l.index:
			l.saveIndex(ctx)
		case <-l.done:
			l.saveRest(ctx)
			return
		}
	}
}

// saveRest stores, at shutdown, the pending snapshots and those that save much reading.
func (l *Live) saveRest(ctx context.Context) {
	l.mu.RLock()
	all := slices.Clone(l.order)
	l.mu.RUnlock()
	for len(l.saves) > 0 {
		l.saveSession(ctx, <-l.saves, 1)
	}
	for _, s := range all {
		l.saveSession(ctx, s, worthSaving)
	}
	l.saveIndex(ctx)
}

// saveSession stores a folded session's state if at least the given number of events were folded
// since the last snapshot.
func (l *Live) saveSession(ctx context.Context, s *session, least int) {
	s.mu.Lock()
	if s.set == nil || s.fresh < least {
		s.mu.Unlock()
		return
	}
	set := s.set
	s.fresh, s.kept = 0, s.kept+s.fresh
	s.mu.Unlock()
	s.mu.RLock() // blocks events, but not readers
	snap, err := set.Snapshot()
	s.mu.RUnlock()
	l.put(ctx, s, snap, err)
}

// saveUnseen stores the state of a closed session that was never viewed, so that the first view
// finds it. It returns false if the session is folded.
func (l *Live) saveUnseen(ctx context.Context, s *session) bool {
	s.mu.RLock()
	folded := s.set != nil || s.loading != nil
	s.mu.RUnlock()
	if folded {
		return false
	}
	var snap projections.Snapshot
	set, _, err := l.read(ctx, s)
	if err == nil {
		snap, err = set.Snapshot()
	}
	l.put(ctx, s, snap, err)
	return true
}

// put stores a snapshot unless encoding it failed.
func (l *Live) put(ctx context.Context, s *session, snap projections.Snapshot, err error) {
	if err == nil {
		err = l.opts.Snapshots.PutSnapshot(ctx, l.setKey(s.id), &snap)
	}
	if err != nil {
		l.opts.Logger.Info("snapshot not stored", "session", s.id, "error", err)
	}
}

// saveIndex stores the summaries unless they have barely changed.
func (l *Live) saveIndex(ctx context.Context) {
	raw, err := l.summarize()
	if err == nil && raw != nil {
		err = l.opts.Snapshots.PutSnapshot(ctx, l.indexKey(), raw)
	}
	if err != nil {
		l.opts.Logger.Info("index of sessions not stored", "error", err)
	}
}

// summarize encodes the index; it returns nil if it has barely changed.
func (l *Live) summarize() (json.RawMessage, error) {
	l.mu.RLock()
	defer l.mu.RUnlock()
	if l.opts.Session != "" || l.fresh.Load() < worthSaving {
		return nil, nil
	}
	l.fresh.Store(0)
	ix := index{Seq: l.noted, LastID: l.notedID}
	for _, s := range l.order {
		ix.Sessions = append(ix.Sessions, indexSession{s.id, s.first, s.lastSeq, &s.light})
	}
	return json.Marshal(ix)
}
