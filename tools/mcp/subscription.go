package mcp

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"manualslop/events"
	"manualslop/tools"
)

// subscription is a resource whose changes are reported to its owners.
type subscription struct {
	owners    map[string]owner
	confirmed bool
	settled   chan struct{} // closed when the server has confirmed or refused it
	waiting   bool          // a change is reported after settling
}

// owner holds subscriptions to a resource. It is named by [tools.Env.Client].
type owner struct {
	held   int
	notify func(tools.Notice)
}

func (u *subscription) add(name string, notify func(tools.Notice)) {
	u.owners[name] = owner{u.owners[name].held + 1, notify}
}

// follow adds a subscription. Only the first to a resource is sent to the server; further ones wait until the
// server has confirmed it.
func (s *session) follow(ctx context.Context, uri string, h Hooks, send func() error) error {
	for {
		s.mu.Lock()
		if s.sweep(); s.subscriptions == nil {
			s.subscriptions = map[string]*subscription{}
		}
		now := s.subscriptions[uri]
		if now == nil {
			if len(s.subscriptions) == maxSubscriptions {
				s.mu.Unlock()
				return fmt.Errorf("at most %d resources of a server can be subscribed to", maxSubscriptions)
			}
			now = &subscription{owners: map[string]owner{}, settled: make(chan struct{})}
			s.subscriptions[uri] = now
			s.mu.Unlock()
			err := send()
			s.mu.Lock()
			defer s.mu.Unlock()
			defer close(now.settled)
			if err != nil {
				delete(s.subscriptions, uri)
				return err
			}
			now.confirmed = true
			now.add(h.Client, h.Notify)
			return nil
		}
		if now.confirmed {
			now.add(h.Client, h.Notify)
			s.mu.Unlock()
			return nil
		}
		s.mu.Unlock()
		select {
		case <-now.settled:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// unfollow ends one subscription of an owner. It reports whether it was the last to the resource.
func (s *session) unfollow(uri, client string) (last bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := s.subscriptions[uri]
	if now == nil || now.owners[client].held == 0 {
		return false
	}
	o := now.owners[client]
	if o.held--; o.held > 0 {
		now.owners[client] = o
	} else {
		delete(now.owners, client)
	}
	if len(now.owners) > 0 {
		return false
	}
	delete(s.subscriptions, uri)
	return true
}

// sweep ends the subscriptions of owners that were killed. The caller must hold mu.
func (s *session) sweep() {
	if s.around.Gone == nil {
		return
	}
	gone := map[string]bool{"": false} // models
	var over []string
	for uri, u := range s.subscriptions {
		for name := range u.owners {
			if _, known := gone[name]; !known {
				is, err := s.around.Gone(name)
				gone[name] = is && err == nil
			}
			if gone[name] {
				delete(u.owners, name)
			}
		}
		if u.confirmed && len(u.owners) == 0 {
			delete(s.subscriptions, uri)
			over = append(over, uri)
		}
	}
	if c := s.now; c != nil && len(over) > 0 {
		go func() {
			ctx, cancel := context.WithTimeout(context.Background(), startTimeout)
			defer cancel()
			for _, uri := range over { // a failure only means that the server reports more than is heard
				_ = c.Unsubscribe(ctx, &sdk.UnsubscribeParams{URI: uri})
			}
		}()
	}
}

// inherit takes the subscriptions of a session that this one replaces. It reports whether there are any.
func (s *session) inherit(from *session) bool {
	if !slices.ContainsFunc(s.pins, func(p Pin) bool { return p.Operation && p.Name == Subscribe }) {
		return false
	}
	from.mu.Lock()
	defer from.mu.Unlock()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.subscriptions = map[string]*subscription{}
	for uri, u := range from.subscriptions {
		if u.confirmed {
			s.subscriptions[uri] = &subscription{owners: maps.Clone(u.owners), confirmed: true, settled: u.settled}
		}
	}
	return len(s.subscriptions) > 0
}

// resourceUpdated reports a change, once for all changes of a resource within settling.
func (s *session) resourceUpdated(uri string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := s.subscriptions[uri]
	if now == nil || now.waiting {
		return
	}
	now.waiting = true
	time.AfterFunc(settling, func() {
		s.mu.Lock()
		s.sweep()
		now.waiting = false
		var tell []func(tools.Notice)
		for _, o := range now.owners {
			if o.notify != nil {
				tell = append(tell, o.notify)
			}
		}
		s.mu.Unlock()
		for _, notify := range tell {
			notify(tools.Notice{Kind: events.NoticeUpdated, Server: s.definition.Name, Text: uri})
		}
	})
}

// subscribeAgain repeats the subscriptions on a new connection.
func (s *session) subscribeAgain(c *connection) {
	s.mu.Lock()
	var uris []string
	for uri, u := range s.subscriptions {
		if u.confirmed {
			uris = append(uris, uri)
		}
	}
	s.mu.Unlock()
	ctx, cancel := context.WithTimeout(context.Background(), startTimeout)
	defer cancel()
	for _, uri := range uris {
		if c.subscribe(ctx, nil, uri) == nil {
			s.resourceUpdated(uri) // it may have changed meanwhile
		}
	}
}

// subscribe returns when the server has confirmed.
func (c *connection) subscribe(ctx context.Context, meta sdk.Meta, uri string) error {
	params := &sdk.SubscribeParams{Meta: meta, URI: uri}
	if !c.modern() {
		return c.Subscribe(ctx, params)
	}
	confirmed := make(chan struct{})
	c.mu.Lock()
	c.confirm[uri] = append(c.confirm[uri], confirmed)
	c.mu.Unlock()
	if err := c.Subscribe(ctx, params); err != nil {
		return err
	}
	within, cancel := context.WithTimeout(ctx, confirmTimeout) // the SDK does not tell of a refusal
	defer cancel()
	select {
	case <-confirmed:
		return nil
	case <-within.Done():
		return errors.Join(refusedf("the server did not confirm the subscription"), ctx.Err(),
			c.Unsubscribe(context.WithoutCancel(ctx), &sdk.UnsubscribeParams{URI: uri}))
	case <-c.ended:
		return sdk.ErrConnectionClosed
	}
}

func (c *connection) acknowledged(p *sdk.SubscriptionsAcknowledgedParams) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, uri := range p.Notifications.ResourceSubscriptions {
		for _, confirmed := range c.confirm[uri] {
			close(confirmed)
		}
		delete(c.confirm, uri)
	}
}
