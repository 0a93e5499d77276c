package lead

import (
	_ "embed"
	"path"
	"slices"
	"strings"

	"manualslop/events"
	"manualslop/tiers"
	"manualslop/tiers/conversation"
	"manualslop/tiers/fence"
	"manualslop/tiers/planning"
)

// Limits of what the lead sees of a track's modules.
const (
	// MaxModules is the number of files that are shown as curated views.
	MaxModules = 3
	// MaxForeign is the number of further files that are shown as skeletons.
	MaxForeign = 16
)

var (
	//go:embed system.md
	systemPrompt string
	//go:embed review.md
	reviewPrompt string
)

// Names of the first texts of tier 2's prompts: for a plan and for a review.
const (
	textRole   = "lead"
	textReview = "lead-review"
)

// Texts returns the verbatim texts of tier 2's prompts, by name.
func Texts() map[string]string {
	return map[string]string{textRole: systemPrompt + fence.Rule, textReview: reviewPrompt + fence.Rule}
}

// views returns requests for the project's rules, its tree, curated views of the first modules
// that are files, and skeletons of the others.
func views(t events.Track) []events.ViewRequest {
	out := append(tiers.RuleViews(), events.ViewRequest{Path: ".", View: events.ViewTree})
	var shown []string
	for _, m := range t.Modules {
		if len(shown) == MaxModules+MaxForeign || !isFile(m) || slices.Contains(shown, m) {
			continue
		}
		view := events.ViewCurated
		if len(shown) >= MaxModules {
			view = events.ViewSkeleton
		}
		shown = append(shown, m)
		out = append(out, events.ViewRequest{Path: m, View: view, Fallback: true})
	}
	return out
}

// isFile reports whether a module looks like the path of a file in the project.
func isFile(m string) bool {
	ext := path.Ext(m)
	return len(ext) > 1 && ext != m && path.Clean(m) == m && !path.IsAbs(m) && m != ".." &&
		!strings.HasPrefix(m, "../") && !strings.ContainsAny(m, " \t\r\n\\*?")
}

// prompt returns the complete manifest of the first request: rules, the track's brief, the views.
func (s *State) prompt(w *work, built *events.Event, x events.ContextBuilt) *conversation.Thread {
	talk, others := w.job.Opening(&s.desk, textRole, built, x)
	planning.ShowTalks(talk, s.talks[w.goal])
	talk.Open(events.Part{Role: "user", Text: s.brief(w.track)})
	for _, i := range others {
		v := x.Views[i]
		heading := v.Path
		if v.View == events.ViewTree {
			heading = "Project files"
		}
		talk.Show(heading, planning.ViewPart(built, i, v, heading))
	}
	if s.desk.Basis.Decision(events.ActorLead) >= 3 {
		for _, p := range s.goals.Earlier(built.ID, len(x.Views)) {
			talk.Show("earlier goals", p)
		}
	}
	return talk
}

func (s *State) brief(t events.Track) string {
	var b strings.Builder
	b.WriteString("# Track brief\n\n" + t.ID)
	if t.Title != "" {
		b.WriteString(": " + t.Title)
	}
	b.WriteString("\n\n" + t.Description + "\n")
	if t.Severity != "" {
		b.WriteString("\nSeverity: " + t.Severity + "\n")
	}
	list(&b, "Acceptance", t.Acceptance)
	list(&b, "Modules", t.Modules)
	if len(s.order) > 0 {
		b.WriteString("\nTicket ids already taken: " + planning.List(s.order) + "\n")
	}
	return fence.Neutralise(b.String()) + planning.Roster(s.desk.Settings.Roster, "persona_id", "ticket")
}

func list(b *strings.Builder, heading string, items []string) {
	if len(items) == 0 {
		return
	}
	b.WriteString("\n" + heading + ":\n")
	for _, item := range items {
		b.WriteString("- " + item + "\n")
	}
}
