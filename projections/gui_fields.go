package projections

import (
	"encoding/json"
	"strconv"

	"manualslop/events"
)

// guiViewFields returns the fields for the state of the original system's window, which the engine
// only stores for a front end.
func guiViewFields() []GUIField {
	return []GUIField{
		{Name: "show_windows", Type: FieldObject, Default: map[string]bool{},
			Doc: "Which windows of a front end are open, by title."},
	}
}

// guiRetrievalFields returns the fields of the original system's panel for retrieval.
func guiRetrievalFields() []GUIField {
	return []GUIField{
		{Name: "rag_enabled", Type: FieldBool, Doc: "Whether a turn of a discussion shows the model passages of the project's " +
			"files that match the message.",
			Read: func(g *GUISources) any { return g.Now().Retrieval.Enabled },
			Say:  owned(func(on bool) events.Payload { return events.RetrievalChanged{Enabled: &on} })},
		{Name: "rag_source", Type: FieldText, Values: events.RetrievalSources(), Doc: "How passages are found: chroma " +
			"compares the vectors of texts, which are kept in the engine's folder; text ranks by the words of the message.",
			Read: func(g *GUISources) any { return g.Now().Retrieval.Source },
			Say:  owned(func(v string) events.Payload { return events.RetrievalChanged{Source: &v} })},
		{Name: "rag_emb_provider", Type: FieldText, Doc: "The provider of the vectors, to which the texts of the project's " +
			"files are sent if rag_source is chroma.",
			Read: func(g *GUISources) any { return g.Now().Retrieval.Provider },
			Say:  owned(func(v string) events.Payload { return events.RetrievalChanged{Provider: &v} })},
		{Name: "rag_emb_model", Type: FieldText, Doc: "The model that computes the vectors; empty for the provider's default.",
			Read: func(g *GUISources) any { return g.Now().Retrieval.Model },
			Say:  owned(func(v string) events.Payload { return events.RetrievalChanged{Model: &v} })},
		{Name: "rag_top_k", Type: FieldInteger, Doc: "Maximum number of passages for a turn, 1 to 20.",
			Read: func(g *GUISources) any { return g.Now().Retrieval.TopK },
			Say:  owned(func(v whole) events.Payload { return events.RetrievalChanged{TopK: v.ptr()} })},
	}
}

// WorkTier is the tier to which the fields refer that the original system had only once: the tier
// that works on tickets.
const WorkTier = 3

// guiModelFields returns the fields of the original system's provider and model panel. Setting one
// sets all four tiers; reading one reads tier 3.
func guiModelFields() []GUIField {
	return []GUIField{
		{Name: "current_provider", Aliases: []string{"provider"}, Type: FieldText,
			Doc: "The provider that the next model call of every tier uses, with a model of its own if the old one is " +
				"another provider's; reading returns that of tier 3.",
			Read: func(g *GUISources) any { return g.Now().Tier(WorkTier).Provider },
			Say:  owned(func(name string) events.Payload { return events.TierChanged{Provider: events.ProviderName(name)} })},
		{Name: "current_model", Aliases: []string{"model"}, Type: FieldText, Doc: "The model that the next call of every " +
			"tier uses instead of its whole ladder; reading returns the first of tier 3.",
			Read: func(g *GUISources) any { return g.Now().Tier(WorkTier).Model(0) },
			Say:  owned(func(name string) events.Payload { return events.TierChanged{Models: []string{name}} })},
		{Name: "gcli_path", Aliases: []string{"gemini_cli_path"}, Type: FieldText,
			Doc: "Absolute path of the program that the provider gemini_cli runs, with arguments if it has any " +
				"(words with blanks in double quotes); empty for gemini in PATH.",
			Read: func(g *GUISources) any { return g.Now().Command(events.ProviderGeminiCLI) },
			Say: owned(func(path string) events.Payload {
				return events.ProviderChanged{Provider: events.ProviderGeminiCLI, Command: path}
			})},
		{Name: "temperature", Type: FieldNumber, Doc: "Temperature of every tier, 0 to 2; null for the provider's default.",
			Read: func(g *GUISources) any { return g.Now().Tier(WorkTier).Temperature },
			Say:  owned(func(v float64) events.Payload { return events.TierChanged{Temperature: &v} })},
		{Name: "top_p", Type: FieldNumber, Doc: "Top-p of every tier, 0 to 1; null for the provider's default.",
			Read: func(g *GUISources) any { return g.Now().Tier(WorkTier).TopP },
			Say:  owned(func(v float64) events.Payload { return events.TierChanged{TopP: &v} })},
		{Name: "max_tokens", Aliases: []string{"max_output_tokens"}, Type: FieldInteger,
			Doc:  "Maximum tokens of one reply, for every tier; 0 for the provider's own limit.",
			Read: func(g *GUISources) any { return g.Now().Tier(WorkTier).MaxOutputTokens },
			Say:  owned(func(v whole) events.Payload { return events.TierChanged{MaxOutputTokens: v.ptr()} })},
		{Name: "history_trunc_limit", Type: FieldInteger, Default: 8000, Doc: "Number of characters of an old " +
			"tool output that a " +
			"front end shows; only stored, because the engine has its own limits."},
	}
}

