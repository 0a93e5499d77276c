package runtime

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"time"

	"manualslop/events"
	"manualslop/tiers/llm"
)

// settleAfter is how long behind its start something may come to be kept yet,
// although whoever asked for it is gone.
const settleAfter = time.Minute

// maxStarted bounds what may have been started for a session without a known
// end; beyond it nothing more is kept.
const maxStarted = 32

// started is a beginning of prompts that a provider was going to be asked to
// keep, and of which no name is on record yet.
type started struct {
	events.PromptCacheStarted
	event events.Event
}

// errManyStarted says that too much was started whose end is not known.
var errManyStarted = errors.New("what became of many others is not known")

// start records that a provider is going to be asked to keep something, and the
// label by which it is found where this process does not get to say its name.
func (m *Models) start(ctx context.Context, tr *transcript, request *events.Event, key keptKey, ttl time.Duration) (*started, error) {
	if slices.ContainsFunc(tr.startedAll(), m.isSettled) {
		m.find(ctx, tr)
	}
	open, n := tr.startedAll(), tr.startCount()
	if len(open) >= maxStarted {
		return nil, errManyStarted
	}
	id := events.DecidedID(events.ActorModels, *request, 2+n) // 0 and 1 are its outcome and what is kept
	now := m.Clock()
	p := events.PromptCacheStarted{Provider: key.provider, Model: key.model, Label: "slop " + id, ExpiresAt: now.Add(keepWait + settleAfter + ttl)}
	e, err := events.New(events.Origin{ID: id, Time: now, Project: request.Project, Session: request.Session, Actor: events.ActorModels, Cause: request.ID}, p)
	if err != nil {
		return nil, err
	}
	if _, err = m.Log.Append(ctx, e, nil); err != nil {
		return nil, err
	}
	e.Payload = p
	tr.keepFrom(&e)
	return &started{p, e}, nil
}

// isSettled tells whether what was started is there by now if it ever will be.
func (m *Models) isSettled(s *started) bool { return m.Clock().Sub(s.event.Time) >= settleAfter }

// lookLater looks for what was started once all of it is there, unless the
// process ends before.
func (m *Models) lookLater(ctx context.Context, tr *transcript) {
	if len(tr.startedAll()) == 0 {
		return
	}
	m.mu.Lock()
	over := m.ends()
	m.mu.Unlock()
	timer := time.NewTimer(settleAfter)
	defer timer.Stop()
	select {
	case <-timer.C:
		m.find(ctx, tr)
	case <-ctx.Done():
	case <-over:
	}
}

// find has providers delete what they were asked to keep for a session and
// nobody recorded.
func (m *Models) find(ctx context.Context, tr *transcript) {
	ctx, cancel := context.WithTimeout(ctx, forgetWait)
	defer cancel()
	byProvider := map[string][]*started{}
	for _, s := range tr.startedAll() {
		if s.ExpiresAt.After(m.Clock()) {
			byProvider[s.Provider] = append(byProvider[s.Provider], s)
		} else {
			m.settle(ctx, tr, s, "", events.CacheExpired)
		}
	}
	// order-independent: each provider is asked for itself
	for name, list := range byProvider {
		keeper, ok := m.Providers[name].(llm.Keeper)
		if !ok {
			continue // nobody can be asked; it expires by itself
		}
		if err := m.findAt(ctx, tr, keeper, list); err != nil {
			m.Logger.Warn("what a provider may keep for nobody was not looked for", "provider", name, "error", string(m.hide([]byte(err.Error()))))
		}
	}
}

// findAt does it at one provider. What is not there, but may come yet, is left
// for the next time.
func (m *Models) findAt(ctx context.Context, tr *transcript, keeper llm.Keeper, list []*started) error {
	labels := make([]string, len(list))
	for i, s := range list {
		labels[i] = s.Label
	}
	found, err := keeper.Labelled(ctx, labels)
	if err != nil {
		return err
	}
	for _, s := range list {
		names := found[s.Label]
		switch {
		case slices.ContainsFunc(names, tr.keeps): // recorded meanwhile
		case len(names) > 0:
			if !slices.ContainsFunc(names, func(name string) bool { return !m.remove(ctx, keeper, name) }) {
				m.settle(ctx, tr, s, names[0], events.CacheUnrecorded)
			}
		case m.isSettled(s):
			m.settle(ctx, tr, s, "", events.CacheNotMade)
		}
	}
	return nil
}

// settle records that a provider keeps nothing under a label any more.
func (m *Models) settle(ctx context.Context, tr *transcript, s *started, name, reason string) {
	if tr.settle(s.Label) {
		m.sayDropped(ctx, &s.event, events.PromptCacheDropped{Name: name, Reason: reason, Label: s.Label})
	}
}

// settle notes that the end of a label is known; false if it was before.
func (tr *transcript) settle(label string) bool {
	tr.mu.Lock()
	defer tr.mu.Unlock()
	known := tr.ended[label]
	tr.endLabel(label)
	return !known
}

// endLabel notes that the end of a label is known; tr.mu is held.
func (tr *transcript) endLabel(label string) {
	if label != "" {
		tr.ended[label] = true
		delete(tr.started, label)
	}
}

// startedAll are those without a known end, by label.
func (tr *transcript) startedAll() []*started {
	tr.mu.Lock()
	defer tr.mu.Unlock()
	out := make([]*started, 0, len(tr.started))
	// order-independent: sorted below
	for _, s := range tr.started {
		out = append(out, s)
	}
	slices.SortFunc(out, func(a, b *started) int { return cmp.Compare(a.Label, b.Label) })
	return out
}

// startCount grows with everything that is started.
func (tr *transcript) startCount() int {
	tr.mu.Lock()
	defer tr.mu.Unlock()
	return tr.starts
}

// keeps tells whether a name is on record as kept.
func (tr *transcript) keeps(name string) bool {
	tr.mu.Lock()
	defer tr.mu.Unlock()
	return tr.kept[name] != nil
}
