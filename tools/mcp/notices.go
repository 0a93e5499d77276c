package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"manualslop/events"
	"manualslop/tools"
)

// Limits of the notices of one call.
const (
	maxNotices = 1000    // passed on; further ones are dropped
	maxNotice  = 1 << 10 // bytes of its text
)

// confirmTimeout is how long a server may take to confirm a log level, or in the newer protocol a subscription.
const confirmTimeout = 5 * time.Second

// Hooks lead from a running request back to its caller. A nil hook has no effect.
type Hooks struct {
	// Ask passes questions of the server to a person.
	Ask Ask
	// Notify is called with what the server reports during the request, one after the other. With a subscription it
	// is called with changes of the resource, also after the request.
	Notify func(tools.Notice)
}

// noticed passes a notification on. It is called for one notification after the other.
func (c *connection) noticed(params any) {
	switch p := params.(type) {
	case *sdk.ProgressNotificationParams:
		token, _ := p.ProgressToken.(float64)
		c.mu.Lock()
		e := c.expected[int64(token)]
		c.mu.Unlock()
		if e != nil {
			e.progress()
			e.notify(tools.Notice{Kind: events.NoticeProgress, Progress: p.Progress, Total: p.Total,
				Text: clean(p.Message, maxNotice)})
		}
	//lint:ignore SA1019 servers of today log
	case *sdk.LoggingMessageParams:
		if e := c.only(); e != nil {
			e.notify(tools.Notice{Kind: events.NoticeLog, Level: clean(string(p.Level), maxMedia),
				Logger: clean(p.Logger, maxToolName), Text: logged(p.Data)})
		}
	case *sdk.ResourceUpdatedNotificationParams:
		c.of.resourceUpdated(p.URI)
	case *sdk.SubscriptionsAcknowledgedParams:
		c.acknowledged(p)
	}
}

// only returns the running call if there is exactly one: a log message does not name its call, and may not reach the
// client of another.
func (c *connection) only() *expectation {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.expected) != 1 {
		return nil
	}
	for _, e := range c.expected {
		return e
	}
	return nil
}

// logged returns the data of a log message as JSON.
func logged(data any) string {
	raw, err := json.Marshal(data)
	if err == nil && len(raw) <= maxNotice {
		return string(raw)
	}
	short, err := json.Marshal(clean(string(raw), maxNotice/2))
	if err != nil {
		return `""`
	}
	return string(short)
}

// raw passes on a notification that a program sent, in place of the SDK: it would do that after the answer of the
// call. It returns false for other messages.
func (c *connection) raw(m jsonrpc.Message) bool {
	r, is := m.(*jsonrpc.Request)
	if !is || r.ID.IsValid() {
		return false
	}
	var params any
	switch r.Method {
	case "notifications/progress":
		params = &sdk.ProgressNotificationParams{}
	case "notifications/message":
		//lint:ignore SA1019 current servers still log
		params = &sdk.LoggingMessageParams{}
	default:
		return false
	}
	if json.Unmarshal(r.Params, params) == nil {
		c.noticed(params)
	}
	return true
}

// watching is the receiving middleware for notifications. Those of a program that belong to a call do not come here;
// see raw.
func (c *connection) watching(next sdk.MethodHandler) sdk.MethodHandler {
	return func(ctx context.Context, method string, r sdk.Request) (sdk.Result, error) {
		c.noticed(r.GetParams())
		return next(ctx, method, r)
	}
}

// notices collects the first notices of a call for its record, and passes all on.
type notices struct {
	on func(tools.Notice)

	mu   sync.Mutex
	n    int
	kept []tools.Notice
}

func (n *notices) add(one tools.Notice) {
	if one.Kind == events.NoticeUpdated { // it belongs to the subscription, which outlives the call
		if n.on != nil {
			n.on(one)
		}
		return
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.n == maxNotices {
		return
	}
	n.n++
	one.N = n.n
	if len(n.kept) < events.MaxNotices {
		n.kept = append(n.kept, one)
	}
	if n.on != nil {
		n.on(one)
	}
}

func (n *notices) list() []tools.Notice {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.kept
}

// listen asks a server of the older protocol for all log messages. A failure only means that there are none.
func (c *connection) listen() {
	has := c.InitializeResult().Capabilities
	//lint:ignore SA1019 current servers still log
	if c.modern() || has == nil || has.Logging == nil {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), confirmTimeout)
	defer cancel()
	//lint:ignore SA1019 current servers still log
	_ = c.SetLoggingLevel(ctx, &sdk.SetLoggingLevelParams{Level: "debug"})
}

// modern reports whether the connection uses the protocol without sessions.
func (c *connection) modern() bool { return c.InitializeResult().ProtocolVersion > legacy }

// subscription is a resource whose changes are reported.
type subscription struct {
	holders int
	notify  func(tools.Notice)
	waiting bool // a change is reported after settling
}

// follow counts a subscription. It reports whether it is the first to the resource.
func (s *session) follow(uri string, notify func(tools.Notice)) (first bool, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := s.subscriptions[uri]
	if first = now == nil; first {
		if len(s.subscriptions) == maxSubscriptions {
			return false, fmt.Errorf("at most %d resources of a server can be subscribed to", maxSubscriptions)
		}
		if s.subscriptions == nil {
			s.subscriptions = map[string]*subscription{}
		}
		now = &subscription{}
		s.subscriptions[uri] = now
	}
	now.holders++
	now.notify = notify
	return first, nil
}

// unfollow forgets one subscription to a resource, or all. It reports whether it was the last.
func (s *session) unfollow(uri string, all bool) (last bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := s.subscriptions[uri]
	if now == nil {
		return false
	}
	if now.holders--; now.holders > 0 && !all {
		return false
	}
	delete(s.subscriptions, uri)
	return true
}

// resourceUpdated reports a change, once for all changes of a resource within settling.
func (s *session) resourceUpdated(uri string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := s.subscriptions[uri]
	if now == nil || now.waiting || now.notify == nil {
		return
	}
	now.waiting = true
	time.AfterFunc(settling, func() {
		s.mu.Lock()
		now.waiting = false
		notify := now.notify
		s.mu.Unlock()
		notify(tools.Notice{Kind: events.NoticeUpdated, Server: s.definition.Name, Text: uri})
	})
}

// subscribeAgain repeats the subscriptions on a new connection.
func (s *session) subscribeAgain(c *connection) {
	s.mu.Lock()
	var uris []string
	for uri := range s.subscriptions {
		uris = append(uris, uri)
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
