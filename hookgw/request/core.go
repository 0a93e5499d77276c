package request

import (
	"context"
	"iter"
	"log/slog"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"manualslop/events"
	"manualslop/hookgw/access"
	"manualslop/projections"
	"manualslop/projections/past"
)

// Settings are the settings that every request of a gateway needs. All are required.
type Settings struct {
	// Project is the subject token of the project.
	Project string
	// Log has the rights of the gateway and may read everything.
	Log events.Log
	// Models are the read models, Bus the connection behind them.
	Models Models
	Bus    Link
	// Limits are the limits of the gateway; each must be set.
	Limits Limits
	// Clock stamps events, NewID makes their ids.
	Clock func() time.Time
	NewID func() string
	// Masker hides known secrets in bytes that are about to be recorded.
	Masker func([]byte) []byte
	// Logger is for the operator.
	Logger *slog.Logger
	// Own, Person and Agent are the connections of the gateway, of the user and of holders of the ask token.
	Own, Person, Agent Writer
}

// Core is the state that all requests of one gateway share. It receives them and is safe for concurrent use.
type Core struct {
	Settings

	guard    *access.Guard
	table    table
	linked   atomic.Uint64 // the bus link up to whose end the models are current
	bodies   *Bodies       // of requests
	refusals *refusals
	unrouted statusCounts // answers to requests without a route

	// Past has the models that views read, as they were; PastDiscussions has the discussions.
	Past, PastDiscussions *past.Folds
	// Sockets counts the hijacked connections.
	Sockets sync.WaitGroup
	// Stopping is closed when the gateway begins to stop.
	Stopping chan struct{}
	// Tasks are background tasks until the gateway ends.
	Tasks chan func(context.Context)
}

// New returns a Core, which serves nothing until Serve is called.
func New(s Settings, guard *access.Guard) *Core {
	stored := events.NewReplays(s.Log, 2) // one for each kind of past
	read := func(ctx context.Context, session string, from, to uint64) iter.Seq2[events.Event, error] {
		return stored.Read(ctx, events.Filter{Project: s.Project, Session: session}, from, to)
	}
	return &Core{
		Past:            past.New(read, projections.Watched()),
		PastDiscussions: past.New(read, projections.Discussed()),
		Settings:        s, guard: guard, bodies: NewBodies(s.Limits.Bodies), refusals: newRefusals(s.Limits),
		Stopping: make(chan struct{}), Tasks: make(chan func(context.Context)),
	}
}

// Serve sets the routes. Call it once, before the first request.
func (g *Core) Serve(routes []Route) { g.table = newTable(counted(routes)) }

// Start runs a task in the background. The task is dropped if the gateway ends first.
func (g *Core) Start(task func(context.Context)) {
	select {
	case g.Tasks <- task:
	case <-g.Stopping:
	}
}

// ServeHTTP is the entry point of every request.
func (g *Core) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	c := &Call{Core: g, Response: w, Request: r, Right: access.RightNone}
	defer c.ReleaseBody()
	if err := c.serve(); err != nil {
		c.fail(err)
	}
	if !c.handed {
		g.finish(c)
	}
}

// finish counts an answered request and records it.
func (g *Core) finish(c *Call) {
	g.count(c)
	g.record(c)
}
