package hookgw_test

import (
	"encoding/json"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"manualslop/events"
	"manualslop/hookgw/access"
	"manualslop/projections"
	"manualslop/tiers"
	"manualslop/tiers/approval"
	"manualslop/tiers/basis"
	"manualslop/tiers/conductor"
)

// buttonLine is a button as GET /api/gui describes it.
type buttonLine struct {
	ID       string
	Aliases  []string
	Doc      string
	UserData string `json:"user_data"`
}

func buttons(t *testing.T, f *fixture) []buttonLine {
	t.Helper()
	var page struct{ Buttons []buttonLine }
	require.NoError(t, json.Unmarshal(f.get("/api/gui", access.RightRead).body, &page))
	return page.Buttons
}

// newTeam is a session at work under the real conductor and the real approval:
// T-1 is at work, T-2 waits for it, T-3 waits for a free worker.
func newTeam(t *testing.T) *fixture {
	t.Helper()
	f := openEmpty(t, withFolder(&folder{files: map[string]string{"p.toml": `{"project":{"name":"of p"}}`}}))
	f.put(person, events.SessionOpened{Folder: "20260102_030405_demo", Label: "demo", Settings: events.Settings{
		MaxWorkers: 1,
		Tiers:      []events.TierSettings{{Tier: 3, Provider: "script", Models: []string{"m3"}}}}})
	f.deciding(map[string]func() *tiers.Machine{
		events.ActorApproval:  func() *tiers.Machine { return approval.Decider().Start() },
		events.ActorConductor: func() *tiers.Machine { return conductor.Decider().Start() },
	})
	goal := f.put(person, events.GoalSubmitted{Goal: "Mend the parser"})
	f.put(events.ActorPlanner, events.TracksProposed{Goal: goal.ID,
		Tracks: []events.Track{{ID: "TR-1", Description: "Parser"}}})
	f.expect("TrackStarted", func(events.Event) bool { return true })
	ticket := func(id string, after ...string) events.Ticket {
		return events.Ticket{ID: id, Description: "Mend it", Status: events.StatusTodo, AssignedTo: "tier3-worker",
			ContextRequirements: []string{}, DependsOn: after, Priority: "medium"}
	}
	f.put(events.ActorLead, events.TicketsPlanned{Track: "TR-1", Tickets: []events.Ticket{ticket("T-1"),
		ticket("T-2", "T-1"), ticket("T-3")}})
	f.expect("TicketStarted", func(e events.Event) bool { return e.Corr == "T-1" })
	return f
}

// ticketStatus is how a ticket's node shows.
func ticketStatus(t *testing.T, f *fixture, id string) string {
	t.Helper()
	status := f.value(t, id)
	require.Equal(t, status, f.value(t, "node_"+id))
	return status
}

// press clicks a button and wants no failure.
func press(t *testing.T, f *fixture, id string, more string) {
	t.Helper()
	f.queue(t, `{"action":"click","item":"`+id+`"`+more+`}`)
	require.Empty(t, f.failures(), id)
}

// pressing says how a button is pressed and what must then be so.
type pressing func(t *testing.T, f *fixture, id string)

// presses are those of each button outside the gates and the reset.
func presses() map[string]pressing {
	out := sessionPresses()
	maps.Copy(out, teamPresses())
	maps.Copy(out, ticketPresses())
	return out
}

