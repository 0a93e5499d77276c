package runtime

import (
	"context"
	"encoding/json"
	"fmt"
	"sync"
	"time"

	"manualslop/events"
	"manualslop/tiers"
	"manualslop/tools"
)

// Limits of the texts recorded for external servers, in bytes.
const (
	maxServerName = 200
	maxServerSaid = 4 << 10
)

// maxBlock limits one text inside events.Content. maxBlocks limits all such texts of an outcome together, and the
// differences of a server state. Both are in bytes of JSON.
const (
	maxBlock  = 1 << 10
	maxBlocks = 32 << 10
)

// maxToolDiffs limits the number of tools that a recorded server state names.
const maxToolDiffs = 100

// reportWait limits how long storing a server state may take.
const reportWait = 10 * time.Second

// reports queues states of external servers and writes them to the log in order.
type reports struct {
	mu      sync.Mutex
	waiting []func()
	busy    bool
}

// add runs write after the writes that are waiting.
func (r *reports) add(write func()) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.waiting = append(r.waiting, write)
	if r.busy {
		return
	}
	r.busy = true
	go func() {
		for {
			r.mu.Lock()
			if len(r.waiting) == 0 {
				r.busy = false
				r.mu.Unlock()
				return
			}
			next := r.waiting[0]
			r.waiting = r.waiting[1:]
			r.mu.Unlock()
			next()
		}
	}()
}

// watchServer returns a function that records the states of a call's external server, even after
// the call has ended.
func (w *Worker) watchServer(ctx context.Context, cause *events.Event) func(tools.ServerState) {
	ctx = context.WithoutCancel(ctx)
	return func(s tools.ServerState) {
		e := events.MCPServerChanged{Server: tiers.Clip(s.Server, maxServerName), State: s.State,
			Error: tiers.Clip(w.mask(s.Error), maxServerSaid)}
		room := maxBlocks
		for _, t := range s.Tools[:min(len(s.Tools), maxToolDiffs)] {
			diff := tiers.Clip(w.mask(t.Diff), maxServerSaid)
			if room -= encoded(diff); room < 0 {
				diff = ""
			}
			e.Tools = append(e.Tools, events.MCPToolChange{Name: tiers.Clip(t.Name, maxServerName), State: t.State, Diff: diff})
		}
		w.reports.add(func() {
			ctx, cancel := context.WithTimeout(ctx, reportWait)
			defer cancel()
			if _, err := w.record(ctx, cause, e); err != nil {
				w.Logger.Warn("a state change of an external server could not be recorded", "server", e.Server, "state",
					e.State, "error", err)
			}
		})
	}
}

// askPerson returns a function that records a question of an external server and waits for the user's answer.
func (w *Worker) askPerson(cause *events.Event, call string) func(context.Context, tools.Question) (tools.Answer,
	error) {
	return func(ctx context.Context, q tools.Question) (tools.Answer, error) {
		ctx, cancel := context.WithCancel(ctx)
		defer cancel()
		asked := events.InputRequested{Call: call, Server: tiers.Clip(q.Server, maxServerName),
			Message: tiers.Clip(w.mask(q.Message), maxServerSaid), URL: tiers.Clip(w.mask(q.URL), maxServerSaid),
			Origin: tiers.Clip(q.Origin, maxServerSaid), Roots: q.Roots, Key: tiers.Clip(w.mask(q.Key), maxServerName), Of: q.Of}
		if masked := w.mask(string(q.Schema)); json.Valid([]byte(masked)) {
			asked.Schema = json.RawMessage(masked)
		}
		if masked := w.mask(string(q.Sampling)); json.Valid([]byte(masked)) {
			asked.Sampling = json.RawMessage(masked)
		}
		request, err := w.record(ctx, cause, asked)
		if err != nil {
			return tools.Answer{}, err
		}
		settled, err := w.untilSettled(ctx, request)
		if err != nil || settled.Outcome != events.Yes {
			return tools.Answer{}, err
		}
		out := tools.Answer{Accepted: true}
		if len(settled.Args) > 0 {
			err = json.Unmarshal(settled.Args, &out.Content)
		}
		return out, err
	}
}

