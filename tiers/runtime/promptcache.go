package runtime

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"sync"

	"manualslop/events"
	"manualslop/tiers/llm"
)

// recordsKept is the number of sessions without an open request whose prompt texts stay in memory.
const recordsKept = 8

// record returns the texts that the prompts of a session refer to. They are collected until the
// session is closed, and are read from the log if they are missing.
func (m *Models) record(ctx context.Context, tr *transcript, session string) (*llm.Record, error) {
	for {
		tr.mu.Lock()
		record, loading := tr.record, tr.loading
		if record == nil && loading == nil {
			tr.loading = make(chan struct{})
		}
		tr.mu.Unlock()
		switch {
		case record != nil:
			return record, nil
		case loading == nil:
			history, err := readSession(ctx, m.Log, m.Project, session, 1)
			m.mu.Lock()
			delete(m.lines, session) // they are assigned again, in the same order
			m.mu.Unlock()
			tr.loaded(history, err)
			m.Transcripts.trim()
			if err != nil {
				return nil, err
			}
		default:
			select {
			case <-loading:
			case <-ctx.Done():
				return nil, ctx.Err()
			}
		}
	}
}

// loaded folds the events that were read from the log, and then those that arrived meanwhile.
func (tr *transcript) loaded(history []*events.Event, err error) {
	tr.mu.Lock()
	defer tr.mu.Unlock()
	pending := tr.pending
	close(tr.loading)
	tr.loading, tr.pending = nil, nil
	if err != nil || tr.record != nil { // the session was closed in the meantime
		return
	}
	tr.record, tr.recorded, tr.scripted = &llm.Record{}, 0, nil
	for _, e := range slices.Concat(history, pending) {
		tr.refer(e)
	}
}

// refer records an event that prompts may refer to, unless it is already recorded; tr.mu must be
// held.
func (tr *transcript) refer(e *events.Event) {
	if e.Seq <= tr.recorded {
		return
	}
	tr.recorded = e.Seq
	tr.record.Take(e)
	if m, ok := e.Payload.(events.ModelRequested); ok && m.Provider == ProviderScript {
		tr.scripted = append(tr.scripted, scripted{e, tr.record.Newest(e.ID)})
	}
}

// trim releases the prompt texts of sessions without open requests, least
// recently used first.
func (t *Transcripts) trim() {
	var idle []*transcript
	seqs := map[*transcript]uint64{}
	for _, tr := range t.all() {
		tr.mu.Lock()
		if tr.record != nil && !tr.closed && len(tr.open) == 0 {
			idle, seqs[tr] = append(idle, tr), tr.seq
		}
		tr.mu.Unlock()
	}
	slices.SortFunc(idle, func(a, b *transcript) int { return cmp.Compare(seqs[a], seqs[b]) })
	for _, tr := range idle[:max(len(idle)-recordsKept, 0)] {
		tr.mu.Lock()
		if len(tr.open) == 0 && !tr.closed {
			tr.record, tr.scripted = nil, nil
		}
		tr.mu.Unlock()
	}
}

// all returns the transcripts of every session, in no order.
func (t *Transcripts) all() []*transcript {
	t.mu.Lock()
	defer t.mu.Unlock()
	return slices.Collect(maps.Values(t.sessions)) // order-independent: each is handled separately
}

// Limits of the cached texts: their number, and the size of each in bytes.
const (
	maxWords     = 64
	maxWordsText = 16 << 10
)

// words caches the short blobs at the beginning of prompts, which every request
// names. The zero value is empty.
type words struct {
	mu   sync.Mutex
	text map[string][]byte
}

// get returns a kept blob; nil if there is none. It must not be modified.
func (w *words) get(sha256 string) []byte {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.text[sha256]
}

// keep caches a blob that is short enough. If there are too many, the cache is
// cleared.
func (w *words) keep(sha256 string, b []byte) {
	if len(b) == 0 || len(b) > maxWordsText {
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.text == nil || len(w.text) >= maxWords {
		w.text = map[string][]byte{}
	}
	w.text[sha256] = b
}