func sessionPresses() map[string]pressing {
	return map[string]pressing{
		"btn_gen_send": func(t *testing.T, f *fixture, id string) {
			f.queue(t, `{"action":"set_value","item":"ai_input","value":"Say hello"}`)
			press(t, f, id, "")
			asked := recorded[events.TurnRequested](f)
			require.Len(t, asked, 1)
			require.Equal(t, []string{"main", "Say hello"}, []string{asked[0].Discussion, asked[0].Text})
		},
		"btn_md_only": func(t *testing.T, f *fixture, id string) { // TestTheButtonKeepsTheContextOfTheNextTurn presses it
			f.requireFailed(t, 0, `{"action":"click","item":"`+id+`"}`)
		},
		"btn_compact_discussion": func(t *testing.T, f *fixture, id string) {
			f.says("/api/discussions/entries/add", `{"content":"one"}`, http.StatusOK)
			f.says("/api/discussions/entries/add", `{"content":"two"}`, http.StatusOK)
			press(t, f, id, `,"user_data":"the names"`)
			f.requireFailed(t, 0, `{"action":"click","item":"`+id+`","user_data":7}`)
			asked := recorded[events.TurnRequested](f)
			require.Len(t, asked, 1)
			require.Equal(t, []any{"main", "the names", true}, []any{asked[0].Discussion, asked[0].Text, asked[0].Compact})
			require.NotEmpty(t, asked[0].Entries)
		},
		"btn_clear_discussion": func(t *testing.T, f *fixture, id string) {
			require.NotEqual(t, `[]`, f.value(t, "disc_entries"))
			press(t, f, id, "")
			require.JSONEq(t, `[]`, f.value(t, "disc_entries"))
		},
		"btn_project_save": func(t *testing.T, f *fixture, id string) {
			f.queue(t, `{"action":"set_value","item":"project_name","value":"other"}`)
			require.JSONEq(t, `true`, f.value(t, "project_changed"))
			press(t, f, id, `,"user_data":"q.toml"`)
			require.JSONEq(t, `false`, f.value(t, "project_changed"))
			require.JSONEq(t, `"q.toml"`, f.value(t, "project_path"))
			f.requireFailed(t, 0, `{"action":"click","item":"`+id+`","user_data":"p.toml"}`)
			f.requireFailed(t, 1, `{"action":"click","item":"`+id+`","user_data":7}`)
		},
		"btn_project_load": func(t *testing.T, f *fixture, id string) {
			press(t, f, id, `,"user_data":"p.toml"`)
			require.JSONEq(t, `"of p"`, f.value(t, "project_name"))
			f.requireFailed(t, 0, `{"action":"click","item":"`+id+`","user_data":"gone.toml"}`)
			require.JSONEq(t, `"p.toml"`, f.value(t, "project_path"))
		},
		"btn_add_slice": pressAddSlice,
		"btn_star_log": func(t *testing.T, f *fixture, id string) {
			press(t, f, id, "")
			require.Equal(t, []events.SessionStarred{{On: true}}, recorded[events.SessionStarred](f))
		},
		"btn_unstar_log": func(t *testing.T, f *fixture, id string) {
			press(t, f, id, "")
			require.Equal(t, []events.SessionStarred{{On: false}}, recorded[events.SessionStarred](f))
		},
	}
}

func teamPresses() map[string]pressing {
	return map[string]pressing{
		"btn_mma_plan_epic": func(t *testing.T, f *fixture, id string) {
			f.queue(t, `{"action":"set_value","item":"mma_epic_input","value":"Mend <all> ü"}`)
			press(t, f, id, "")
			goals := recorded[events.GoalSubmitted](f)
			require.Equal(t, "Mend <all> ü", goals[len(goals)-1].Goal)
		},
		"btn_mma_accept_tracks": func(t *testing.T, f *fixture, id string) {
			f.queue(t, `{"action":"set_value","item":"plan_review","value":true}`)
			goal := f.put(person, events.GoalSubmitted{Goal: "More"})
			f.put(events.ActorPlanner, events.TracksProposed{Goal: goal.ID, Tracks: []events.Track{{ID: "TR-8"}, {ID: "TR-9"}}})
			press(t, f, id, `,"user_data":["TR-9"]`)
			require.Equal(t, []events.TracksAccepted{{Goal: goal.ID, Tracks: []string{"TR-9"}}},
				recorded[events.TracksAccepted](f))
			require.JSONEq(t, `[]`, f.value(t, "proposed_tracks"))
		},
		"btn_mma_pause": func(t *testing.T, f *fixture, id string) {
			press(t, f, id, "")
			require.JSONEq(t, `true`, f.value(t, "mma_paused"), "the conductor has answered")
		},
		"btn_mma_resume": func(t *testing.T, f *fixture, id string) {
			press(t, f, "btn_mma_pause", "")
			press(t, f, id, "")
			require.JSONEq(t, `false`, f.value(t, "mma_paused"))
		},
		"btn_mma_step_mode": func(t *testing.T, f *fixture, id string) {
			for _, want := range []string{"true", "false"} {
				press(t, f, id, "")
				require.JSONEq(t, want, f.value(t, "mma_step_mode"))
			}
		},
	}
}

