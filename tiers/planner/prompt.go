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
	text := "# Goal\n\n" + s.goal.text + "\n"
	if len(s.taken.order) > 0 {
		text += "\nTrack ids already taken: " + planning.List(s.taken.order) + "\n"
	}
	text += planning.Roster(s.desk.Settings.Roster, "persona", "track")
	talk.Open(events.Part{Role: "user", Text: text})
	return talk
}
