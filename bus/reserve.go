package bus

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	"manualslop/events"
)

// reserve is the part of the log's budget, in bytes, that new work may not use:
// in it what runs comes to its end, and in its second half sessions are closed
// and nothing else. A small log keeps a quarter.
const reserve = 16 << 20

// use says how far into the reserve an event may go.
type use int

const (
	// useNone is of new work, which leaves the reserve alone.
	useNone use = iota + 1
	// useHalf is of what follows from work that runs.
	useHalf
	// useAll is of the ends of sessions, and of outcomes.
	useAll
)

// newWork are the types of event that begin something, or that somebody may
// send without end.
func newWork() []string {
	return []string{
		"SessionOpened", "GoalSubmitted", "TracksAccepted", "GraphMutationRequested", "WorkerSpawnRequested",
		"PatchRequested",
		"RetryRequested", "UndoRequested", "AskPosted", "EventPushed", "GUITaskQueued", "SessionPartUploaded",
		"SessionEdited",
		"DiscussionEntryAdded", "DiscussionEntryEdited", "ContextInjectionRequested", "ProjectEdited",
		"ModelStarted",
	}
}

// endings are the types that end something, beside all outcomes.
func endings() []string {
	return []string{
		"SessionClosed", "AskAnswered", "AskSettled", "KillRequested", "TicketKilled", "PauseRequested", "Paused",
		"SessionStalled", "ShutdownRequested", "StoreFull", "StoreRewritten",
	}
}

// useOf tells how far into the reserve an event of a type may go.
func useOf(typ string) use {
	d, known := events.Catalogue().Lookup(typ)
	switch {
	case slices.Contains(newWork(), typ):
		return useNone
	case slices.Contains(endings(), typ), known && d.Class == events.Outcome:
		return useAll
	}
	return useHalf
}

// Fill is how full the log is.
type Fill struct {
	Bytes, Budget uint64
	// Reserved is set when only the reserve is left, or less.
	Reserved bool
	// Closing is set when only its second half is left, or less.
	Closing bool
}

// Fill asks how full the log is. It needs the rights to read the log.
func (c *Conn) Fill(ctx context.Context) (Fill, error) {
	info, err := c.stream(ctx, StreamEvents)
	if err != nil {
		return Fill{}, fmt.Errorf("fill of the log: %w", err)
	}
	f := Fill{Bytes: info.State.Bytes, Budget: uint64(max(info.Config.MaxBytes, 0))}
	kept := min(reserve, f.Budget/4)
	f.Reserved = f.Budget > 0 && f.Bytes+kept > f.Budget
	f.Closing = f.Budget > 0 && f.Bytes+kept/2 > f.Budget
	c.gauge.set(f)
	return f, nil
}

// A gauge is asked anew after gaugeEvery, or when gaugeBytes were appended.
const (
	gaugeEvery = 250 * time.Millisecond
	gaugeBytes = 64 << 10
)

// gauge is how full the log was when it was last asked.
type gauge struct {
	mu    sync.Mutex
	fill  Fill
	at    time.Time
	since int // bytes that were appended through it
}

func (g *gauge) set(f Fill) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.fill, g.at, g.since = f, time.Now(), 0
}

// add counts bytes that are appended.
func (g *gauge) add(size int) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.since += size
}

// get is the last answer, and whether it may still count.
func (g *gauge) get() (Fill, bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.fill, time.Since(g.at) < gaugeEvery && g.since < gaugeBytes
}

// leaveReserve refuses an event that may not use what is left of the disk or of
// the log's budget. A worker and an agent may not ask how full the log is: a
// worker's events are outcomes, and the gateway asks for its agents. Where the
// answer fails, new work is refused and everything else is appended.
func (c *Conn) leaveReserve(ctx context.Context, typ string, size int) error {
	c.gauge.add(size)
	how := useOf(typ)
	if how == useAll {
		return nil
	}
	if c.room != nil {
		if why := c.room.why(); why != nil {
			return why
		}
	}
	if !c.role.readsLog() {
		return nil
	}
	f, fresh := c.gauge.get()
	if how == useNone || !fresh {
		var err error
		if f, err = c.Fill(ctx); err != nil {
			if how == useNone {
				return err
			}
			return nil
		}
	}
	if how == useNone && f.Reserved || f.Closing {
		return reserved(f)
	}
	return nil
}

func reserved(f Fill) error {
	return fmt.Errorf("%w: %d of %d bytes are used", events.ErrReserve, f.Bytes, f.Budget)
}