func ticketPresses() map[string]pressing {
	return map[string]pressing{
		"btn_mma_kill_ticket": func(t *testing.T, f *fixture, id string) {
			press(t, f, id, `,"user_data":"T-1"`)
			require.JSONEq(t, `"blocked"`, ticketStatus(t, f, "T-1"))
		},
		"btn_mma_retry_ticket": func(t *testing.T, f *fixture, id string) {
			press(t, f, "btn_mma_kill_ticket", `,"user_data":"T-1"`)
			press(t, f, id, `,"args":["T-1"]`)
			require.NotEqual(t, `"blocked"`, ticketStatus(t, f, "T-1"))
		},
		"btn_mma_block_ticket": func(t *testing.T, f *fixture, id string) {
			press(t, f, id, `,"kwargs":{"user_data":{"ticket":"T-3","reason":"not now"}}`)
			require.JSONEq(t, `"blocked"`, ticketStatus(t, f, "T-3"))
			require.Equal(t, []events.BlockRequested{{Ticket: "T-3", Reason: "not now"}}, recorded[events.BlockRequested](f))
		},
		"btn_mma_note_ticket": func(t *testing.T, f *fixture, id string) {
			f.put(person, events.DecisionsUpgraded{Basis: basis.Of("test")})
			press(t, f, id, `,"user_data":{"ticket":"T-3","note":"use v2"}`)
			require.Equal(t, []events.NoteRequested{{Ticket: "T-3", Note: "use v2"}}, recorded[events.NoteRequested](f))
			require.Equal(t, []events.TicketNoted{{Ticket: "T-3", By: person, Note: "use v2"}}, recorded[events.TicketNoted](f))
		},
		"btn_mma_unblock_ticket": func(t *testing.T, f *fixture, id string) {
			press(t, f, "btn_mma_block_ticket", `,"user_data":"T-3"`)
			press(t, f, id, `,"user_data":"T-3"`)
			require.JSONEq(t, `"todo"`, ticketStatus(t, f, "T-3"))
		},
	}
}

func TestEveryButtonOfTheTeamDoesWhatItSaysUnderEveryName(t *testing.T) {
	t.Parallel()
	all := presses()
	known := []string{"btn_reset_session", "btn_approve_tool", "btn_reject_tool", "btn_approve_mma_step",
		"btn_reject_mma_step", "btn_approve_spawn", "btn_reject_spawn"}
	for _, b := range buttons(t, open(t)) {
		require.NotEmpty(t, b.Doc, b.ID)
		check := all[b.ID]
		if check == nil {
			require.Contains(t, known, b.ID, "a button without a test")
			continue
		}
		for _, name := range append([]string{b.ID}, b.Aliases...) {
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				check(t, newTeam(t), name)
			})
		}
	}
}

func TestEveryButtonOfAGateAnswersThatGateOnlyUnderEveryName(t *testing.T) {
	t.Parallel()
	gateOf := map[string]string{"btn_approve_tool": "tool", "btn_reject_tool": "tool", "btn_approve_mma_step": "step",
		"btn_reject_mma_step": "step", "btn_approve_spawn": "spawn", "btn_reject_spawn": "spawn"}
	seen := 0
	for _, b := range buttons(t, open(t)) {
		gate := gateOf[b.ID]
		if gate == "" {
			continue
		}
		seen++
		yes := slices.Contains([]string{"btn_approve_tool", "btn_approve_mma_step", "btn_approve_spawn"}, b.ID)
		for _, name := range append([]string{b.ID}, b.Aliases...) {
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				f, was := openGates(t)
				failed := 0
				for other, ids := range was {
					if other != gate {
						f.requireFailed(t, failed, `{"action":"click","item":"`+name+`","user_data":"`+ids[0]+`"}`)
						failed++
					}
				}
				require.Equal(t, was, f.openByGate(), "an ask of another gate is not answered")
				f.queue(t, `{"action":"click","item":"`+name+`"}`)
				require.Len(t, f.failures(), failed)
				requireAnswered(t, f, was, gate, yes)
			})
		}
	}
	require.Equal(t, len(gateOf), seen)
}

// requireAnswered wants the oldest ask of a gate answered, and nothing else.
func requireAnswered(t *testing.T, f *fixture, was map[string][]string, gate string, yes bool) {
	t.Helper()
	want := map[string][]string{"tool": was["tool"], "step": was["step"], "spawn": was["spawn"]}
	want[gate] = want[gate][1:]
	require.Equal(t, want, f.openByGate())
	through := map[string]int{"tool": 0, "step": 0, "spawn": 0}
	if yes {
		through[gate] = 1
	}
	f.awaitGranted(gate, through[gate])
	require.Equal(t, through, granted(f))
	answers := recorded[events.AskAnswered](f)
	require.Len(t, answers, 1)
	require.Equal(t, was[gate][0], answers[0].Ask)
}

