package runtime

import (
	"cmp"
	"context"
	"slices"
	"time"

	"manualslop/events"
	"manualslop/tiers/llm"
)

// keepWait is how long a request waits until its beginning is kept; then it goes
// out whole.
const keepWait = 20 * time.Second

// forgetWait is how long the end of a session or of the process waits for
// providers to delete what they keep.
const forgetWait = 10 * time.Second

// keptKey is which requests a kept beginning serves.
type keptKey struct{ provider, model, sha256 string }

func keyOf(p events.PromptCached) keptKey { return keptKey{p.Provider, p.Model, p.SHA256} }

// kept is a beginning of prompts that a provider keeps.
type kept struct {
	events.PromptCached
	event events.Event
}

// Restore needs nothing of what was but the transcripts.
func (m *Models) Restore(context.Context, string, Mark) Mark { return Nothing }

// Save stores nothing: the transcripts do.
func (m *Models) Save(string, Mark) func(context.Context) { return nil }

// Begin has providers delete what they keep for a session that is over, and what
// an earlier process did not get to record. It comes behind the transcripts.
func (m *Models) Begin(ctx context.Context, session string, _ []*events.Event) {
	tr := m.Transcripts.session(session)
	if tr.isOver() {
		m.beside(func() { m.forget(ctx, tr, events.CacheSessionOver) })
	}
	if len(tr.startedAll()) > 0 {
		m.beside(func() { m.lookLater(ctx, tr) })
	}
}

// Take has providers delete what they keep for a session that is over. It comes
// behind the transcripts.
func (m *Models) Take(ctx context.Context, e *events.Event) {
	if !closes(e) {
		return
	}
	m.mu.Lock()
	delete(m.lines, e.Session)
	m.mu.Unlock()
	m.beside(func() {
		tr := m.Transcripts.session(e.Session)
		m.forget(ctx, tr, events.CacheSessionOver)
		m.lookLater(ctx, tr)
	})
}

// beside does something while the process lasts; at its end forgetAll does it.
func (m *Models) beside(do func()) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if !isClosed(m.ends()) {
		m.ending.Go(do)
	}
}

// ends is closed when the process ends; m.mu is held.
func (m *Models) ends() chan struct{} {
	if m.over == nil {
		m.over = make(chan struct{})
	}
	return m.over
}

func isClosed(c <-chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}

// prefix is what the provider keeps of a request, kept from now on where that
// pays; nil if it keeps nothing.
func (m *Models) prefix(ctx context.Context, tr *transcript, e *events.Event, provider llm.Provider, req llm.Request) *llm.CachedPrefix {
	keeper, ok := provider.(llm.Keeper)
	if !ok {
		return nil
	}
	want, ok := keeper.Keepable(req)
	if !ok {
		return nil
	}
	key := keptKey{provider.Name(), req.Model, want.SHA256}
	err := m.keeping.once(ctx, e.Session+"/"+key.provider+"/"+key.model+"/"+key.sha256, func() error {
		m.keep(ctx, tr, e, keeper, req, want, key)
		return nil
	})
	have := tr.keptFor(key)
	if err != nil || have == nil {
		return nil
	}
	return &llm.CachedPrefix{Name: have.Name, Messages: have.Messages}
}

