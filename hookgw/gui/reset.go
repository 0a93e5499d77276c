package gui

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"manualslop/events"
	"manualslop/hookgw/core"
	"manualslop/projections"
)

// resetReason is the closing reason of a session that a user reset.
const resetReason = "reset"

// reset closes the session and opens another one with the current settings, tools and project. Rules for this session
// only, such as --yes, are not carried over. Of two concurrent resets only one takes effect.
func (r *guiRun) reset() error {
	g, ctx := r.c.Gw, r.c.Request.Context()
	select {
	case g.Resets <- struct{}{}:
		defer func() { <-g.Resets }()
	case <-ctx.Done():
		return ctx.Err()
	}
	// Events that another gateway is still adding to this session are inherited, too.
	if err := finishReset(ctx, g); err != nil {
		return err
	}
	opened, err := lastOpened(ctx, g)
	if err != nil {
		return err
	}
	if r.replaced() {
		return nil
	}
	var carried []events.Payload
	rerr := r.c.Read(r.queued.Session, func(s *projections.Set) {
		carried, err = inherited(s, freeFolder(g, g.Cfg.Clock(), s.Summary().Label))
	})
	if err := errors.Join(rerr, err); err != nil {
		return err
	}
	if r.open() == nil {
		if _, err := r.say(events.SessionClosed{Reason: resetReason}); err != nil {
			return err
		}
	}
	next := successor{g, r.queued, r.said}
	r.said += len(carried)
	return next.begin(ctx, carried, opened)
}

// openings returns the filter for the events that open the project's sessions.
func openings(project string) events.Filter {
	return events.Filter{Project: project, Type: events.NameOf[events.SessionOpened]()}
}

// replaced reports whether another reset has already replaced this session.
func (r *guiRun) replaced() bool {
	view, ok := r.c.Gw.Cfg.Models.Session(r.queued.Session)
	return ok && view.Summary().CloseReason == resetReason && r.c.Gw.Cfg.Models.Current() != r.queued.Session
}

// inherited returns the events that the next session begins with.
func inherited(s *projections.Set, folder string) ([]events.Payload, error) {
	now := s.Settings()
	settings := now.Settings
	settings.Rules = slices.DeleteFunc(slices.Clone(settings.Rules), func(rule events.Rule) bool {
		return rule.Scope == sessionScope
	})
	out := []events.Payload{events.SessionOpened{Label: s.Summary().Label, Folder: folder, Workspace: now.Workspace,
		Basis: now.Basis, Settings: settings}}
	if now.Retrieval != events.DefaultRetrieval() {
		out = append(out, now.Retrieval.Changes())
	}
	if offered := s.Offered(); len(offered.Models) > 0 {
		out = append(out, offered)
	}
	if len(now.Tools) > 0 {
		out = append(out, events.ToolsOffered{Tools: now.Tools})
	}
	project, err := inheritedProject(s)
	return append(out, project...), err
}

// sessionScope is the scope of a rule for its session only.
const sessionScope = "session"

// freeFolder returns a name for a session's log folder that no other session has: YYYYMMDD_HHMMSS[_Label], numbered if
// that is taken.
func freeFolder(g *core.State, at time.Time, label string) string {
	name := at.Format("20060102_150405")
	if label != "" {
		name += "_" + events.Token(label)
	}
	taken := map[string]bool{}
	for _, s := range g.Cfg.Models.Sessions() {
		taken[s.Folder] = true
	}
	free := name
	for n := 2; taken[free]; n++ {
		free = fmt.Sprintf("%s_%d", name, n)
	}
	return free
}