func TestAClickNamesItsAskInEveryWay(t *testing.T) {
	t.Parallel()
	for name, more := range map[string]string{
		"user_data": `"user_data":"ID"`, "in user_data": `"user_data":{"request_id":"ID"}`,
		"as ask": `"user_data":{"ask":"ID"}`, "args": `"args":["ID"]`, "kwargs": `"kwargs":{"user_data":"ID"}`,
		"request_id": `"request_id":"ID"`, "ask": `"ask":"ID"`,
		"empty user_data": `"user_data":null,"args":[],"kwargs":{},"ask_id":"ID"`,
		"twice the same":  `"user_data":"ID","request_id":"ID"`,
		"with a reason":   `"user_data":{"request_id":"ID","reason":"fine"}`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f, was := openGates(t)
			second := was["step"][1]
			press(t, f, "btn_approve_mma_step", ","+replaceID(more, second))
			require.Equal(t, was["step"][:1], f.openByGate()["step"], "the one that is named, not the oldest")
		})
	}
}

func TestAClickThatDoesNotSayWhichAskIsMeantAnswersNone(t *testing.T) {
	t.Parallel()
	f, was := openGates(t)
	id := was["tool"][0]
	for i, more := range []string{
		`"user_data":7`, `"user_data":""`, `"user_data":["ID"]`, `"user_data":true`, `"user_data":{"id":"ID"}`,
		`"user_data":{"request_id":7}`, `"user_data":{"request_id":"ID","argz":{}}`,
		`"user_data":{"request_id":"ID","reason":7}`, `"user_data":{"request_id":"ID","ask":"other"}`, `"user_data":"nobody"`,
		`"ask":7`, `"request_id":""`, `"request_id":"a","ask":"b"`,
		`"user_data":"ID","request_id":"other"`,
		`"user_data":{"request_id":"ID","args":{"script":"a"},"args":{"script":"b"}}`,
		`"request_id":"ID","args":{"script":"b"}`,
		`"request_id":"ID","script":"b"`, `"user_data":"ID","args":["other"]`, `"args":["ID","other"]`,
		`"user_data":"ID","kwargs":{"user_data":"other"}`, `"request_id":"ID","kwargs":{"args":{}}`,
		`"user_data":"ID","reason":"not this one"`,
	} {
		f.requireFailed(t, i, `{"action":"click","item":"btn_approve_tool",`+replaceID(more, id)+`}`)
	}
	f.says("/api/gui", `{"action":"click","item":"btn_approve_tool","user_data":"other","user_data":"`+id+`"}`,
		http.StatusBadRequest)
	require.Empty(t, recorded[events.AskAnswered](f))
	require.Equal(t, was, f.openByGate())
}

func TestAnEditedCallRunsAsThePersonWroteIt(t *testing.T) {
	t.Parallel()
	f, was := openGates(t)
	press(t, f, "btn_approve_tool", `,"user_data":{"request_id":"`+was["tool"][0]+
		`","args":{"script":"pwd"},"reason":"better"}`)
	f.awaitGranted("tool", 1)
	got := recorded[events.ToolApproved](f)
	require.Len(t, got, 1)
	require.JSONEq(t, `{"script":"pwd"}`, string(got[0].Args))
}

func TestAClickAtAGateWithNothingOpenFailsVisibly(t *testing.T) {
	t.Parallel()
	f := open(t)
	f.approve()
	f.raise("a1", events.GateInterrupted)
	for i, b := range []string{"btn_approve_tool", "btn_approve_mma_step", "btn_reject_spawn"} {
		got := f.requireFailed(t, i, `{"action":"click","item":"`+b+`"}`)
		require.Contains(t, got.Error, "is open; waiting at other gates: interrupted a1")
	}
	require.Empty(t, recorded[events.AskAnswered](f))
}

func TestABulkOfClicksAnswersEachAskOnce(t *testing.T) {
	t.Parallel()
	f, was := openGates(t)
	press(t, f, "btn_approve_spawn", "")
	press(t, f, "btn_approve_spawn", "")
	f.requireFailed(t, 0, `{"action":"click","item":"btn_approve_spawn"}`)
	requireOnly(t, f, was, "spawn", 2)
}

