package project

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"manualslop/hookgw/core"
	"manualslop/projections"
)

// switchPatience is for how many looks, one each Limits.CatchUp, a switch of
// projects may be under way before somebody else finishes it.
const switchPatience = 3

// TendSwitches finishes a switch of projects that nobody is at work on: the log
// was away when it was to be settled, or the gateway that began it died and does
// not come back.
func TendSwitches(ctx context.Context, g *core.State) {
	ticker := time.NewTicker(g.Cfg.Limits.CatchUp)
	defer ticker.Stop()
	request, looks := "", 0
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
		open := openSwitch(ctx, g)
		if open != request {
			request, looks = open, 0
		}
		if looks++; request != "" && looks >= switchPatience {
			ResumeProject(ctx, g)
			looks = 0
		}
	}
}

// openSwitch is the request of the switch under way in the current session;
// empty for none. A closed session has none: it is not held in memory for that.
func openSwitch(ctx context.Context, g *core.State) string {
	view, ok := g.Cfg.Models.Session(g.Cfg.Models.Current())
	if !ok || g.Cfg.ProjectFiles == nil || view.Summary().Closed != nil {
		return ""
	}
	var open projections.ProjectSwitch
	if view.Read(ctx, func(s *projections.Set) { open = s.ProjectSwitch() }) != nil {
		return "" // another look comes
	}
	return open.Request()
}

// ResumeProject finishes what a gateway before this one began in the current
// session: a switch of projects, or finding the files of a changed project.
func ResumeProject(ctx context.Context, g *core.State) {
	session := g.Cfg.Models.Current()
	view, ok := g.Cfg.Models.Session(session)
	if !ok || g.Cfg.ProjectFiles == nil || view.Summary().Closed != nil {
		return
	}
	var open projections.ProjectSwitch
	ctx, cancel := context.WithTimeout(ctx, ResumeTime)
	defer cancel()
	err := view.Read(ctx, func(s *projections.Set) { open = s.ProjectSwitch() })
	switch {
	case err != nil:
	case open.InProgress:
		err = finishSwitch(ctx, g, session, open.Request(), open.PendingPath)
	default:
		err = retrack(ctx, g, session)
	}
	if err != nil && !errors.Is(err, context.Canceled) {
		g.Cfg.Logger.WarnContext(ctx, "what was begun with the project could not be finished", slog.String("session",
			session), slog.Any("error", err))
	}
}

// ResumeTime bounds what a gateway finishes when it starts.
const ResumeTime = time.Minute
