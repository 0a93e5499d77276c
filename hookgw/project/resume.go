package project

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"manualslop/hookgw/core"
	"manualslop/projections"
)

// switchPatience is how many checks, one per Limits.CatchUp, a project switch may be in progress before this gateway
// finishes it.
const switchPatience = 3

// TendSwitches finishes abandoned project switches: the log was unavailable when they were to be settled, or their
// gateway died and did not return.
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

// openSwitch returns the request of the switch in progress in the current session, or "" if there is none. A closed
// session has no switch, so it need not be kept in memory.
func openSwitch(ctx context.Context, g *core.State) string {
	view, ok := g.Cfg.Models.Session(g.Cfg.Models.Current())
	if !ok || g.Cfg.ProjectFiles == nil || view.Summary().Closed != nil {
		return ""
	}
	var open projections.ProjectSwitch
	if view.Read(ctx, func(s *projections.Set) { open = s.ProjectSwitch() }) != nil {
		return "" // the next check will tell
	}
	return open.Request()
}

// ResumeProject finishes operations of an earlier gateway in the current session: a project switch, or the search for
// the files of a changed project.
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
		err = Retrack(ctx, g, session, "")
	}
	if err != nil && !errors.Is(err, context.Canceled) {
		g.Cfg.Logger.WarnContext(ctx, "an interrupted change of the project could not be "+
			"completed", slog.String("session",
			session), slog.Any("error", err))
	}
}

// ResumeTime limits the time that a starting gateway spends on finishing earlier operations.
const ResumeTime = time.Minute
