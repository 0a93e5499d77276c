package engine

import (
	"context"
	"errors"
	"time"

	"manualslop/bus"
	"manualslop/events"
)

// fillEvery is how often the engine checks how full the log is.
const fillEvery = time.Second

// watchFill keeps a connection informed about how full the log is, for its Room.
func (e *Engine) watchFill(ctx context.Context, conn *bus.Conn) error {
	tick := time.NewTicker(fillEvery)
	defer tick.Stop()
	for {
		if _, err := conn.Fill(ctx); err != nil && ctx.Err() == nil {
			e.Logger.Debug("cannot read how full the log is", "error", err)
		}
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
		}
	}
}

// watchReserve records, once per limit, that only the reserve of the log is left. An engine of slop run ends in that
// case: nothing new can begin until a user makes room, and that requires that no engine is running.
func (e *Engine) watchReserve(ctx context.Context, conn *bus.Conn) error {
	tick := time.NewTicker(fillEvery)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
		}
		err := e.noteReserve(ctx, conn)
		if full := conn.Room(); e.OneGoal && errors.Is(full, events.ErrReserve) {
			return full
		}
		if err != nil && ctx.Err() == nil {
			e.Logger.Debug("cannot read how full the log is", "error", err)
		}
	}
}

func (e *Engine) noteReserve(ctx context.Context, conn *bus.Conn) error {
	fill, err := conn.Fill(ctx)
	if err != nil || !fill.Reserved {
		return err
	}
	full := events.StoreFull{Bytes: fill.Bytes, Budget: fill.Budget}
	f := events.Filter{Project: e.Name, Session: events.StoreSession, Actor: events.ActorTimers,
		Type: full.EventType().Name}
	last, found, err := conn.LastEvent(ctx, f)
	if err != nil {
		return err
	}
	if found {
		events.Catalogue().Decode(&last)
		if p, ok := last.Payload.(events.StoreFull); ok && p.Budget == full.Budget {
			return nil
		}
	}
	e.Logger.Error("only the log's reserve is left, so no new work starts", "bytes", fill.Bytes, "budget",
		fill.Budget)
	origin := events.Origin{ID: NewID(), Time: time.Now(), Project: e.Name, Session: events.StoreSession,
		Actor: events.ActorTimers}
	note, err := events.New(origin, full)
	if err != nil {
		return err
	}
	_, err = conn.Append(ctx, note, nil)
	return err
}
