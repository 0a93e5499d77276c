package headless

import (
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"net/http"
	"time"

	"manualslop/events"
	"manualslop/hookgw/core"
	"manualslop/hookgw/feed"
	"manualslop/hookgw/problem"
	"manualslop/hookgw/request"
	"manualslop/hookgw/streams"
	"manualslop/hookgw/team"
	"manualslop/projections"
)

// postWorkerStream adds a worker and streams it.
func postWorkerStream(c *core.Call) error {
	session, err := c.OpenSession()
	if err != nil {
		return err
	}
	if p := c.Only(team.WorkerMembers()...); p != nil {
		return p
	}
	want, err := team.ReadWorker(c)
	if err != nil {
		return err
	}
	at, err := streams.Position(c, session)
	if err != nil {
		return err
	}
	leave, p := c.Gw.Feeds.Enter(c.Right, c.Client())
	if p != nil {
		return p
	}
	defer leave()
	s, err := team.Spawn(c, session, want, "")
	if err != nil {
		return err
	}
	return openWorkerFeed(c, session, s.Ticket, at)
}

// getWorkerStream streams the worker of a ticket.
func getWorkerStream(c *core.Call) error {
	session, err := c.SomeSession()
	if err != nil {
		return err
	}
	ticket := c.Query().Get("ticket")
	known := false
	err = c.Read(session, func(s *projections.Set) {
		_, asked := s.Spawned(ticket)
		_, planned := s.Ticket(ticket)
		known = asked || planned
	})
	switch {
	case err != nil:
		return err
	case !known:
		return problem.New(http.StatusNotFound, "no such ticket",
			"Give a ticket with ?ticket=; GET /api/mma/workers lists the workers.")
	}
	at, err := streams.Position(c, session)
	if err != nil {
		return err
	}
	leave, p := c.Gw.Feeds.Enter(c.Right, c.Client())
	if p != nil {
		return p
	}
	defer leave()
	return openWorkerFeed(c, session, ticket, at)
}

// openWorkerFeed streams a worker from the beginning of its ticket to its end. The client has everything up to at.
func openWorkerFeed(c *core.Call, session, ticket string, at uint64) error {
	var from uint64 = 1
	if err := c.Read(session, func(s *projections.Set) {
		if w, ok := s.Spawned(ticket); ok {
			from = w.Seq
		}
	}); err != nil {
		return err
	}
	if err := request.ClearReadDeadline(c.Response); err != nil {
		return err
	}
	c.Status = http.StatusOK
	c.Response.Header().Set("Content-Type", "text/event-stream")
	c.Response.WriteHeader(http.StatusOK)
	f := &workerFeed{
		call: c, session: session, told: workerEvents{ticket: ticket, asks: map[string]bool{}, calls: map[string]bool{},
			requests: map[string]int{}},
		out: feed.NewSSE(c.Response, c.Gw.Cfg.Limits, at),
	}
	if err := f.run(from); err != nil && c.Request.Context().Err() == nil {
		c.Gw.Cfg.Logger.InfoContext(c.Request.Context(), "feed of a worker ended", "session", session, "ticket", ticket,
			"position", f.out.At, "error", err)
	}
	return nil
}

// workerFeed is one client that watches one worker.
type workerFeed struct {
	call    *core.Call
	session string
	told    workerEvents
	over    feed.Answered // requests whose live text has ended
	out     *feed.SSE
}

// maxDeltas limits the pieces of live text that wait for a client. Further pieces are dropped, because the complete
// text follows.
const maxDeltas = 256

// run sends stored events and then new ones, until the worker ends, the client disconnects or falls behind, or the
// gateway stops.
func (f *workerFeed) run(from uint64) error {
	ctx, cancel := context.WithCancel(f.call.Request.Context())
	defer cancel()
	if err := f.begin(); err != nil {
		return err
	}
	incoming := arrivals(ctx, f.call.Gw.Cfg.Models.Subscribe(ctx, f.session, from))
	deltas := f.deltas(ctx)
	heartbeat := time.NewTicker(f.call.Gw.Cfg.Limits.Heartbeat)
	defer heartbeat.Stop()
	for {
		var err error
		over := false
		select {
		case next := <-incoming:
			if next.err != nil {
				return f.out.Disconnect(streams.ReasonOf(next.err), next.err)
			}
			over, err = f.event(&next.event)
		case text := <-deltas:
			if !f.over.Has(text) {
				err = f.write(0, "delta", text)
			}
		case <-heartbeat.C:
			err = f.out.Heartbeat()
		case <-ctx.Done():
			return ctx.Err()
		case <-f.call.Gw.Stopping:
			return f.out.Disconnect("the gateway is stopping", nil)
		}
		if over || err != nil {
			return err
		}
	}
}

