package tierstest_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"manualslop/events"
)

// worlds is how many random sessions are played.
const worlds = 120

// TestWhateverHappensTheRulesHold plays random sessions with all deciders, each
// reading at a pace of its own, and checks what must hold of every log.
func TestWhateverHappensTheRulesHold(t *testing.T) {
	t.Parallel()
	for seed := range uint64(worlds) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Parallel()
			c := newChaos(t, seed)
			c.run()
			log := readLog(c.sim.Events(), !c.cut)
			log.comesToAnEnd(t)
			log.callsEndOnce(t)
			log.approvalsAreJustified(t)
			log.asksAreSettledOnce(t)
			log.answersAreAnswered(t)
			log.attemptsEndOnce(t)
			log.failedShellsAreRead(t)
			log.promptsGrow(t)
			log.presetsHold(t)
			log.killsAreFinal(t)
			c.sim.Restart(everyDecider()...)
		})
	}
}

// TestTheRandomWorldsAreNotTame makes sure that the random sessions come to
// where the rules bite.
func TestTheRandomWorldsAreNotTame(t *testing.T) {
	t.Parallel()
	seen := map[string]int{}
	for seed := range uint64(worlds) {
		c := newChaos(t, seed)
		c.run()
		for _, e := range c.sim.Events() {
			seen[e.Type]++
			switch p := e.Payload.(type) {
			case events.AskRaised:
				seen["asked "+p.Gate]++
			case events.ToolApproved:
				seen[fmt.Sprintf("edited %v", p.Edited)]++
				seen[fmt.Sprintf("generation %d", min(p.Generation, 2))]++
				switch p.Tool {
				case events.RestoreTool:
					seen["asked to undo"]++
				case events.PatchTool:
					seen["approved a patch"]++
				}
				if p.Rule == "tool preset few" {
					seen["by a preset"]++
				}
			case events.StepApproved:
				seen["edited messages"] += len(p.Messages)
				seen["dropped calls"] += len(p.Dropped)
			case events.SpawnApproved:
				seen["edited files"] += len(p.Files)
			case events.TicketReviewed:
				seen["reviewed "+p.Verdict]++
			case events.TicketResolved:
				seen[fmt.Sprintf("final %v", p.Final)]++
			case events.AskSettled:
				seen[p.Outcome]++
			case events.ModelRequested:
				seen["asked of "+p.Provider+p.Command]++
				seen["model "+p.Model]++
				if p.Note != "" {
					seen["a persona that nobody has"]++
				}
				if slices.ContainsFunc(p.Manifest, func(x events.Part) bool {
					return strings.HasPrefix(x.Prefix,
						"# Project rules")
				}) {
					seen["a project's rules"]++
				}
			}
		}
	}
	for _, want := range []string{
		"asked tool", "asked step", "asked spawn", "asked budget", "asked interrupted", "asked http", "edited true",
		"edited messages", "dropped calls", "edited files",
		"generation 2", "final true", events.Yes, events.No, events.Expired,
		"ToolDenied", "ToolParked", "InterruptResolved", "HintGiven", "HintSkipped", "AnswerRefused", "TicketKilled",
		"TicketBlocked", "TicketRetried", "TicketCompleted", "FilesUpdated",
		"GoalCompleted", "GoalFailed", "Paused", "ControlRefused", "StepDenied", "SpawnDenied", "TicketsAdded",
		"GraphMutated", "OverlapWarned", "WorkspacePrepared", "MergeAnswered", "asked merge",
		"asked of script", "asked of gemini_cli", "asked of gemini_cli/bin/g", "model m1", "model n0", "SettingsChanged",
		"ModelApproved", "ModelDenied", "BudgetRaised", "BudgetWarned",
		"UndoRefused", "asked to undo", "PatchProposed", "PatchSkipped", "approved a patch", "reviewed approve",
		"reviewed send_back", "reviewed skipped",
		"model a0", "model a1", "by a preset", "a project's rules", "a persona that nobody has",
	} {
		require.Positive(t, seen[want], want)
	}
}