// guiTierFields returns the fields for the settings of each tier.
func guiTierFields() []GUIField {
	var out []GUIField
	for n := 1; n <= 4; n++ {
		out = append(append(out, tierFields(n)...), tierRosterFields(n)...)
	}
	return out
}

func tierFields(n int) []GUIField {
	name, of := "tier"+strconv.Itoa(n)+"_", " of tier "+strconv.Itoa(n)
	return []GUIField{
		{Name: name + "provider", Type: FieldText, Doc: "The provider" + of + ".",
			Read: func(g *GUISources) any { return g.Now().Tier(n).Provider },
			Say: owned(func(v string) events.Payload {
				return events.TierChanged{Tier: n, Provider: events.ProviderName(v)}
			})},
		{Name: name + "model", Type: FieldText, Doc: "The model" + of + ", instead of its whole ladder; reading returns " +
			"the ladder's first.",
			Read: func(g *GUISources) any { return g.Now().Tier(n).Model(0) },
			Say:  owned(func(v string) events.Payload { return events.TierChanged{Tier: n, Models: []string{v}} })},
		{Name: name + "models", Type: FieldList, Doc: "The ladder of models" + of +
			": each retry of a ticket uses the next.",
			Read: func(g *GUISources) any { return list(g.Now().Tier(n).Models) },
			Say:  owned(func(v []string) events.Payload { return events.TierChanged{Tier: n, Models: v} })},
		{Name: name + "temperature", Type: FieldNumber, Doc: "Temperature" + of + ", 0 to 2; null for the " +
			"provider's default.",
			Read: func(g *GUISources) any { return g.Now().Tier(n).Temperature },
			Say:  owned(func(v float64) events.Payload { return events.TierChanged{Tier: n, Temperature: &v} })},
		{Name: name + "top_p", Type: FieldNumber, Doc: "Top-p" + of + ", 0 to 1; null for the provider's default.",
			Read: func(g *GUISources) any { return g.Now().Tier(n).TopP },
			Say:  owned(func(v float64) events.Payload { return events.TierChanged{Tier: n, TopP: &v} })},
		{Name: name + "effort", Type: FieldText, Doc: "How much the model" + of + " may think: off, low, medium or high; " +
			"empty for the provider's default.",
			Read: func(g *GUISources) any { return g.Now().Tier(n).Effort },
			Say:  owned(func(v string) events.Payload { return events.TierChanged{Tier: n, Effort: &v} })},
		{Name: name + "max_output_tokens", Aliases: []string{name + "max_tokens"}, Type: FieldInteger,
			Doc:  "Maximum tokens of one reply" + of + "; 0 for the provider's own limit.",
			Read: func(g *GUISources) any { return g.Now().Tier(n).MaxOutputTokens },
			Say:  owned(func(v whole) events.Payload { return events.TierChanged{Tier: n, MaxOutputTokens: v.ptr()} })},
		{Name: name + "max_rounds", Type: FieldInteger, Doc: "Maximum rounds of one attempt" + of +
			"; 0 for the engine's own limit.",
			Read: func(g *GUISources) any { return g.Now().Tier(n).MaxRounds },
			Say:  owned(func(v whole) events.Payload { return events.TierChanged{Tier: n, MaxRounds: v.ptr()} })},
	}
}

