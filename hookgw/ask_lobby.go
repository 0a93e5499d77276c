package hookgw

import "sync"

// postingAtOnce is how many questions are put on the log at the same time. What
// a request needs for that is much more than what it needs to wait, so that
// thousands which come together take their turns.
const postingAtOnce = 32

// lobby holds the requests to /api/ask from when their handlers have ended until
// their answers. Those that come are posted in order; those that wait are no
// goroutines.
type lobby struct {
	mu      sync.Mutex
	inside  map[*asking]struct{}
	queue   []*asking // not posted yet
	posting int       // goroutines that post
	closed  bool
}

func newLobby() *lobby { return &lobby{inside: map[*asking]struct{}{}} }

// enter takes a request in. It is posted in its turn.
func (l *lobby) enter(a *asking) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.inside[a] = struct{}{}
	if l.closed {
		go a.stop()
		return
	}
	l.queue = append(l.queue, a)
	if l.posting < postingAtOnce {
		l.posting++
		go l.post()
	}
}

func (l *lobby) post() {
	for a := l.next(); a != nil; a = l.next() {
		a.begin()
	}
}

// next is the request whose turn it is; nil where there is none, and the
// goroutine that asked ends.
func (l *lobby) next() *asking {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.queue) == 0 {
		l.posting--
		l.queue = nil
		return nil
	}
	a := l.queue[0]
	l.queue[0] = nil
	l.queue = l.queue[1:]
	return a
}

func (l *lobby) leave(a *asking) {
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.inside, a)
}

// close sends everybody away, and who comes later as well.
func (l *lobby) close() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.closed = true
	for a := range l.inside {
		go a.stop()
	}
}