// keep makes sure that the beginning of a request is kept for a good while yet.
// What a provider refused to keep is not tried again.
func (m *Models) keep(ctx context.Context, tr *transcript, e *events.Event, keeper llm.Keeper, req llm.Request, want llm.Keepable, key keptKey) {
	if have := tr.keptFor(key); have != nil {
		left := have.ExpiresAt.Sub(m.Clock())
		if left > want.TTL/10 {
			return
		}
		reason := events.CacheRenewed
		if left <= 0 {
			reason = events.CacheExpired
		}
		m.drop(ctx, tr, have, reason)
	}
	if tr.isUnkeepable(key) {
		return
	}
	s, err := m.start(ctx, tr, e, key, want.TTL)
	if err != nil {
		m.Logger.Warn("the beginning of a prompt is not kept, because its label cannot be recorded", "error", err)
		return
	}
	want.Label = s.Label
	made, err := m.have(ctx, keeper, req, want)
	if err != nil {
		if !passing(err) {
			tr.refuse(key)
			m.settle(ctx, tr, s, "", events.CacheNotMade)
		}
		m.Logger.Warn("the beginning of a prompt is not kept by its provider", "provider", key.provider, "model", key.model, "error", string(m.hide([]byte(err.Error()))))
		return
	}
	recorded, err := m.recordKept(ctx, e, events.PromptCached{Provider: key.provider, Model: key.model, Name: made.Name, SHA256: key.sha256,
		Messages: want.Messages, Tokens: made.Tokens, ExpiresAt: made.ExpiresAt, Label: s.Label})
	if err != nil { // nobody would know of it to delete it
		m.Logger.Warn("what a provider keeps was not recorded and is not used", "name", made.Name, "error", err)
		m.remove(ctx, keeper, made.Name)
		return
	}
	tr.keepFrom(&recorded)
	if tr.isOver() { // since a moment ago
		m.forget(ctx, tr, events.CacheSessionOver)
	}
}

// have has a provider keep something; the request does not wait for long.
func (m *Models) have(ctx context.Context, keeper llm.Keeper, req llm.Request, want llm.Keepable) (llm.Kept, error) {
	ctx, cancel := context.WithTimeout(ctx, keepWait)
	defer cancel()
	return keeper.Keep(ctx, req, want)
}

// passing tells whether another try may fare better. A limit of storage, which
// accounts that pay nothing have, is answered like a limit of the rate.
func passing(err error) bool {
	switch llm.AsError(err).Kind {
	case events.ModelNetwork, events.ModelOverloaded, events.ModelCancelled:
		return true
	}
	return false
}

// recordKept records what a provider keeps, under an id that derives from the
// request; a repeated attempt that makes another one is a duplicate.
func (m *Models) recordKept(ctx context.Context, request *events.Event, p events.PromptCached) (events.Event, error) {
	e, err := events.New(events.Origin{
		ID: events.DecidedID(events.ActorModels, *request, 1), Time: m.Clock(), Project: request.Project, Session: request.Session,
		Actor: events.ActorModels, Cause: request.ID,
	}, p)
	if err != nil {
		return e, err
	}
	_, err = m.Log.Append(ctx, e, nil)
	e.Payload = p
	return e, err
}

// drop uses something kept no more and says so.
func (m *Models) drop(ctx context.Context, tr *transcript, have *kept, reason string) {
	if !tr.unkeep(have.Name) {
		return
	}
	if keeper, ok := m.Providers[have.Provider].(llm.Keeper); ok && reason != events.CacheExpired && reason != events.CacheLost {
		m.remove(ctx, keeper, have.Name)
	}
	m.sayDropped(ctx, &have.event, events.PromptCacheDropped{Name: have.Name, Reason: reason})
}

// sayDropped records the end of what an event began.
func (m *Models) sayDropped(ctx context.Context, began *events.Event, p events.PromptCacheDropped) {
	e, err := events.New(events.Origin{
		ID: events.DecidedID(events.ActorModels, *began, 0), Time: m.Clock(), Project: began.Project, Session: began.Session,
		Actor: events.ActorModels, Cause: began.ID,
	}, p)
	if err == nil {
		err = appendUntil(ctx, m.Log, e, m.Logger)
	}
	if err != nil {
		m.Logger.Warn("the end of what a provider keeps was not recorded", "name", p.Name, "label", p.Label, "error", err)
	}
}

// remove deletes what a provider keeps. What cannot be deleted expires by itself.
func (m *Models) remove(ctx context.Context, keeper llm.Keeper, name string) (gone bool) {
	err := keeper.Forget(ctx, name)
	if err != nil {
		m.Logger.Warn("what a provider keeps was not deleted; it expires by itself", "name", name, "error", string(m.hide([]byte(err.Error()))))
	}
	return err == nil
}

