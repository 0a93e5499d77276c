package mcp

import (
	"context"
	"encoding/json"
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

// Hooks connect a running request to its caller. A nil hook has no effect.
type Hooks struct {
	// Client owns what the request subscribes to; see [tools.Env.Client].
	Client string
	// Ask passes the server's questions to the user.
	Ask Ask
	// Notify is called with each report of the server during the request, one at a time. With a subscription, it is
	// also called after the request, with changes of the resource.
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
				Text: c.of.short(p.Message, maxNotice)})
		}
	//lint:ignore SA1019 servers of today log
	case *sdk.LoggingMessageParams:
		if e := c.only(); e != nil {
			e.notify(tools.Notice{Kind: events.NoticeLog, Level: c.of.short(string(p.Level), maxMedia),
				Logger: c.of.short(p.Logger, maxToolName), Text: c.of.logged(p.Data)})
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
func (s *session) logged(data any) string {
	raw, err := json.Marshal(data)
	if err == nil && len(raw) <= maxNotice {
		return string(raw)
	}
	short, err := json.Marshal(s.short(string(raw), maxNotice/2))
	if err != nil {
		return `""`
	}
	return string(short)
}

// raw passes on a notification that a program sent, in place of the SDK: it may do that only after the answer of the
// call, so that a call after it would still trust the old list of tools. It returns false for other messages.
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
	case "notifications/tools/list_changed":
		c.toolsChanged()
		return true
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

// notices collects the first notices of a call for its record, and passes every notice on.
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