// guiProjectFields returns the fields of the original system's project and files panels. Setting
// one changes the project document, which btn_project_save writes to its file.
func guiProjectFields() []GUIField {
	return []GUIField{
		{Name: "project_path", Type: FieldText, Doc: "Path of the project document, relative to the project folder; " +
			"setting it switches to that document.",
			Read: func(g *GUISources) any { return g.Document().Path },
			Say:  owned(func(path string) events.Payload { return events.ProjectSwitchRequested{Path: path} })},
		{Name: "project_changed", Type: FieldBool, Doc: "Whether the project document has edits that are not in its file.",
			Read: func(g *GUISources) any { return g.Document().Changed }},
		projectField("project_name", FieldText, "project", "name", "Name of the project."),
		projectField("project_git_dir", FieldText, "project", "git_dir", "Folder of the project's repository."),
		projectField("project_system_prompt", FieldText, "project", "system_prompt", "The project's instructions "+
			"to every model "+
			"in conversations that begin from now on, at most 16 KiB; the user's instructions take precedence."),
		projectField("project_main_context", FieldText, "project", "main_context",
			"File with the project's main context, stored for a front end only; models are shown AGENTS.md and CLAUDE.md."),
		projectField("output_dir", FieldText, "output", "output_dir", "Folder for the output of a front end.",
			"project_output_dir"),
		projectField("files_base_dir", FieldText, "files", "base_dir", "Folder that files_paths are relative to.",
			"project_files_base_dir"),
		projectField("files_paths", FieldList, "files", "paths", "Tracked files and patterns, which every refresh rereads.",
			"project_files_paths", "file_paths"),
		projectField("screenshots_base_dir", FieldText, "screenshots", "base_dir",
			"Folder that screenshots_paths are relative to.", "shots_base_dir"),
		projectField("screenshots_paths", FieldList, "screenshots", "paths", "The screenshots of the project.",
			"screenshot_paths"),
		{Name: "active_discussion", Aliases: []string{"discussion"}, Type: FieldText,
			Doc:  "The discussion that new entries are added to.",
			Read: func(g *GUISources) any { return g.ActiveDiscussion() },
			Say: owned(func(name string) events.Payload {
				return events.DiscussionChanged{Operation: events.DiscussionSwitch, Discussion: name}
			})},
		{Name: "disc_roles", Aliases: []string{"discussion_roles"}, Type: FieldList,
			Doc:  "The roles that entries of the discussion may have.",
			Read: func(g *GUISources) any { return g.DiscussionRoles() },
			Say: owned(func(roles []string) events.Payload {
				return events.DiscussionChanged{Operation: events.DiscussionRoles, Roles: roles}
			})},
	}
}

// projectField returns a field that is bound to a key in a table of the project document.
func projectField(name string, typ FieldType, table, key, doc string, aliases ...string) GUIField {
	empty := map[FieldType]any{FieldText: "", FieldList: []any{}}[typ]
	return GUIField{Name: name, Aliases: aliases, Type: typ, Doc: doc,
		Read: func(g *GUISources) any {
			if v, ok := tableOf(g.Document().Document, table)[key]; ok {
				return v
			}
			return empty
		},
		Say: owned(func(v json.RawMessage) events.Payload {
			return events.ProjectEdited{Changes: json.RawMessage(`{"` + table + `":{"` + key + `":` + string(v) + `}}`)}
		})}
}