func TestAButtonThatTheConductorRefusesFailsVisibly(t *testing.T) {
	t.Parallel()
	f := newTeam(t)
	for i, task := range []string{
		`{"action":"click","item":"btn_mma_retry_ticket","user_data":"T-1"}`,
		`{"action":"click","item":"btn_mma_unblock_ticket","user_data":"T-3"}`,
		`{"action":"click","item":"btn_mma_kill_ticket","user_data":"T-9"}`,
		`{"action":"click","item":"btn_mma_kill_ticket"}`,
		`{"action":"click","item":"btn_mma_kill_ticket","user_data":7}`,
		`{"action":"click","item":"btn_mma_kill_ticket","user_data":""}`,
		`{"action":"click","item":"btn_mma_plan_epic"}`,
		`{"action":"click","item":"btn_gen_send"}`,
		`{"action":"click","item":"btn_mma_accept_tracks"}`,
		`{"action":"click","item":"btn_mma_accept_tracks","user_data":["TR-7"]}`,
		`{"action":"click","item":"btn_mma_accept_tracks","user_data":"TR-7"}`,
		`{"action":"click","item":"btn_fetch_models"}`,
		`{"action":"click","item":"btn_approve"}`,
	} {
		got := f.requireFailed(t, i, task)
		require.NotEmpty(t, got.Error)
	}
	got := f.requireFailed(t, 13, `{"action":"click","item":"btn_mma_plan_epik"}`)
	require.Contains(t, got.Nearest, "btn_mma_plan_epic")
	require.Len(t, recorded[events.GoalSubmitted](f), 1)
}

func TestEveryCallbackDoesWhatItsButtonDoes(t *testing.T) {
	t.Parallel()
	f := newTeam(t)
	var page struct {
		Callbacks []struct{ Name, Button, Doc string }
	}
	require.NoError(t, json.Unmarshal(f.get("/api/gui", access.RightRead).body, &page))
	ids := map[string]bool{}
	for _, b := range buttons(t, f) {
		ids[b.ID] = true
	}
	require.NotEmpty(t, page.Callbacks)
	for _, c := range page.Callbacks {
		require.True(t, ids[c.Button], c.Name)
		require.NotEmpty(t, c.Doc)
	}
	f.queue(t, `{"action":"custom_callback","callback":"pause"}`)
	require.JSONEq(t, `true`, f.value(t, "mma_paused"))
	f.queue(t, `{"action":"custom_callback","callback":"kill_ticket","args":["T-1"]}`)
	require.JSONEq(t, `"blocked"`, ticketStatus(t, f, "T-1"))
	require.Empty(t, f.failures())
	got := f.requireFailed(t, 0, `{"action":"custom_callback","callback":"paus"}`)
	require.Equal(t, []string{"pause"}, got.Nearest)
	f.requireFailed(t, 1, `{"action":"custom_callback","callback":"approve_tool"}`)
}

func TestWhatFollowsFromATaskNamesItAsItsCause(t *testing.T) {
	t.Parallel()
	f := open(t)
	f.queue(t, `{"action":"set_value","item":"mma_step_mode","value":true}`)
	f.queue(t, `{"action":"push_event","event_type":"note","payload":{"a":1}}`)
	f.queue(t, `{"action":"nothing"}`)
	var queued []events.Event
	for _, typ := range []string{"StepModeSet", "EventPushed", "GUITaskFailed"} {
		e := f.expect(typ, func(events.Event) bool { return true })
		cause := f.expect("GUITaskQueued", func(q events.Event) bool { return q.ID == e.Cause })
		require.Less(t, cause.Seq, e.Seq)
		require.Equal(t, person, cause.Actor)
		require.Equal(t, events.DecidedID(e.Actor, cause, 0), e.ID)
		queued = append(queued, cause)
	}
	require.Len(t, queued, 3)
	failed := f.expect("GUITaskFailed", func(events.Event) bool { return true })
	require.Equal(t, events.ActorGateway, failed.Actor)
}

// replaceID puts an id in the place of ID.
func replaceID(s, id string) string { return strings.ReplaceAll(s, `"ID"`, `"`+id+`"`) }

func TestASessionWithoutAnEngineStillTakesItsTasks(t *testing.T) {
	t.Parallel()
	f := openEmpty(t)
	a := f.post("/api/gui", access.RightHuman, `{"action":"set_value","item":"ai_input","value":"x"}`)
	require.Equal(t, http.StatusServiceUnavailable, a.status, "there is no session yet")
	require.JSONEq(t, `{"value":""}`, string(f.get("/api/gui/value/ai_input", access.RightRead).body))
	require.JSONEq(t, `{"value":null}`, string(f.get("/api/gui/value/T-1", access.RightRead).body))
	require.Len(t, projections.GUIFields(), len(f.get("/api/gui/state", access.RightRead).object(t)))
}
