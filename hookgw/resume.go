package hookgw

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"manualslop/projections"
)

// resume finishes what gateways before this one began.
func (g *Gateway) resume(ctx context.Context) {
	limited, cancel := context.WithTimeout(ctx, resumeTime)
	defer cancel()
	if err := g.FinishReset(limited); err != nil && !errors.Is(err, context.Canceled) {
		g.cfg.Logger.WarnContext(ctx, "a reset that was begun could not be finished", slog.Any("error", err))
	}
	g.resumeProject(ctx)
	g.tendSwitches(ctx)
}

// switchPatience is for how many looks, one each Limits.CatchUp, a switch of
// projects may be under way before somebody else finishes it.
const switchPatience = 3

// tendSwitches finishes a switch of projects that nobody is at work on: the log
// was away when it was to be settled, or the gateway that began it died and does
// not come back.
func (g *Gateway) tendSwitches(ctx context.Context) {
	ticker := time.NewTicker(g.cfg.Limits.CatchUp)
	defer ticker.Stop()
	request, looks := "", 0
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
		open := g.openSwitch(ctx)
		if open != request {
			request, looks = open, 0
		}
		if looks++; request != "" && looks >= switchPatience {
			g.resumeProject(ctx)
			looks = 0
		}
	}
}

// openSwitch is the request of the switch under way in the current session;
// empty for none. A closed session has none: it is not held in memory for that.
func (g *Gateway) openSwitch(ctx context.Context) string {
	view, ok := g.cfg.Models.Session(g.cfg.Models.Current())
	if !ok || g.cfg.ProjectFiles == nil || view.Summary().Closed != nil {
		return ""
	}
	var open projections.ProjectSwitch
	if view.Read(ctx, func(s *projections.Set) { open = s.ProjectSwitch() }) != nil {
		return "" // another look comes
	}
	return open.Request()
}

// resumeProject finishes what a gateway before this one began in the current
// session: a switch of projects, or finding the files of a changed project.
func (g *Gateway) resumeProject(ctx context.Context) {
	session := g.cfg.Models.Current()
	view, ok := g.cfg.Models.Session(session)
	if !ok || g.cfg.ProjectFiles == nil || view.Summary().Closed != nil {
		return
	}
	var open projections.ProjectSwitch
	ctx, cancel := context.WithTimeout(ctx, resumeTime)
	defer cancel()
	err := view.Read(ctx, func(s *projections.Set) { open = s.ProjectSwitch() })
	switch {
	case err != nil:
	case open.InProgress:
		err = g.finishSwitch(ctx, session, open.Request(), open.PendingPath)
	default:
		err = g.retrack(ctx, session)
	}
	if err != nil && !errors.Is(err, context.Canceled) {
		g.cfg.Logger.WarnContext(ctx, "what was begun with the project could not be finished", slog.String("session", session), slog.Any("error", err))
	}
}

// resumeTime bounds what a gateway finishes when it starts.
const resumeTime = time.Minute
