package core

import "sync"

// postingAtOnce is how many questions are published at the same time. Publishing needs much more memory than waiting,
// so thousands of requests that come together take turns.
const postingAtOnce = 32

// waiter is a request to /api/ask that waits for its answer.
type waiter interface {
	// Begin puts its question on the log, or joins the one with its id.
	Begin()
	// Stop tells the client to come back later.
	Stop()
}

// pendingAsks holds the requests to /api/ask from the end of their handlers until their answers. Questions are posted
// in order. A waiting request has no goroutine.
type pendingAsks struct {
	mu      sync.Mutex
	inside  map[waiter]struct{}
	queue   []waiter // not posted yet
	posting int      // goroutines that post
	closed  bool
}

func newPendingAsks() *pendingAsks { return &pendingAsks{inside: map[waiter]struct{}{}} }

// Enter queues a request; it is posted when its turn comes.
func (l *pendingAsks) Enter(a waiter) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.inside[a] = struct{}{}
	if l.closed {
		go a.Stop()
		return
	}
	l.queue = append(l.queue, a)
	if l.posting < postingAtOnce {
		l.posting++
		go l.post()
	}
}

func (l *pendingAsks) post() {
	for a := l.next(); a != nil; a = l.next() {
		a.Begin()
	}
}

// next returns the next request to post; nil if there is none, and then the calling goroutine ends.
func (l *pendingAsks) next() waiter {
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

func (l *pendingAsks) Leave(a waiter) {
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.inside, a)
}

// Close tells all waiting requests, and later ones, to come back later.
func (l *pendingAsks) Close() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.closed = true
	for a := range l.inside {
		go a.Stop()
	}
}
