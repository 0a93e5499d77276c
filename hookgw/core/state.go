// Package core has what the handlers of all routes share: the configuration, the
// state of a gateway, a call, and the pending asks.
package core

import (
	"context"
	"sync"

	"manualslop/events"
	"manualslop/hookgw/access"
	"manualslop/hookgw/feed"
	"manualslop/hookgw/program"
	"manualslop/hookgw/request"
)

// State is the state that the handlers of all routes share.
type State struct {
	*request.Core
	Cfg Config

	Asks     *feed.Waiting
	Slots    chan struct{} // slots of waiting asks
	Pending  *pendingAsks
	Asked    *request.Bodies // bodies of waiting questions
	Feeds    *feed.Places
	Replays  *events.Replays // for feeds
	Hubs     *feed.Hubs
	Drains   chan struct{} // one drain at a time in this process
	Searches chan struct{} // slots of running searches
	Resets   chan struct{} // one reset at a time in this process
	Program  *program.Handlers
	SignIns  *access.SignIns

	mu       sync.Mutex               // for tracking
	tracking map[string]chan struct{} // by session, see Track
}

const (
	// maxReplays is how many feeds may read stored events at the same time.
	maxReplays = 32
	// searchesAtOnce limits the running searches: each may keep a core busy for some time.
	searchesAtOnce = 8
)

// NewState returns the state of a gateway.
func NewState(shared *request.Core, cfg Config) *State {
	return &State{
		Core: shared, Cfg: cfg,
		Asks: feed.NewWaiting(shared), Slots: make(chan struct{}, cfg.Limits.Waiting), Pending: newPendingAsks(),
		Asked: request.NewBodies(cfg.Limits.Asked), Feeds: feed.NewPlaces(cfg.Limits),
		Replays: events.NewReplays(cfg.Log, maxReplays), Hubs: feed.NewHubs(shared, cfg.Signals),
		Drains: make(chan struct{}, 1), Searches: make(chan struct{}, searchesAtOnce),
		Resets: make(chan struct{}, 1), tracking: map[string]chan struct{}{},
	}
}

// Track waits until no other request is recording the project and the tracked files of a session. Call release
// afterwards. The error is that of ctx.
func (g *State) Track(ctx context.Context, session string) (release func(), err error) {
	g.mu.Lock()
	place, ok := g.tracking[session]
	if !ok {
		place = make(chan struct{}, 1)
		g.tracking[session] = place
	}
	g.mu.Unlock()
	select {
	case place <- struct{}{}:
		return func() { <-place }, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}
