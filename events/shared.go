package events

import (
	"context"
	"iter"
	"sync"
)

// sharedBacklog is how many events a watcher may be behind before it is disconnected.
const sharedBacklog = 4096

// Shared is a Log of one project for a whole process: all watchers share one watch of the
// underlying log, and each new event is read and decoded once. Earlier events are read for each
// watcher separately. A watcher that is more than 4096 events behind is disconnected with ErrSlow
// and can watch again from its position. Create one with NewShared.
type Shared struct {
	Log
	registry *Registry
	project  string
	joining  chan struct{} // held while a watcher joins, which may have to wait for the log

	mu   sync.Mutex
	feed *sharedFeed // nil if nobody watches
}

// NewShared returns a log that the watchers of a project share.
func NewShared(log Log, registry *Registry, project string) *Shared {
	return &Shared{Log: log, registry: registry, project: project, joining: make(chan struct{}, 1)}
}

// sharedFeed is one watch of the underlying log.
type sharedFeed struct {
	cancel   context.CancelFunc
	position uint64 // newest delivered event
	members  map[*sharedMember]struct{}
}

// sharedMember is one watcher.
type sharedMember struct {
	filter Filter
	more   chan struct{} // holds a token if there is something new

	mu    sync.Mutex
	queue []Event
	err   error // the error that ended the feed
}

// Watch is like that of the underlying log, but shared; its events are decoded.
func (s *Shared) Watch(ctx context.Context, f Filter, from uint64) (uint64, iter.Seq2[Event, error], error) {
	if f.Project != s.project {
		return s.Log.Watch(ctx, f, from)
	}
	m := &sharedMember{filter: f, more: make(chan struct{}, 1)}
	feed, joined, err := s.join(ctx, m)
	if err != nil {
		return 0, nil, err
	}
	cutoff, err := s.Last(ctx, f)
	if err != nil {
		s.leave(feed, m)
		return 0, nil, err
	}
	forget := context.AfterFunc(ctx, func() { s.leave(feed, m) })
	return cutoff, func(yield func(Event, error) bool) {
		defer forget()
		defer s.leave(feed, m)
		next, goesOn := s.stored(ctx, f, max(from, 1), joined, yield)
		if goesOn {
			m.deliver(ctx, next, yield)
		}
	}, nil
}

// join starts to queue new events for a member and returns the sequence of the last event before
// them.
func (s *Shared) join(ctx context.Context, m *sharedMember) (*sharedFeed, uint64, error) {
	select {
	case s.joining <- struct{}{}:
		defer func() { <-s.joining }()
	case <-ctx.Done():
		return nil, 0, ctx.Err()
	}
	if feed, position := s.enter(m); feed != nil {
		return feed, position, nil
	}
	return s.open(ctx, m)
}

// enter adds a member to the feed; it returns nil if there is no feed.
func (s *Shared) enter(m *sharedMember) (*sharedFeed, uint64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.feed == nil {
		return nil, 0
	}
	s.feed.members[m] = struct{}{}
	return s.feed, s.feed.position
}

// open starts to watch the underlying log from its end, for the first member.
func (s *Shared) open(ctx context.Context, m *sharedMember) (*sharedFeed, uint64, error) {
	all := Filter{Project: s.project}
	last, err := s.Last(ctx, all)
	if err != nil {
		return nil, 0, err
	}
	long, cancel := context.WithCancel(context.WithoutCancel(ctx))
	opened := context.AfterFunc(ctx, cancel)
	_, events, err := s.Log.Watch(long, all, last+1)
	if !opened() && err == nil {
		err = ctx.Err()
	}
	if err != nil {
		cancel()
		return nil, 0, err
	}
	feed := &sharedFeed{cancel: cancel, position: last, members: map[*sharedMember]struct{}{m: {}}}
	s.mu.Lock()
	s.feed = feed
	s.mu.Unlock()
	go s.pump(feed, events)
	return feed, last, nil
}

// pump distributes new events until the feed ends or nobody watches any more.
func (s *Shared) pump(feed *sharedFeed, events iter.Seq2[Event, error]) {
	var ended error
	for e, err := range events {
		if err != nil {
			ended = err
			break
		}
		s.registry.Decode(&e)
		s.mu.Lock()
		feed.position = e.Seq
		// order-independent: each member has its own queue
		for m := range feed.members {
			if m.filter.Match(&e) {
				m.push(e)
			}
		}
		s.mu.Unlock()
	}
	if ended == nil {
		ended = ErrClosed // nobody is left to receive it
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	feed.cancel()
	if s.feed == feed {
		s.feed = nil
	}
	// order-independent: all members get it
	for m := range feed.members {
		m.end(ended)
	}
}

// leave removes a member from the feed; when the last one leaves, the feed ends.
func (s *Shared) leave(feed *sharedFeed, m *sharedMember) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(feed.members, m)
	if len(feed.members) == 0 && s.feed == feed {
		s.feed = nil
		feed.cancel()
	}
}

// stored yields the events that were stored when the member joined. It returns from where to
// continue, and whether to continue.
func (s *Shared) stored(ctx context.Context, f Filter, from, to uint64, yield func(Event, error) bool) (uint64, bool) {
	if from > to {
		return from, true
	}
	for e, err := range s.Read(ctx, f, from, to) {
		if ctx.Err() != nil {
			return from, false
		}
		if err != nil {
			yield(e, err)
			return from, false
		}
		s.registry.Decode(&e)
		if !yield(e, nil) {
			return from, false
		}
	}
	return to + 1, true
}

func (m *sharedMember) push(e Event) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.err != nil {
		return
	}
	if len(m.queue) >= sharedBacklog {
		m.queue, m.err = nil, ErrSlow
	} else {
		m.queue = append(m.queue, e)
	}
	m.wake()
}

func (m *sharedMember) end(err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.err == nil {
		m.err = err
	}
	m.wake()
}

func (m *sharedMember) wake() {
	select {
	case m.more <- struct{}{}:
	default:
	}
}

// pull takes the queued events, and the error that follows them.
func (m *sharedMember) pull() ([]Event, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	q := m.queue
	m.queue = nil
	if len(q) > 0 {
		return q, nil
	}
	return nil, m.err
}

// deliver yields the new events from a sequence on until ctx ends.
func (m *sharedMember) deliver(ctx context.Context, from uint64, yield func(Event, error) bool) {
	for ctx.Err() == nil {
		batch, err := m.pull()
		if err != nil {
			yield(Event{}, err)
			return
		}
		for _, e := range batch {
			if ctx.Err() != nil || e.Seq >= from && !yield(e, nil) {
				return
			}
		}
		if len(batch) > 0 {
			continue
		}
		select {
		case <-m.more:
		case <-ctx.Done():
		}
	}
}
