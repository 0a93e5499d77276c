package gui

import (
	"bytes"
	"cmp"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"manualslop/events"
	"manualslop/hookgw/core"
	"manualslop/hookgw/discussions"
	"manualslop/hookgw/problem"
	"manualslop/hookgw/project"
	"manualslop/hookgw/wire"
	"manualslop/projections"
)

// setValue sets a field. The read model has already set a stored field by applying the task; for a bound field
// setValue publishes the event by which its owner changes.
func (r *guiRun) setValue() error {
	f := projections.GUIFieldOf(r.task.Item)
	if f == nil {
		return unknown("field", r.task.Item, fieldNames())
	}
	if err := f.Check(r.task.Value); err != nil || f.Stored() {
		return err
	}
	if err := r.open(); err != nil {
		return err
	}
	p, err := f.Say(r.task.Value)
	if err != nil {
		return err
	}
	return r.change(p)
}

// change publishes the event of a setter as the field's owner does: changes that need files or a check against the
// current state are treated the same way here.
func (r *guiRun) change(p events.Payload) error {
	session := r.queued.Session
	switch p := p.(type) {
	case events.TierChanged:
		if err := knowsProvider(r.c.Gw, p.Provider); err != nil {
			return err
		}
		if err := r.knowsNames(p); err != nil {
			return err
		}
		return r.changeTier(p)
	case events.RetrievalChanged:
		if err := knowsEmbedder(r.c.Gw, p.Provider); err != nil {
			return err
		}
	case events.ProjectEdited:
		return project.EditProject(r.c, session, p, "")
	case events.ProjectSwitchRequested:
		return project.SwitchTo(r.c, session, project.SwitchRequest{Path: p.Path}, false)
	case events.DiscussionChanged:
		if p.Operation == events.DiscussionReplace {
			return discussions.ReplaceEntries(r.c, session, p.Entries)
		}
		_, err := discussions.AboutDiscussion(r.c, session, p)
		return err
	}
	_, err := r.say(p)
	return err
}

// changeTier publishes a change of a tier. A change of only the provider also selects that provider's models.
func (r *guiRun) changeTier(p events.TierChanged) error {
	if models := r.c.Gw.Cfg.ModelsAt; models != nil && p.Provider != "" && len(p.Models) == 0 {
		if err := r.c.Read(r.queued.Session, func(s *projections.Set) {
			p.Models = models(s.Settings().Tier(cmp.Or(p.Tier, projections.WorkTier)), p.Provider)
		}); err != nil {
			return err
		}
	}
	_, err := r.say(p)
	return err
}

// knowsProvider returns an error for an unknown provider.
func knowsProvider(g *core.State, name string) error {
	all := g.Cfg.Providers
	if name == "" || all == nil || slices.Contains(all, name) {
		return nil
	}
	return problem.New(http.StatusBadRequest, "unknown provider; the known ones are "+strings.Join(all, ", "),
		"Use one of those.")
}

// knowsEmbedder returns an error for a provider without embeddings.
func knowsEmbedder(g *core.State, name *string) error {
	all := g.Cfg.Embedders
	if name == nil || all == nil || slices.Contains(all, events.ProviderName(*name)) {
		return nil
	}
	return fmt.Errorf("%w: it must be a provider that supports embeddings: %s",
		projections.ErrGUIValue, strings.Join(all, ", "))
}

// knowsNames returns an error for a persona or preset that the session does not have.
func (r *guiRun) knowsNames(p events.TierChanged) error {
	var wrong error
	if err := r.c.Read(r.queued.Session, func(s *projections.Set) {
		wrong = p.CheckNames(s.Settings().Roster)
	}); err != nil {
		return err
	}
	if wrong != nil {
		return fmt.Errorf("%w: %w", projections.ErrGUIValue, wrong)
	}
	return nil
}

func fieldNames() []string {
	var out []string
	for _, f := range projections.GUIFields() {
		out = append(append(out, f.Name), f.Aliases...)
	}
	return out
}

// open returns an error if the session is closed and the task needs running roles.
func (r *guiRun) open() error {
	view, ok := r.c.Gw.Cfg.Models.Session(r.queued.Session)
	if ok && view.Summary().Closed != nil {
		return problem.New(http.StatusConflict, "the session is closed",
			"It does no more work; btn_reset_session opens another one.")
	}
	return nil
}

// click runs a button.
func (r *guiRun) click(name string) error {
	all := guiButtons()
	at := slices.IndexFunc(all, func(b guiButton) bool { return b.is(name) })
	if at < 0 {
		return unknown("button", name, buttonNames(all))
	}
	if !all[at].closed {
		if err := r.open(); err != nil {
			return err
		}
	}
	return all[at].do(r)
}

// callback runs a named callback, which is the same as a button.
func (r *guiRun) callback() error {
	all := guiCallbacks()
	at := slices.IndexFunc(all, func(c wire.GUICallback) bool { return c.Name == r.task.Item })
	if at < 0 {
		return unknown("callback", r.task.Item, callbackNames(all))
	}
	return r.click(all[at].Button)
}

// selected checks that the read model stored the selection, which it does while it has room.
func (r *guiRun) selected() error {
	var taken bool
	err := r.c.Read(r.queued.Session, func(s *projections.Set) { taken = s.GUISelected(r.task) })
	if err == nil && !taken {
		err = problem.New(http.StatusBadRequest, "the selection cannot be stored",
			"Use a tab name of up to 128 bytes or an entry of up to 4096; at most 64 tab bars and 64 list boxes have a selection.")
	}
	return err
}

// text returns a JSON value without surrounding space, or "" for a missing value and for null.
func text(raw []byte) []byte {
	if raw = bytes.TrimSpace(raw); bytes.Equal(raw, []byte("null")) {
		return nil
	}
	return raw
}