// begin tells the client that spawned the worker which one it is.
func (f *workerFeed) begin() error {
	if err := f.out.Begin(); err != nil {
		return err
	}
	ticket := f.told.ticket
	if err := f.write(0, "worker", map[string]string{"ticket": ticket, "worker_uid": ticket,
		"stream_id": events.WorkerStream(ticket), "session": f.session}); err != nil {
		return err
	}
	return f.out.Flush()
}

// event sends an event of the worker and reports whether it was its end.
func (f *workerFeed) event(e *events.Event) (over bool, err error) {
	f.over.Note(e.Payload)
	kind, body := f.told.tell(e)
	if kind != "" && e.Seq > f.out.At {
		if err := f.write(e.Seq, kind, body); err != nil {
			return false, err
		}
	}
	f.out.At = max(f.out.At, e.Seq)
	if f.told.mayEnd(e) {
		if over, err = f.end(e); over || err != nil {
			return over, err
		}
	}
	return false, f.out.Flush()
}

// end closes the feed if none of the ticket's work continues by itself: a ticket that ended may have been retried
// since.
func (f *workerFeed) end(e *events.Event) (bool, error) {
	if err := f.call.Gw.CaughtUp(f.call.Request.Context(), e.Seq); err != nil {
		return false, err
	}
	over := false
	if err := f.call.Read(f.session, func(s *projections.Set) { over = ended(s, f.told.ticket) }); err != nil || !over {
		return false, err
	}
	out, err := generated(f.call, f.session, f.told.ticket)
	if err != nil {
		return false, err
	}
	if err := f.write(f.out.At, "end", out); err != nil {
		return false, err
	}
	return true, f.out.Flush()
}

// write sends one event, with a sequence if the client can resume after it.
func (f *workerFeed) write(seq uint64, kind string, v any) error {
	body, err := json.Marshal(v)
	if err != nil {
		return err
	}
	id := ""
	if seq > 0 {
		id = fmt.Sprintf("id: %d\n", seq)
	}
	if err := f.out.Send(fmt.Appendf(nil, "event: %s\n%sdata: %s\n\n", kind, id, body)); err != nil {
		return err
	}
	if seq == 0 {
		return f.out.Flush()
	}
	return nil
}

// deltas returns the text that the worker's model is writing, or nil if no source exists.
func (f *workerFeed) deltas(ctx context.Context) <-chan json.RawMessage {
	follow := f.call.Gw.Cfg.Signals
	if follow == nil {
		return nil
	}
	stream := events.WorkerStream(f.told.ticket)
	out := make(chan json.RawMessage, maxDeltas)
	take := func(s feed.Signal) {
		var piece struct {
			StreamID string `json:"stream_id"`
		}
		if s.Name != feed.SignalDelta || json.Unmarshal(s.Body, &piece) != nil || piece.StreamID != stream {
			return
		}
		select {
		case out <- json.RawMessage(append([]byte{}, s.Body...)):
		default:
		}
	}
	f.call.Gw.Start(func(base context.Context) {
		ctx, cancel := context.WithCancel(ctx)
		defer cancel()
		defer context.AfterFunc(base, cancel)()
		if err := follow(ctx, f.session, take); err != nil && ctx.Err() == nil {
			f.call.Gw.Cfg.Logger.InfoContext(ctx, "live text ended", "session", f.session, "error", err)
		}
	})
	return out
}

// arrival is an event of a subscription, or how it ended.
type arrival struct {
	event events.Event
	err   error
}

// arrivals converts a subscription to a channel. While the channel is full, the subscription's own buffer fills, and
// it decides when a reader is too slow.
func arrivals(ctx context.Context, from iter.Seq2[events.Event, error]) <-chan arrival {
	out := make(chan arrival, 64)
	go func() {
		for e, err := range from {
			select {
			case out <- arrival{e, err}:
			case <-ctx.Done():
				return
			}
		}
		select {
		case out <- arrival{err: events.ErrClosed}:
		case <-ctx.Done():
		}
	}()
	return out
}
