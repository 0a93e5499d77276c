package gui

import (
	"slices"
	"strings"

	"manualslop/events"
	"manualslop/hookgw/wire"
)

// guiButton is a button and its action.
type guiButton struct {
	ID       string
	Aliases  []string
	Doc      string
	UserData string
	closed   bool // also works if the session is closed
	do       func(*guiRun) error
}

func (b guiButton) is(name string) bool {
	return b.ID == name || slices.Contains(b.Aliases, name)
}

// guiButtons returns every button, except those that need a front end.
func guiButtons() []guiButton {
	return slices.Concat(sessionButtons(), projectButtons(), gateButtons(), teamButtons(), ticketButtons())
}

// guiCallbacks returns every callback. Each does the same as the button of the same name without the prefixes btn_
// and mma_.
func guiCallbacks() []wire.GUICallback {
	names := map[string]string{
		"plan_epic": "btn_mma_plan_epic", "accept_tracks": "btn_mma_accept_tracks", "reset_session": "btn_reset_session",
		"pause":  "btn_mma_pause",
		"resume": "btn_mma_resume", "toggle_step_mode": "btn_mma_step_mode", "save_project": "btn_project_save",
		"add_slice": "btn_add_slice", "load_project": "btn_project_load", "gen_send": "btn_gen_send",
		"star_log": "btn_star_log", "unstar_log": "btn_unstar_log",
		"compact_discussion": "btn_compact_discussion", "md_only": "btn_md_only",
		"clear_discussion": "btn_clear_discussion", "kill_ticket": "btn_mma_kill_ticket",
		"retry_ticket": "btn_mma_retry_ticket",
		"block_ticket": "btn_mma_block_ticket", "unblock_ticket": "btn_mma_unblock_ticket",
		"note_ticket": "btn_mma_note_ticket",
	}
	var out []wire.GUICallback
	for _, b := range guiButtons() {
		for name, id := range names { // order-independent: sorted below
			if id == b.ID {
				out = append(out, wire.GUICallback{Name: name, Button: id, Doc: b.Doc})
			}
		}
	}
	slices.SortFunc(out, func(a, b wire.GUICallback) int { return strings.Compare(a.Name, b.Name) })
	return out
}

func buttonNames(all []guiButton) []string {
	var out []string
	for _, b := range all {
		out = append(append(out, b.ID), b.Aliases...)
	}
	return out
}

func callbackNames(all []wire.GUICallback) []string {
	out := make([]string, len(all))
	for i, c := range all {
		out[i] = c.Name
	}
	return out
}

func sessionButtons() []guiButton {
	return []guiButton{
		{ID: "btn_reset_session", Aliases: []string{"btn_reset"}, closed: true, do: (*guiRun).reset,
			Doc: "Closes the session and opens a new one with its current settings, tools and project; field values, " +
				"discussions and plans are not carried over."},
		{ID: "btn_gen_send", Aliases: []string{"btn_gen_and_send", "btn_send"}, do: (*guiRun).genSend,
			Doc: "Adds ai_input to the active discussion and asks its model; every gate applies."},
		{ID: "btn_md_only", Aliases: []string{"btn_md"}, do: (*guiRun).keepContext,
			Doc: "Writes the context of the next turn, with ai_input as its message, to a numbered Markdown file in " +
				"project_output_dir; the event md_generated names it. Nothing is sent."},
		{ID: "btn_compact_discussion", Aliases: []string{"btn_compact"}, do: (*guiRun).compact,
			UserData: `text that says what to keep; without it the model decides`,
			Doc: "Asks the model of the active discussion to summarise all but the last exchange; the discussion " +
				"continues in a take that begins with the summary."},
		{ID: "btn_clear_discussion", Aliases: []string{"btn_disc_clear", "btn_clear_disc"}, do: func(r *guiRun) error {
			_, err := r.say(events.DiscussionChanged{Operation: events.DiscussionReplace, Entries: []byte(`[]`)})
			return err
		}, Doc: "Removes every entry from the discussion."},
		{ID: "btn_star_log", closed: true, do: star(true), Doc: "Keeps the log files of this session."},
		{ID: "btn_unstar_log", closed: true, do: star(false), Doc: "Stops keeping the log files of this session."},
	}
}

func star(on bool) func(*guiRun) error {
	return func(r *guiRun) error {
		_, err := r.say(events.SessionStarred{On: on})
		return err
	}
}