// tierRosterFields returns the fields for a tier's persona and presets.
func tierRosterFields(n int) []GUIField {
	name, of := "tier"+strconv.Itoa(n)+"_", " of tier "+strconv.Itoa(n)
	return []GUIField{
		{Name: name + "persona", Type: FieldText, Doc: "The persona" + of + " unless a track or ticket names another; one " +
			"of personas, or empty for none.",
			Read: func(g *GUISources) any { return g.Now().Tier(n).Persona },
			Say:  owned(func(v string) events.Payload { return events.TierChanged{Tier: n, Persona: &v} })},
		{Name: name + "tool_preset", Type: FieldText, Doc: "The tool preset" + of + ", one of tool_presets, which limits " +
			"that of every persona; empty for none.",
			Read: func(g *GUISources) any { return g.Now().Tier(n).ToolPreset },
			Say:  owned(func(v string) events.Payload { return events.TierChanged{Tier: n, ToolPreset: &v} })},
		{Name: name + "bias_profile", Type: FieldText, Doc: "The bias profile" + of + ", one of bias_profiles; " +
			"empty for none.",
			Read: func(g *GUISources) any { return g.Now().Tier(n).BiasProfile },
			Say:  owned(func(v string) events.Payload { return events.TierChanged{Tier: n, BiasProfile: &v} })},
		{Name: name + "prompt_preset", Type: FieldText, Doc: "The prompt preset" + of +
			", one of prompt_presets; empty for none.",
			Read: func(g *GUISources) any { return g.Now().Tier(n).PromptPreset },
			Say:  owned(func(v string) events.Payload { return events.TierChanged{Tier: n, PromptPreset: &v} })},
	}
}

// guiRosterFields returns the fields with the names of the session's personas
// and presets.
func guiRosterFields() []GUIField {
	return []GUIField{
		{Name: "personas", Type: FieldList, Doc: "Names of the session's personas, for tierN_persona and a ticket's persona.",
			Read: func(g *GUISources) any { return g.Now().Roster.PersonaNames() }},
		{Name: "tool_presets", Type: FieldList, Doc: "Names of the session's tool presets, for tierN_tool_preset.",
			Read: func(g *GUISources) any { return g.Now().Roster.ToolPresetNames() }},
		{Name: "bias_profiles", Type: FieldList, Doc: "Names of the session's bias profiles, for tierN_bias_profile.",
			Read: func(g *GUISources) any { return g.Now().Roster.BiasProfileNames() }},
		{Name: "prompt_presets", Type: FieldList, Doc: "Names of the session's prompt presets, for tierN_prompt_preset.",
			Read: func(g *GUISources) any { return g.Now().Roster.PromptPresetNames() }},
	}
}

// guiTalkFields returns the fields of the original system's message and discussion panels.
func guiTalkFields() []GUIField {
	return []GUIField{
		{Name: "ai_input", Type: FieldText, Default: "", Doc: "Message that btn_gen_send adds to the active discussion."},
		{Name: "ai_response", Type: FieldText, Doc: "The newest text that a model wrote; empty until then.",
			Read: func(g *GUISources) any { return g.newestReply() }},
		{Name: "ai_status", Type: FieldText, Doc: "The current activity, such as idle or sending....",
			Read: func(g *GUISources) any { return g.Status().AIStatus }},
		{Name: "disc_entries", Type: FieldList, Doc: "The entries of the discussion; setting replaces them all, as POST " +
			"/api/session does.",
			Read: func(g *GUISources) any { return g.Discussion().Entries },
			Say: owned(func(entries json.RawMessage) events.Payload {
				return events.DiscussionChanged{Operation: events.DiscussionReplace, Entries: entries}
			})},
		{Name: "session_id", Type: FieldText, Doc: "Id of the session.", Read: func(g *GUISources) any {
			return g.Summary().Session
		}},
		{Name: "external_mcp_servers", Type: FieldObject, Doc: "External MCP servers that the session used, by name: " +
			"state (idle, starting, running or error), error, and tools that differ from the approved ones. GET /api/mcp lists " +
			"everything.",
			Read: func(g *GUISources) any {
				if servers := g.Servers(); servers != nil {
					return servers
				}
				return map[string]Server{}
			}},
		{Name: "session_folder", Type: FieldText, Doc: "Name of the folder of the session's logs.",
			Read: func(g *GUISources) any { return g.Summary().Folder }},
		{Name: "thinking", Aliases: []string{"thinking_indicator"}, Type: FieldBool,
			Doc: "Whether a model or a shell is running.", Read: func(g *GUISources) any { return g.Diagnostics().Thinking }},
		{Name: "live", Aliases: []string{"operations_live_indicator", "live_indicator"}, Type: FieldBool,
			Doc: "Whether a tool is running.", Read: func(g *GUISources) any { return g.Diagnostics().Live }},
		{Name: "prior", Aliases: []string{"prior_session_indicator", "prior_indicator", "is_viewing_prior_session"},
			Type: FieldBool, Doc: "Whether the session is over.", Read: func(g *GUISources) any {
				return g.Diagnostics().Prior
			}},
	}
}

