package projections

import "manualslop/events"

// guiTeamFields are those of the original's dashboard of tracks and tickets.
func guiTeamFields() []GUIField {
	return append(teamSettings(), teamState()...)
}

func teamSettings() []GUIField {
	return []GUIField{
		{Name: "mma_epic_input", Type: FieldText, Default: "", Doc: "The epic that btn_mma_plan_epic submits as a goal."},
		{Name: "mma_step_mode", Aliases: []string{"step_mode"}, Type: FieldBool, Doc: "Whether each round of a ticket asks.",
			Read: func(g *GUISources) any { return g.Status().StepMode },
			Say:  owned(func(on bool) events.Payload { return events.StepModeSet{On: on} })},
		{Name: "max_workers", Type: FieldInteger, Doc: "Tickets at work at once, 1 to 64.",
			Read: func(g *GUISources) any { return g.Now().MaxWorkers },
			Say:  owned(func(v whole) events.Payload { return events.SettingsChanged{MaxWorkers: v.ptr()} })},
		{Name: "max_retries", Type: FieldInteger, Doc: "Automatic retries of a blocked ticket, 0 to 10.",
			Read: func(g *GUISources) any { return g.Now().MaxRetries },
			Say:  owned(func(v whole) events.Payload { return events.SettingsChanged{MaxRetries: v.ptr()} })},
		{Name: "spawn_approval", Type: FieldBool, Doc: "Whether each start of a ticket asks.",
			Read: func(g *GUISources) any { return g.Now().SpawnApproval },
			Say:  owned(func(on bool) events.Payload { return events.SettingsChanged{SpawnApproval: &on} })},
		{Name: "plan_review", Type: FieldBool, Doc: "Whether proposed tracks wait until a person accepts them.",
			Read: func(g *GUISources) any { return g.Now().PlanReview },
			Say:  owned(func(on bool) events.Payload { return events.SettingsChanged{PlanReview: &on} })},
		{Name: "review", Type: FieldBool, Doc: "Whether tier 2 reviews what a ticket changed before it is completed.",
			Read: func(g *GUISources) any { return g.Now().Review },
			Say:  owned(func(on bool) events.Payload { return events.SettingsChanged{Review: &on} })},
		{Name: "qa_disabled", Type: FieldBool, Doc: "Whether failed commands go without a hint of tier 4.",
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
			Doc: "Whether no ticket starts; btn_mma_pause and btn_mma_resume change it.", Read: func(g *GUISources) any {
				return g.Now().Paused
			}},
		{Name: "active_tier", Type: FieldText, Doc: "The tier at work, such as Tier 3; null while none is.",
			Read: func(g *GUISources) any { return g.Status().ActiveTier }},
		{Name: "active_track", Type: FieldText, Doc: "Id of the track started last.", Read: func(g *GUISources) any {
			return g.Status().ActiveTrack
		}},
		{Name: "active_tickets", Type: FieldList, Doc: "The tickets of that track.", Read: func(g *GUISources) any {
			return g.Status().ActiveTickets
		}},
		{Name: "tracks", Type: FieldList, Doc: "The tracks of every goal.", Read: func(g *GUISources) any {
			return g.Status().Tracks
		}},
		{Name: "proposed_tracks", Type: FieldList, Doc: "Tracks that wait until a person accepts them.",
			Read: func(g *GUISources) any { return g.Status().ProposedTracks }},
		{Name: "mma_streams", Type: FieldObject, Doc: "What the tiers wrote, by stream id.", Read: func(g *GUISources) any {
			return g.Status().MMAStreams
		}},
		{Name: "mma_tier_usage", Aliases: []string{"tier_usage"}, Type: FieldObject, Doc: "Tokens used, by tier.",
			Read: func(g *GUISources) any { return g.Cost().Tier }},
		{Name: "pending_tool_approval", Type: FieldBool, Doc: "Whether a tool call waits for a person.",
			Read: func(g *GUISources) any { return g.Status().PendingToolApproval }},
		{Name: "pending_mma_step_approval", Type: FieldBool, Doc: "Whether a round waits for a person.",
			Read: func(g *GUISources) any { return g.Status().PendingMMAStepApproval }},
		{Name: "pending_mma_spawn_approval", Aliases: []string{"pending_spawn"}, Type: FieldBool,
			Doc: "Whether a start waits for a person.", Read: func(g *GUISources) any {
				return g.Status().PendingMMASpawnApproval
			}},
		{Name: "pending_approval", Type: FieldBool, Doc: "Whether a tool call or a round waits for a person.",
			Read: func(g *GUISources) any { return g.Status().PendingApproval }},
	}
}
