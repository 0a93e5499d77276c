package projections

import (
	"encoding/json"

	"manualslop/events"
)

// guiTalkFields are those of the original's panels of messages and discussion.
func guiTalkFields() []GUIField {
	return []GUIField{
		{Name: "ai_input", Type: FieldText, Default: "", Doc: "The prompt that btn_gen_send hands to a worker."},
		{Name: "ai_response", Type: FieldText, Doc: "The newest text that a model wrote; empty before the first.",
			Read: func(g *GUISources) any { return g.newestReply() }},
		{Name: "ai_status", Type: FieldText, Doc: "What is under way, such as idle or sending....",
			Read: func(g *GUISources) any { return g.Status().AIStatus }},
		{Name: "disc_entries", Type: FieldList, Doc: "The entries of the discussion; setting replaces them all, as POST " +
			"/api/session does.",
			Read: func(g *GUISources) any { return g.Discussion().Entries },
			Say:  owned(func(entries json.RawMessage) events.Payload { return events.SessionEdited{Entries: entries} })},
		{Name: "session_id", Type: FieldText, Doc: "Id of the session.", Read: func(g *GUISources) any {
			return g.Summary().Session
		}},
		{Name: "session_folder", Type: FieldText, Doc: "Name of the folder of the session's logs.",
			Read: func(g *GUISources) any { return g.Summary().Folder }},
		{Name: "thinking", Aliases: []string{"thinking_indicator"}, Type: FieldBool,
			Doc: "Whether a model or a shell is at work.", Read: func(g *GUISources) any { return g.Diagnostics().Thinking }},
		{Name: "live", Aliases: []string{"operations_live_indicator", "live_indicator"}, Type: FieldBool,
			Doc: "Whether a tool is at work.", Read: func(g *GUISources) any { return g.Diagnostics().Live }},
		{Name: "prior", Aliases: []string{"prior_session_indicator", "prior_indicator", "is_viewing_prior_session"},
			Type: FieldBool, Doc: "Whether the session is over.", Read: func(g *GUISources) any {
				return g.Diagnostics().Prior
			}},
	}
}

// newestReply is the last entry of a model in the discussion.
func (g *GUISources) newestReply() string {
	entries := g.Discussion().Entries
	for i := len(entries) - 1; i >= 0; i-- {
		if entries[i].Role == RoleAI && entries[i].Content != "" {
			return entries[i].Content
		}
	}
	return ""
}