// newestReply returns the last entry of a model in the discussion.
func (g *GUISources) newestReply() string {
	entries := g.Discussion().Entries
	for i := len(entries) - 1; i >= 0; i-- {
		if entries[i].Role == RoleAI && entries[i].Content != "" {
			return entries[i].Content
		}
	}
	return ""
}

// dialog is what an open ask shows.
type dialog struct {
	RequestID string          `json:"request_id"`
	Title     string          `json:"title"`
	Ticket    string          `json:"ticket"`
	Args      json.RawMessage `json:"args,omitempty"`
}

// oldestAsk returns the oldest open ask of a gate; nil if there is none.
func (g *GUISources) oldestAsk(gate string) any {
	for _, a := range g.OpenAsks() {
		if a.Gate == gate {
			return dialog{a.AskRaised.Ask, a.Title, a.Ticket, a.Args}
		}
	}
	return nil
}

// guiTeamFields returns the fields of the original system's dashboard of tracks and tickets.
func guiTeamFields() []GUIField {
	return append(teamSettings(), teamState()...)
}

func teamSettings() []GUIField {
	return []GUIField{
		{Name: "mma_epic_input", Type: FieldText, Default: "", Doc: "The epic that btn_mma_plan_epic submits as a goal."},
		{Name: "mma_step_mode", Aliases: []string{"step_mode"}, Type: FieldBool, Doc: "Whether each round of a " +
			"ticket needs approval.",
			Read: func(g *GUISources) any { return g.Status().StepMode },
			Say:  owned(func(on bool) events.Payload { return events.StepModeSet{On: on} })},
		{Name: "max_workers", Type: FieldInteger, Doc: "Maximum number of tickets that run at once, 1 to 64.",
			Read: func(g *GUISources) any { return g.Now().MaxWorkers },
			Say:  owned(func(v whole) events.Payload { return events.SettingsChanged{MaxWorkers: v.ptr()} })},
		{Name: "max_retries", Type: FieldInteger, Doc: "Maximum automatic retries of a blocked ticket, 0 to 10.",
			Read: func(g *GUISources) any { return g.Now().MaxRetries },
			Say:  owned(func(v whole) events.Payload { return events.SettingsChanged{MaxRetries: v.ptr()} })},
		{Name: "spawn_approval", Type: FieldBool, Doc: "Whether each start of a ticket needs approval.",
			Read: func(g *GUISources) any { return g.Now().SpawnApproval },
			Say:  owned(func(on bool) events.Payload { return events.SettingsChanged{SpawnApproval: &on} })},
		{Name: "plan_review", Type: FieldBool, Doc: "Whether proposed tracks wait until a user accepts them.",
			Read: func(g *GUISources) any { return g.Now().PlanReview },
			Say:  owned(func(on bool) events.Payload { return events.SettingsChanged{PlanReview: &on} })},
		{Name: "review", Type: FieldBool, Doc: "Whether tier 2 reviews a ticket's changes before the ticket is completed.",
			Read: func(g *GUISources) any { return g.Now().Review },
			Say:  owned(func(on bool) events.Payload { return events.SettingsChanged{Review: &on} })},
		{Name: "qa_disabled", Type: FieldBool, Doc: "Whether failed commands get no hint from tier 4.",
			Read: func(g *GUISources) any { return g.Now().QADisabled },
			Say:  owned(func(off bool) events.Payload { return events.SettingsChanged{QADisabled: &off} })},
	}
}

