package planner

import (
	_ "embed"
	"errors"
	"fmt"

	"manualslop/events"
	"manualslop/events/chars"
	"manualslop/tiers"
	"manualslop/tiers/conversation"
	"manualslop/tiers/fence"
	"manualslop/tiers/planning"
)

// MaxGoalBytes limits the size of a goal; a longer one leads to PlanningFailed.
const MaxGoalBytes = events.MaxInline

//go:embed system.md
var systemPrompt string

// textRole is the name of the first text of every tier 1 prompt.
const textRole = "planner"

// Texts returns the verbatim texts of tier 1's prompts, by name.
func Texts() map[string]string { return map[string]string{textRole: systemPrompt + fence.Rule} }

// views returns requests for the views that tier 1 may see.
func views() []events.ViewRequest {
	return append(tiers.RuleViews(),
		events.ViewRequest{Path: ".", View: events.ViewTree}, events.ViewRequest{Path: "README.md", View: events.ViewRaw})
}

func checkGoal(text string) error {
	switch {
	case chars.Trim(text) == "":
		return errors.New("the goal is empty")
	case len(text) > MaxGoalBytes:
		return fmt.Errorf("the goal is %d bytes long, at most %d are allowed", len(text), MaxGoalBytes)
	}
	return nil
}

// needsTracks returns why one ticket cannot be enough for the current goal, or "".
func (s *State) needsTracks() string {
	switch {
	case s.goal.reviewed || s.desk.Settings.PlanReview:
		return "the user reviews its plan"
	case len(s.goal.text) > events.MaxWorkerPrompt:
		return "its text is too long for a ticket"
	}
	return ""
}

// orSolo tells tier 1 how to say that one ticket is enough.
const orSolo = `
If one contributor can do all of this at once, as a change in a few files that needs no order, there is nothing to plan. Then answer with this alone:

[{"one_ticket": true}]

The contributor gets the words of the goal as they are.
`

// prompt returns the complete manifest of the first request: rules, project, goal. Missing
// documents are left out.
func (s *State) prompt(built *events.Event, x events.ContextBuilt) *conversation.Thread {
	talk, others := s.job.Opening(&s.desk, textRole, built, x)
	for _, i := range others {
		switch v := x.Views[i]; {
		case v.View == events.ViewTree:
			talk.Show("Project files", planning.ViewPart(built, i, v, "Project files"))
		case v.Error == "":
			talk.Show(v.Path, planning.ViewPart(built, i, v, v.Path))
		}
	}
	knows := s.desk.Basis.Decision(events.ActorPlanner) >= 2
	if knows {
		for _, p := range s.goals.Earlier(built.ID, len(x.Views)) {
			talk.Show("earlier goals", p)
		}
	}
	planning.ShowTalks(talk, s.talks[s.goal.id])
	text := "# Goal\n\n" + s.goal.text + "\n"
	if len(s.taken.order) > 0 {
		text += "\nTrack ids already taken: " + planning.List(s.taken.order) + "\n"
	}
	text += planning.Roster(s.desk.Settings.Roster, "persona", "track")
	if knows && s.needsTracks() == "" {
		text += orSolo
	}
	talk.Open(events.Part{Role: "user", Text: text})
	return talk
}
