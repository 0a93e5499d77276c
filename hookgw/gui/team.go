package gui

import (
	"encoding/json"
	"net/http"
	"slices"
	"strings"

	"manualslop/events"
	"manualslop/hookgw/core"
	"manualslop/hookgw/discussions"
	"manualslop/hookgw/problem"
	"manualslop/hookgw/projectcontext"
	"manualslop/hookgw/wire"
	"manualslop/projections"
)

// teamButtons returns the buttons for the planner and the conductor.
func teamButtons() []guiButton {
	return []guiButton{
		{ID: "btn_mma_plan_epic", Aliases: []string{"btn_plan_epic"}, do: (*guiRun).planEpic,
			Doc: "Submits the epic in mma_epic_input as a goal."},
		{ID: "btn_mma_accept_tracks", Aliases: []string{"btn_accept_tracks"}, do: (*guiRun).acceptTracks,
			UserData: "a list of track ids; none: all proposed tracks",
			Doc:      "Accepts the proposed tracks; those of the same goal that are not listed are dropped."},
		{ID: "btn_mma_pause", Aliases: []string{"btn_pause", "btn_pause_mma", "btn_mma_pause_pipeline"},
			do:  requesting(events.PauseRequested{}, events.NameOf[events.Paused]()),
			Doc: "Starts no more tickets; running ones finish."},
		{ID: "btn_mma_resume", Aliases: []string{"btn_resume", "btn_resume_mma", "btn_mma_resume_pipeline"},
			do: requesting(events.ResumeRequested{}, events.NameOf[events.Resumed]()), Doc: "Ends a pause."},
		{ID: "btn_mma_step_mode", Aliases: []string{"btn_step_mode", "btn_mma_toggle_step_mode", "btn_toggle_step_mode"},
			do: (*guiRun).toggleStepMode, Doc: "Toggles step mode."},
	}
}

// requesting publishes a request to the conductor and waits a moment for its answer. If the conductor rejects it, the
// task fails.
func requesting(p events.Payload, reaction string) func(*guiRun) error {
	return func(r *guiRun) error { return r.request(p, reaction) }
}

func (r *guiRun) request(p events.Payload, reaction string) error {
	e, err := r.say(p)
	if err != nil {
		return err
	}
	_, err = r.c.Answered(e, reaction)
	return err
}

// field returns the text of a field.
func (r *guiRun) field(name string) (string, error) {
	var value string
	err := r.c.Read(r.queued.Session, func(s *projections.Set) {
		raw, ok := s.GUIValue(name).(json.RawMessage)
		if ok && json.Unmarshal(raw, &value) != nil {
			value = ""
		}
	})
	if err == nil && strings.TrimSpace(value) == "" {
		err = problem.New(http.StatusBadRequest, "the field "+name+" is empty",
			`Set it first: {"action": "set_value", "item": "`+name+`", "value": "…"}.`)
	}
	return value, err
}

func (r *guiRun) planEpic() error {
	goal, err := r.field("mma_epic_input")
	if err != nil {
		return err
	}
	if len(goal) > events.MaxInline {
		return problem.New(http.StatusRequestEntityTooLarge, "the epic is too long", "Use at most 64 KiB.")
	}
	_, err = r.say(events.GoalSubmitted{Goal: goal, Plan: r.c.Gw.Cfg.PlanReview})
	return err
}

func (r *guiRun) genSend() error {
	prompt, err := r.field("ai_input")
	if err != nil {
		return err
	}
	p, err := discussions.Turn(r.c, r.queued.Session, events.TurnRequested{Text: prompt})
	if err != nil {
		return err
	}
	_, err = r.say(p)
	return err
}

// keepContext saves the context of the next turn as a file in the project.
func (r *guiRun) keepContext() error {
	files, err := r.c.Gw.Files()
	if err != nil {
		return err
	}
	var words, folder, name string
	if err := r.c.Read(r.queued.Session, func(s *projections.Set) {
		folder, name = s.ProjectOutput()
		if raw, ok := s.GUIValue("ai_input").(json.RawMessage); !ok || json.Unmarshal(raw, &words) != nil {
			words = ""
		}
	}); err != nil {
		return err
	}
	made, err := projectcontext.Preview(r.c, r.queued.Session, wire.ContextWanted{Turn: events.TurnRequested{
		Text: strings.TrimSpace(words)}})
	if err != nil {
		return err
	}
	path, err := files.KeepContext(r.c.Request.Context(), folder, name, made.Markdown)
	if err != nil {
		return core.ProblemOf(err)
	}
	payload, err := json.Marshal(map[string]any{"path": path, "sha256": made.SHA256, "tokens": made.Tokens})
	if err != nil {
		return err
	}
	_, err = r.say(events.EventPushed{Kind: "md_generated", Payload: payload})
	return err
}

// compact asks for a summary of the active discussion.
func (r *guiRun) compact() error {
	var words string
	if data := text(r.task.UserData); len(data) > 0 && json.Unmarshal(data, &words) != nil {
		return problem.New(http.StatusBadRequest, "user_data is not a "+
			"string", `Send text that says what to keep, such as "the decisions".`)
	}
	p, err := discussions.Compact(r.c, r.queued.Session, events.TurnRequested{Text: words}, projections.LastExchange)
	if err != nil {
		return err
	}
	_, err = r.say(p)
	return err
}

func (r *guiRun) toggleStepMode() error {
	var on bool
	if err := r.c.Read(r.queued.Session, func(s *projections.Set) { on = s.MMAStatus().StepMode }); err != nil {
		return err
	}
	_, err := r.say(events.StepModeSet{On: !on})
	return err
}

// acceptTracks accepts the proposed tracks of one goal after another.
func (r *guiRun) acceptTracks() error {
	var named []string
	if data := text(r.task.UserData); len(data) > 0 && json.Unmarshal(data, &named) != nil {
		return problem.New(http.StatusBadRequest, "user_data is not a list of track ids",
			"GET /api/gui/mma_status lists proposed_tracks.")
	}
	var proposed []projections.TrackState
	if err := r.c.Read(r.queued.Session, func(s *projections.Set) {
		proposed = s.MMAStatus().ProposedTracks
	}); err != nil {
		return err
	}
	for _, id := range named {
		if !slices.ContainsFunc(proposed, func(t projections.TrackState) bool { return t.ID == id }) {
			return unknown("proposed track", id, trackIDs(proposed))
		}
	}
	if len(proposed) == 0 {
		return problem.New(http.StatusConflict, "no tracks are proposed",
			"Submit an epic first; tracks wait for approval only if plan_review is on.")
	}
	var goals []string
	for _, t := range proposed {
		if !slices.Contains(goals, t.Goal) && (len(named) == 0 || slices.Contains(named, t.ID)) {
			goals = append(goals, t.Goal)
		}
	}
	for _, goal := range goals {
		of := slices.DeleteFunc(slices.Clone(named), func(id string) bool {
			return !slices.ContainsFunc(proposed, func(t projections.TrackState) bool { return t.ID == id && t.Goal == goal })
		})
		if _, err := r.say(events.TracksAccepted{Goal: goal, Tracks: of}); err != nil {
			return err
		}
	}
	return nil
}

func trackIDs(tracks []projections.TrackState) []string {
	out := make([]string, len(tracks))
	for i, t := range tracks {
		out[i] = t.ID
	}
	return out
}