func teamState() []GUIField {
	return []GUIField{
		{Name: "mma_status", Type: FieldText, Doc: "idle, planning, executing or done.", Read: func(g *GUISources) any {
			return g.Status().MMAStatus
		}},
		{Name: "mma_paused", Aliases: []string{"paused"}, Type: FieldBool,
			Doc: "Whether starting tickets is paused; btn_mma_pause and btn_mma_resume change " +
				"it.", Read: func(g *GUISources) any {
				return g.Now().Paused
			}},
		{Name: "active_tier", Type: FieldText, Doc: "The running tier, such as Tier 3; null while none is running.",
			Read: func(g *GUISources) any { return g.Status().ActiveTier }},
		{Name: "active_track", Type: FieldText, Doc: "Id of the newest started track.", Read: func(g *GUISources) any {
			return g.Status().ActiveTrack
		}},
		{Name: "active_tickets", Type: FieldList, Doc: "The tickets of that track.", Read: func(g *GUISources) any {
			return g.Status().ActiveTickets
		}},
		{Name: "tracks", Type: FieldList, Doc: "The tracks of every goal.", Read: func(g *GUISources) any {
			return g.Status().Tracks
		}},
		{Name: "proposed_tracks", Type: FieldList, Doc: "Tracks that wait until a user accepts them.",
			Read: func(g *GUISources) any { return g.Status().ProposedTracks }},
		{Name: "mma_streams", Type: FieldObject, Doc: "What the tiers wrote, by stream id.", Read: func(g *GUISources) any {
			return g.Status().MMAStreams
		}},
		{Name: "mma_tier_usage", Aliases: []string{"tier_usage"}, Type: FieldObject, Doc: "Tokens used, by tier.",
			Read: func(g *GUISources) any { return g.Cost().Tier }},
		{Name: "pending_tool_approval", Type: FieldBool, Doc: "Whether a tool call or a question of /api/ask waits for a user.",
			Read: func(g *GUISources) any { return g.Status().PendingToolApproval }},
		{Name: "pending_mma_step_approval", Type: FieldBool, Doc: "Whether a round waits for a user.",
			Read: func(g *GUISources) any { return g.Status().PendingMMAStepApproval }},
		{Name: "pending_mma_spawn_approval", Aliases: []string{"pending_spawn"}, Type: FieldBool,
			Doc: "Whether a start waits for a user.", Read: func(g *GUISources) any {
				return g.Status().PendingMMASpawnApproval
			}},
		{Name: "mma_step_payload", Type: FieldObject, Doc: "What the oldest open ask about a round shows: request_id, title, " +
			"ticket, and args with messages or calls, which btn_approve_mma_step accepts in edited form; null if there is none.",
			Read: func(g *GUISources) any { return g.oldestAsk(events.GateStep) }},
		{Name: "mma_spawn_payload", Type: FieldObject, Doc: "What the oldest open ask about a start shows: request_id, title, " +
			"ticket, and args with prompt and files, which btn_approve_spawn accepts in edited form; null if there is none.",
			Read: func(g *GUISources) any { return g.oldestAsk(events.GateSpawn) }},
		{Name: "pending_approval", Type: FieldBool, Doc: "Whether a tool call or a round waits for a user.",
			Read: func(g *GUISources) any { return g.Status().PendingApproval }},
	}
}
