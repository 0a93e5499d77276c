package mcp

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"manualslop/tools"
)

// connection is one connection to a server, with the server's tools. They are listed once, and again when the
// server reports a change.
type connection struct {
	*sdk.ClientSession
	of *session

	mu       sync.Mutex
	list     []Pin
	failed   error         // why the list could not be read
	ready    chan struct{} // closed while the list is current
	waiting  bool          // a change was reported and is read after settling
	reading  bool
	ended    chan struct{} // closed together with the connection
	tokens   int64
	expected map[int64]*expectation

	confirm map[string][]chan struct{} // subscriptions to be confirmed, by URI
}

// expectation is a call in progress.
type expectation struct {
	ctx    context.Context
	ask    Ask // nil if the server cannot ask
	notify func(tools.Notice)
	*limits

	questions int // number of questions that the server asked; guarded by connection.mu
}

func newConnection(s *session) *connection {
	return &connection{of: s, ready: make(chan struct{}), reading: true, ended: make(chan struct{}),
		expected: map[int64]*expectation{}, confirm: map[string][]chan struct{}{}}
}

// client returns a client for this connection. It declares roots and sampling only if the definition allows them.
func (c *connection) client() *sdk.Client {
	options := &sdk.ClientOptions{Capabilities: &sdk.ClientCapabilities{},
		ToolListChangedHandler: func(context.Context, *sdk.ToolListChangedRequest) { c.toolsChanged() }}
	options.ElicitationHandler = func(ctx context.Context, r *sdk.ElicitRequest) (*sdk.ElicitResult, error) {
		return c.elicit(ctx, r.Params, round{})
	}
	options.Capabilities.Elicitation = &sdk.ElicitationCapabilities{Form: &sdk.FormElicitationCapabilities{},
		URL: &sdk.URLElicitationCapabilities{}}
	if c.of.definition.Sampling {
		//lint:ignore SA1019 current servers still ask for it
		options.CreateMessageHandler = func(ctx context.Context,
			//lint:ignore SA1019 current servers still ask for it
			r *sdk.CreateMessageRequest) (*sdk.CreateMessageResult, error) {
			return c.sample(ctx, r.Params, round{})
		}
	}
	options.MultiRoundTrip = &sdk.MultiRoundTripOptions{Disabled: true} // see connection.rounds
	roots := c.of.definition.Roots
	if len(roots) > 0 || c.of.definition.AskRoots {
		//lint:ignore SA1019 current servers still request roots
		options.Capabilities.RootsV2 = &sdk.RootCapabilities{}
	}
	out := sdk.NewClient(&sdk.Implementation{Name: "slop", Version: "1"}, options)
	out.AddReceivingMiddleware(c.watching)
	if c.of.definition.AskRoots {
		out.AddReceivingMiddleware(c.askingRoots)
	}
	for _, dir := range roots {
		//lint:ignore SA1019 current servers still request roots
		out.AddRoots(rootOf(dir))
	}
	return out
}

// expect returns a token for a call whose progress is recorded until done is called.
func (c *connection) expect(e *expectation) (token int64, done func()) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.tokens++
	token = c.tokens
	c.expected[token] = e
	return token, func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		delete(c.expected, token)
	}
}

// tools returns the list of tools once it is current.
func (c *connection) tools(ctx context.Context) ([]Pin, error) {
	for {
		c.mu.Lock()
		ready := c.ready
		c.mu.Unlock()
		select {
		case <-ready:
		case <-c.ended:
			_, err := c.of.State()
			return nil, errors.Join(sdk.ErrConnectionClosed, err)
		case <-ctx.Done():
			return nil, ctx.Err()
		}
		c.mu.Lock()
		list, err, same := c.list, c.failed, c.ready == ready
		c.mu.Unlock()
		if same {
			return slices.Clone(list), err
		}
	}
}

// toolsChanged schedules a new listing of the tools, once for all changes that arrive within settling.
func (c *connection) toolsChanged() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.waiting {
		return
	}
	c.waiting = true
	select {
	case <-c.ready:
		c.ready = make(chan struct{})
	default:
	}
	if !c.reading {
		c.reading = true
		time.AfterFunc(settling, c.readTools)
	}
}

// readTools lists the tools until nothing changed during a listing. Only one runs at a time.
func (c *connection) readTools() {
	for {
		c.mu.Lock()
		c.waiting = false
		c.mu.Unlock()
		list, err := c.listTools()
		c.mu.Lock()
		c.list, c.failed = list, err
		if !c.waiting {
			c.reading = false
			close(c.ready)
			c.mu.Unlock()
			c.of.listed(c, list, err)
			return
		}
		c.mu.Unlock()
		select {
		case <-time.After(settling):
		case <-c.ended:
			return
		}
	}
}

// listTools reads all pages of the tool list.
func (c *connection) listTools() ([]Pin, error) {
	ctx, cancel := context.WithTimeout(context.Background(), startTimeout)
	defer cancel()
	var out []Pin
	for t, err := range c.Tools(ctx, nil) {
		if err != nil {
			return nil, fmt.Errorf("list the tools of MCP server %s: %w", c.of.definition.Name, err)
		}
		if len(out) == maxTools {
			return nil, fmt.Errorf("MCP server %s has more than %d tools", c.of.definition.Name, maxTools)
		}
		if !c.of.definition.offers(t.Name) {
			continue
		}
		p, err := pinOf(t)
		if err != nil {
			return nil, fmt.Errorf("MCP server %s: tool %q: %w", c.of.definition.Name, t.Name, err)
		}
		out = append(out, p)
	}
	operations, err := operationPins(c.InitializeResult().Capabilities)
	if err != nil {
		return nil, err
	}
	operations = slices.DeleteFunc(operations, func(p Pin) bool { return !c.of.definition.offers(p.Name) })
	out = append(operations, out...) // a tool with the name of an operation is dropped
	slices.SortStableFunc(out, func(a, b Pin) int { return strings.Compare(a.Name, b.Name) })
	return slices.CompactFunc(out, func(a, b Pin) bool { return a.Name == b.Name }), nil
}

// end wakes everything that waits for the connection. It may be called twice.
func (c *connection) end() {
	c.mu.Lock()
	defer c.mu.Unlock()
	select {
	case <-c.ended:
	default:
		close(c.ended)
	}
}

// underWay is the context key of a call's expectation.
type underWay struct{}