// untilSettled waits until the ask of a question is settled. It follows the live feed, and reads the log
// in case the feed was interrupted.
func (w *Worker) untilSettled(ctx context.Context, request events.Event) (events.AskSettled, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	id := events.InputAsk(request)
	f := events.Filter{Project: request.Project, Session: request.Session, Actor: events.ActorApproval,
		Type: events.NameOf[events.AskSettled]()}
	found := make(chan events.AskSettled, 1)
	take := func(e events.Event) {
		if s, ok := e.Payload.(events.AskSettled); ok && s.Ask == id {
			select {
			case found <- s:
			default:
			}
		}
	}
	var live sync.WaitGroup
	defer live.Wait()
	defer cancel()
	live.Go(func() {
		for ctx.Err() == nil {
			if w.Live != nil {
				_ = w.Live.Follow(ctx, f, take) // reading the log finds what the feed missed
			}
			if pause(ctx, retryPause) != nil {
				return
			}
		}
	})
	const look = 5 * time.Second
	var seen uint64
	for {
		if err := w.readSettled(ctx, f, &seen, take); err != nil && ctx.Err() == nil {
			w.Logger.Warn("looking for the answer to an external server again", "ask", id, "error", err)
		}
		select {
		case s := <-found:
			return s, nil
		case <-ctx.Done():
			return events.AskSettled{}, ctx.Err()
		case <-time.After(look):
		}
	}
}

// readSettled passes the settled asks of a session after the position seen.
func (w *Worker) readSettled(ctx context.Context, f events.Filter, seen *uint64, take func(events.Event)) error {
	last, found, err := w.Log.LastEvent(ctx, f)
	if err != nil || !found || last.Seq <= *seen {
		return err
	}
	registry := events.Catalogue()
	for e, err := range w.Log.Read(ctx, f, *seen+1, 0) {
		if err != nil {
			return err
		}
		registry.Decode(&e)
		take(e)
		*seen = e.Seq
	}
	return nil
}

// passOn returns a function that sends the reports of a call's external server to whoever listens.
func (w *Worker) passOn(ctx context.Context, cause *events.Event, call string) func(tools.Notice) {
	if w.Signals == nil {
		return nil
	}
	ctx = context.WithoutCancel(ctx)
	return func(n tools.Notice) {
		body, err := json.Marshal(events.NoticeSignal{Call: call, Server: n.Server, ServerNotice: w.notice(n)})
		if err == nil {
			err = w.Signals.Signal(ctx, cause.Project, cause.Session, w.Name, events.SignalNotice, body)
		}
		if err != nil {
			w.Logger.Debug("cannot pass on a report of an external server", "error", err)
		}
	}
}

// notice returns the recorded form of a report, masked.
func (w *Worker) notice(n tools.Notice) events.ServerNotice {
	return events.ServerNotice{N: n.N, Kind: n.Kind, Progress: n.Progress, Total: n.Total, Level: w.mask(n.Level),
		Logger: w.mask(n.Logger), Text: w.mask(n.Text)}
}

// contents returns the recorded form of the blocks of a result, masked like everything that leaves the worker.
// Bytes and long texts are stored. A block that cannot be stored becomes a text that says so.
func (w *Worker) contents(ctx context.Context, blocks []tools.Content) []events.Content {
	var out []events.Content
	room := maxBlocks
	for _, b := range blocks {
		c := events.Content{Kind: b.Kind, Text: w.mask(b.Text), Media: w.mask(b.Media), URI: w.mask(b.URI),
			Name: w.mask(b.Name)}
		data, media := b.Data, events.ContentBytesMedia
		if w.Mask != nil {
			data = w.Mask(data)
		}
		if size := encoded(c.Text); len(c.Text) > maxBlock || size > room {
			data, c.Text, media = []byte(c.Text), "", events.ContentTextMedia
		} else {
			room -= size
		}
		if len(data) > 0 {
			ref, err := w.Blobs.Put(ctx, data, media)
			if err != nil {
				w.Logger.Warn("cannot store a block of a result", "kind", c.Kind, "bytes", len(data), "error", err)
				c = events.Content{Kind: events.ContentText,
					Text: fmt.Sprintf("[%s of %d bytes could not be stored]", c.Kind, len(data))}
			} else {
				c.Blob = &ref
			}
		}
		out = append(out, c)
	}
	return out
}