// lost is for a provider that has nothing of that name any more.
func (m *Models) lost(ctx context.Context, tr *transcript, name string) {
	for _, k := range tr.keptAll() {
		if k.Name == name {
			m.drop(ctx, tr, k, events.CacheLost)
		}
	}
}

// forget has providers delete all that they keep for a session, although ctx may
// have ended.
func (m *Models) forget(ctx context.Context, tr *transcript, reason string) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), forgetWait)
	defer cancel()
	for _, k := range tr.keptAll() {
		why := reason
		if !k.ExpiresAt.After(m.Clock()) {
			why = events.CacheExpired
		}
		m.drop(ctx, tr, k, why)
	}
	m.find(ctx, tr)
}

// forgetAll is for the end of the process.
func (m *Models) forgetAll(ctx context.Context) {
	m.mu.Lock()
	if over := m.ends(); !isClosed(over) {
		close(over)
	}
	m.mu.Unlock()
	m.ending.Wait()
	for _, tr := range m.Transcripts.all() {
		m.forget(ctx, tr, events.CacheEngineOver)
	}
}

// all are the transcripts of every session, in no order.
func (t *Transcripts) all() []*transcript {
	t.mu.Lock()
	defer t.mu.Unlock()
	out := make([]*transcript, 0, len(t.sessions))
	// order-independent: each is handled for itself
	for _, tr := range t.sessions {
		out = append(out, tr)
	}
	return out
}

// keepFrom notes what a PromptCached says.
func (tr *transcript) keepFrom(e *events.Event) {
	tr.mu.Lock()
	defer tr.mu.Unlock()
	tr.takeKept(e)
}

// takeKept folds events about what providers keep; tr.mu is held. One that was
// dropped stays dropped, in whatever order this process hears of it.
func (tr *transcript) takeKept(e *events.Event) {
	switch p := e.Payload.(type) {
	case events.PromptCacheStarted:
		tr.starts++
		if !tr.ended[p.Label] {
			tr.started[p.Label] = &started{p, *e}
		}
	case events.PromptCached:
		tr.endLabel(p.Label)
		if !tr.dropped[p.Name] {
			tr.kept[p.Name] = &kept{p, *e}
		}
	case events.PromptCacheDropped:
		tr.endLabel(p.Label)
		tr.dropped[p.Name] = true
		delete(tr.kept, p.Name)
	}
}

// unkeep notes that a name is used no more; false if that was known.
func (tr *transcript) unkeep(name string) bool {
	tr.mu.Lock()
	defer tr.mu.Unlock()
	known := tr.kept[name] != nil
	tr.dropped[name] = true
	delete(tr.kept, name)
	return known
}

// keptAll are all things kept, by name.
func (tr *transcript) keptAll() []*kept {
	tr.mu.Lock()
	defer tr.mu.Unlock()
	out := make([]*kept, 0, len(tr.kept))
	// order-independent: sorted below
	for _, k := range tr.kept {
		out = append(out, k)
	}
	slices.SortFunc(out, func(a, b *kept) int { return cmp.Compare(a.Name, b.Name) })
	return out
}

// keptFor is what is kept under a key, the longest; nil if nothing is.
func (tr *transcript) keptFor(key keptKey) *kept {
	var best *kept
	for _, k := range tr.keptAll() {
		if keyOf(k.PromptCached) == key && (best == nil || k.ExpiresAt.After(best.ExpiresAt)) {
			best = k
		}
	}
	return best
}

// refuse notes that a provider does not keep what has this key.
func (tr *transcript) refuse(key keptKey) {
	tr.mu.Lock()
	defer tr.mu.Unlock()
	tr.unkeepable[key] = true
}

func (tr *transcript) isUnkeepable(key keptKey) bool {
	tr.mu.Lock()
	defer tr.mu.Unlock()
	return tr.unkeepable[key]
}
