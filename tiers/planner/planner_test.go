package planner_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"manualslop/events"
	"manualslop/tiers/basis"
	"manualslop/tiers/fence"
	"manualslop/tiers/planner"
	"manualslop/tiers/tierstest"
)

type scenarios = []tierstest.Scenario

var goalID = tierstest.ID(2)

func opened() events.Payload {
	temperature := 0.5
	return events.SessionOpened{Basis: basis.Of("test"), Settings: events.Settings{Tiers: []events.TierSettings{
		{Tier: 1, Provider: "script", Models: []string{"m0", "m1"}, Temperature: &temperature, MaxOutputTokens: 100},
		{Tier: 2, Provider: "other", Models: []string{"x"}},
	}}}
}

func goal() events.Payload { return events.GoalSubmitted{Goal: "Mend the parser"} }

// built answers the newest request for context.
func built(views ...events.View) events.Payload {
	return tierstest.With(func(h *tierstest.History) events.Payload {
		return events.ContextBuilt{Request: h.LastID("ContextRequested"), Views: views}
	})
}

func tree() events.View {
	return events.View{Path: ".", View: events.ViewTree, Text: "a.go\n", SHA256: "aa", Size: 5}
}

// replied answers the newest model request.
func replied(text string) events.Payload { return tierstest.Replied(text) }

func failedWith(kind string) events.Payload { return tierstest.Failed(kind, "boom") }

func asked() []events.Payload { return []events.Payload{opened(), goal(), built(tree())} }

func then(p ...events.Payload) []events.Payload { return p }

// after is a longer history; the one it continues stays as it is.
func after(base []events.Payload, more ...events.Payload) []events.Payload {
	return slices.Concat(base, more)
}

func failure(attempts int, text string) events.Payload {
	return events.PlanningFailed{Tier: 1, Goal: goalID, Attempts: attempts, Error: text}
}

func proposed(tracks ...events.Track) events.Payload {
	return events.TracksProposed{Goal: goalID, Tracks: tracks}
}

func requested(look func(testing.TB, events.ModelRequested)) events.Payload {
	return tierstest.Check(look)
}

func TestPlanningAGoal(t *testing.T) {
	t.Parallel()
	tierstest.Run(t, planner.Decider(), scenarios{
		{Name: "a goal of one ticket has no plan", Given: then(opened()),
			When: events.GoalSubmitted{Goal: "Mend the parser", Solo: true}},
		{
			Name: "a goal asks for the project's tree and guiding documents", Given: then(opened()), When: goal(),
			Then: then(events.ContextRequested{Tier: 1, Goal: goalID, Views: []events.ViewRequest{
				{Path: "AGENTS.md", View: "raw"}, {Path: "CLAUDE.md", View: "raw"}, {Path: ".", View: "tree"},
				{Path: "README.md", View: "raw"},
			}}),
		},
		{
			Name: "the prompt is rules, project, goal", Given: then(opened(), goal()),
			When: built(tree(), events.View{Path: "AGENTS.md", View: "raw", Error: "no such file"},
				events.View{Path: "README.md", View: "raw", SHA256: "bb", Size: 9, Blob: true}),
			Then: then(requested(func(t testing.TB, r events.ModelRequested) {
				require.Equal(t, "Tier 1", r.StreamID)
				require.Equal(t, goalID, r.Goal)
				require.Equal(t, []any{1, 1, 1, "script", "m0", 100}, []any{r.Tier, r.Attempt, r.Round, r.Provider, r.Model,
					r.Params.MaxOutputTokens})
				require.Len(t, r.Manifest, 4)
				require.Equal(t, "system", r.Manifest[0].Role)
				require.Contains(t, tierstest.TextOf(t, planner.Texts(), r.Manifest[0]), "JSON array")
				require.Equal(t, events.Part{Role: "user", SHA256: "aa", Size: 5, From: tierstest.ID(3),
					Prefix: "# Project files\n\n", Suffix: "\n", Origin: fence.Repo, Fence: fence.Nonce(tierstest.ID(3), 0)},
					r.Manifest[1])
				require.Equal(t, events.Part{Role: "user", SHA256: "bb", Size: 9, Prefix: "# README.md\n\n", Suffix: "\n",
					Origin: fence.Repo, Fence: fence.Nonce(tierstest.ID(3), 2)}, r.Manifest[2])
				require.Equal(t, events.Part{Role: "user", Text: "# Goal\n\nMend the parser\n" + planner.OrSolo}, r.Manifest[3])
				digest, err := events.ManifestDigest(r.Manifest)
				require.NoError(t, err)
				require.Equal(t, digest, r.SHA256)
			})),
		},
		{
			Name: "a document over the limit is named only", Given: then(opened(), goal()),
			When: built(tree(), events.View{Path: "README.md", View: "raw", SHA256: "bb", Size: 64<<10 + 1}),
			Then: then(requested(func(t testing.TB, r events.ModelRequested) {
				require.Equal(t, "# README.md\n\nIt is too large to show: 65537 bytes.\n", r.Manifest[2].Text)
			})),
		},
		{
			Name: "a tree that cannot be shown is said so", Given: then(opened(), goal()),
			When: built(events.View{Path: ".", View: "tree", Error: "denied"}),
			Then: then(requested(func(t testing.TB, r events.ModelRequested) {
				require.Equal(t, "# Project files\n\nIt cannot be shown: denied\n", r.Manifest[1].Text)
			})),
		},
		{
			Name: "a usable reply proposes tracks", Given: asked(),
			When: replied("Here:\n```json\n" +
				`{"tracks":[{"id":"P","title":"Parser","description":"mend","modules":["a.go"],"severity":"high","acceptance":["ok"],"mood":1},{"description":"more"}]}` + "\n```"),
			Then: then(proposed(
				events.Track{ID: "P", Title: "Parser", Description: "mend", Modules: []string{"a.go"}, Severity: "high",
					Acceptance: []string{"ok"}},
				events.Track{ID: "TR-2", Description: "more"})),
		},
		{
			Name: "a missing id does not take another's", Given: asked(),
			When: replied(`[{"description":"a"},{"id":"TR-1","description":"b"}]`),
			Then: then(proposed(events.Track{ID: "TR-2", Description: "a"}, events.Track{ID: "TR-1", Description: "b"})),
		},
		{Name: "somebody else's context does not count", Given: then(opened(), goal()), When: events.ContextBuilt{
			Request: "x"}},
		{Name: "a second context does not count", Given: asked(), When: built(tree())},
		{Name: "somebody else's reply does not count", Given: asked(), When: events.ModelReplied{Request: "x",
			Text: `[{"description":"a"}]`}},
		{
			Name: "a second reply does not count", Given: after(asked(), replied(`[{"description":"a"}]`)),
			When: replied(`[{"description":"b"}]`),
		},
		{
			Name: "an empty goal fails at once", Given: then(opened()), When: events.GoalSubmitted{Goal: " \n"},
			Then: then(failure(0, "the goal is empty")),
		},
		{
			Name: "a goal at the limit is planned", Given: then(opened()), When: events.GoalSubmitted{Goal: strings.Repeat("x",
				planner.MaxGoalBytes)},
			Then: then(tierstest.Check(func(testing.TB, events.ContextRequested) {})),
		},
		{
			Name: "a goal over the limit fails at once", Given: then(opened()), When: events.GoalSubmitted{
				Goal: strings.Repeat("x", planner.MaxGoalBytes+1)},
			Then: then(failure(0, "the goal is 65537 bytes long, at most 65536 are allowed")),
		},
	})
}

func TestUnusableReplies(t *testing.T) {
	t.Parallel()
	tierstest.Run(t, planner.Decider(), scenarios{
		{
			Name: "the reply and what is wrong with it go back, to the next model", Given: asked(), When: replied("no idea"),
			Then: then(requested(func(t testing.TB, r events.ModelRequested) {
				require.Equal(t, []any{2, 1, "m1"}, []any{r.Round, r.Attempt, r.Model})
				require.Len(t, r.Manifest, 5)
				require.Equal(t, events.Part{Role: "assistant", SHA256: events.Digest([]byte("no idea")), Size: 7,
					From: tierstest.ID(4)}, r.Manifest[3])
				require.Equal(t, "user", r.Manifest[4].Role)
				require.True(t, strings.HasPrefix(r.Manifest[4].Text, "Your reply could not be used: the reply contains no JSON "+
					"array of objects\n"))
				digest, err := events.ManifestDigest(r.Manifest)
				require.NoError(t, err)
				require.Equal(t, digest, r.SHA256)
			})),
		},
		{
			Name: "the second correction keeps the first", Given: after(asked(), replied("no idea")), When: replied("[]"),
			Then: then(requested(func(t testing.TB, r events.ModelRequested) {
				require.Len(t, r.Manifest, 7)
				require.Equal(t, 3, r.Round)
				require.Contains(t, r.Manifest[6].Text, "the array holds no track")
			})),
		},
		{
			Name: "the third unusable reply is the end", Given: after(asked(), replied("no idea"), replied("[]")),
			When: replied(`[{"description":7}]`),
			Then: then(failure(3, `item 1: field "description" must be a string`)),
		},
		{
			Name: "the third reply may still be right", Given: after(asked(), replied("no idea"), replied("[]")),
			When: replied(`[{"description":"a"}]`),
			Then: then(proposed(events.Track{ID: "TR-1", Description: "a"})),
		},
		{
			Name: "a reply without text is not sent back", Given: asked(), When: replied(""),
			Then: then(requested(func(t testing.TB, r events.ModelRequested) { require.Len(t, r.Manifest, 4) })),
		},
		{
			Name: "a reply that calls tools nobody offered is not sent back", Given: asked(),
			When: tierstest.With(func(h *tierstest.History) events.Payload {
				return events.ModelReplied{Request: h.LastID("ModelRequested"), Text: "let me look", SHA256: "cc",
					Calls: []events.ToolCall{{ID: "x", Name: "read_file", Args: json.RawMessage(`{}`)}}}
			}),
			Then: then(requested(func(t testing.TB, r events.ModelRequested) { require.Len(t, r.Manifest, 4) })),
		},
		{
			Name: "but why it is of no use is", Given: asked(),
			When: tierstest.With(func(h *tierstest.History) events.Payload {
				return events.ModelReplied{Request: h.LastID("ModelRequested"), Text: "let me look", SHA256: "cc",
					Finish: "tool_calls",
					Calls:  []events.ToolCall{{ID: "x", Name: "read_file", Args: json.RawMessage(`{}`), Malformed: "cut"}}}
			}),
			Then: then(requested(func(t testing.TB, r events.ModelRequested) {
				require.Contains(t, r.Manifest[3].Text, "(it calls tools; you have none, answer in words)")
			})),
		},
		{
			Name: "a plan that was cut off is no plan, whatever is whole in it", Given: asked(),
			When: tierstest.With(func(h *tierstest.History) events.Payload {
				return events.ModelReplied{Request: h.LastID("ModelRequested"), Text: `[{"description":"a"}] or better [{"descr`,
					SHA256: "cc", Finish: "max_tokens"}
			}),
			Then: then(requested(func(t testing.TB, r events.ModelRequested) {
				require.Contains(t, r.Manifest[4].Text,
					"it is not finished (the reply was cut off at the output limit; be briefer)")
			})),
		},
		{
			Name: "a reply cut off at the output limit is told so", Given: asked(),
			When: tierstest.With(func(h *tierstest.History) events.Payload {
				return events.ModelReplied{Request: h.LastID("ModelRequested"), Text: `[{"description":`, SHA256: "cc",
					Finish: "max_tokens"}
			}),
			Then: then(requested(func(t testing.TB, r events.ModelRequested) {
				require.Contains(t, r.Manifest[4].Text, "never closed (the reply was cut off at the output limit; be briefer)")
			})),
		},
	})
	for _, c := range []struct{ name, reply, want string }{
		{"a missing description", `[{"id":"a"}]`, "track 1: the description is missing"},
		{"an overlong description", `[{"description":"` + strings.Repeat("x", 32<<10+1) + `"}]`,
			"track 1: the description is 32769 bytes long"},
		{"an overlong track", `[{"description":"a","acceptance":["` + strings.Repeat("x", 128<<10) + `"]}]`,
			"track 1: it is 1311"},
		{"an id twice", `[{"id":"a","description":"x"},{"id":"a","description":"y"}]`, "track 2: the id a is used twice"},
		{"a bad id", `[{"id":"a b","description":"x"}]`, `track 1: id "a b" is not 1 to 64 characters`},
		{"65 tracks", "[" + strings.Repeat(`{"description":"x"},`, 64) + `{"description":"x"}]`,
			"65 tracks, at most 64 are allowed"},
		{"an overlong plan", "[" + strings.Repeat(`{"description":"`+strings.Repeat("x", 30<<10)+`"},`, 13) +
			`{"description":"x"}]`, "long as JSON, at most 393216"},
	} {
		tierstest.Run(t, planner.Decider(), scenarios{{
			Name: "it is told of " + c.name, Given: asked(), When: replied(c.reply),
			Then: then(requested(func(t testing.TB, r events.ModelRequested) {
				require.Contains(t, r.Manifest[len(r.Manifest)-1].Text, c.want)
			})),
		}})
	}
	tierstest.Run(t, planner.Decider(), scenarios{{
		Name: "64 tracks are allowed", Given: asked(), When: replied("[" + strings.Repeat(`{"description":"x"},`, 63) +
			`{"description":"x"}]`),
		Then: then(tierstest.Check(func(t testing.TB, p events.TracksProposed) { require.Len(t, p.Tracks, 64) })),
	}})
}

func TestModelErrors(t *testing.T) {
	t.Parallel()
	busy := failedWith(events.ModelOverloaded)
	tierstest.Run(t, planner.Decider(), scenarios{
		{
			Name: "a passing error is tried again later with the same prompt", Given: asked(), When: busy,
			Then: then(tierstest.AskedAgain(4)),
		},
		{
			Name: "the third attempt is the last", Given: after(asked(), busy, busy), When: busy,
			Then: then(failure(3, "the model failed (overloaded): boom")),
		},
		{
			Name: "an error that will not pass ends it", Given: asked(), When: failedWith(events.ModelAuth),
			Then: then(failure(1, "the model failed (auth): boom")),
		},
		{
			Name: "an exhausted script ends it", Given: after(asked(), busy), When: failedWith(events.ModelExhausted),
			Then: then(failure(2, "the model failed (script_exhausted): boom")),
		},
		{
			Name: "the late reply to a failed attempt does not count", Given: after(asked(), busy),
			When: tierstest.With(func(h *tierstest.History) events.Payload {
				return events.ModelReplied{Request: tierstest.FactID(events.ActorPlanner, 3, 0), Text: `[{"description":"a"}]`}
			}),
		},
		{
			Name: "an attempt that succeeds is read", Given: after(asked(), busy, busy), When: replied(`[{"description":"a"}]`),
			Then: then(proposed(events.Track{ID: "TR-1", Description: "a"})),
		},
		{
			Name: "failed attempts are no replies: a correction begins at attempt one", Given: after(asked(), busy, busy),
			When: replied("hm"),
			Then: then(requested(func(t testing.TB, r events.ModelRequested) {
				require.Equal(t, []any{1, 2}, []any{r.Attempt, r.Round})
				require.Nil(t, r.NotBefore)
			})),
		},
		{
			Name: "a correction may fail and be tried again", Given: after(asked(), replied("hm")), When: busy,
			Then: then(requested(func(t testing.TB, r events.ModelRequested) {
				require.Equal(t, []any{2, 2},
					[]any{r.Attempt, r.Round})
			})),
		},
		{
			Name: "an error text is cut", Given: asked(),
			When: tierstest.With(func(h *tierstest.History) events.Payload {
				return events.ModelFailed{Request: h.LastID("ModelRequested"), Kind: events.ModelAuth, Message: strings.Repeat("x",
					5000)}
			}),
			Then: then(tierstest.Check(func(t testing.TB, p events.PlanningFailed) { require.Len(t, p.Error, 2048+len("…")) })),
		},
	})
}

func TestOneGoalAtATime(t *testing.T) {
	t.Parallel()
	first := after(asked(), replied(`[{"description":"a"}]`))
	second := func(n int) events.Payload {
		return events.ContextRequested{Tier: 1, Goal: tierstest.ID(n), Views: []events.ViewRequest{
			{Path: "AGENTS.md", View: "raw"}, {Path: "CLAUDE.md", View: "raw"}, {Path: ".", View: "tree"},
			{Path: "README.md", View: "raw"},
		}}
	}
	inSecond := after(first, goal(), events.GoalCompleted{Goal: goalID}, built(tree()))
	tierstest.Run(t, planner.Decider(), scenarios{
		{Name: "a second goal waits while the first is planned", Given: asked(), When: goal()},
		{Name: "a second goal waits while the first is carried out", Given: first, When: goal()},
		{Name: "it begins when the first is completed", Given: after(first, goal()), When: events.GoalCompleted{Goal: goalID},
			Then: then(second(5))},
		{
			Name: "it begins when the first has failed", When: events.GoalFailed{Goal: goalID}, Then: then(second(5)),
			Given: after(asked(), failedWith(events.ModelAuth), goal()),
		},
		{Name: "the end of another goal does not count", Given: after(first, goal()), When: events.GoalFailed{Goal: "x"}},
		{Name: "a goal after the end begins at once", Given: after(first, events.GoalCompleted{Goal: goalID}), When: goal(),
			Then: then(second(6))},
		{
			Name: "a goal that fails twice frees the desk once", Given: after(first, goal(), goal(),
				events.GoalFailed{Goal: goalID}),
			When: events.GoalCompleted{Goal: goalID},
		},
		{
			Name: "the second prompt has of the first goal what it did, and the ids taken", Given: after(first, goal(),
				events.GoalCompleted{Goal: goalID}), When: built(tree()),
			Then: then(requested(func(t testing.TB, r events.ModelRequested) {
				require.Len(t, r.Manifest, 4)
				require.Equal(t, "- Mend the parser: completed, changed no file", r.Manifest[2].Text)
				require.Equal(t, "# Goal\n\nMend the parser\n\nTrack ids already taken: TR-1\n"+planner.OrSolo, r.Manifest[3].Text)
			})),
		},
		{
			Name: "ids go on counting", Given: inSecond, When: replied(`[{"description":"b"}]`),
			Then: then(events.TracksProposed{Goal: tierstest.ID(5), Tracks: []events.Track{{ID: "TR-2", Description: "b"}}}),
		},
		{
			Name: "an earlier goal's id is refused", Given: inSecond, When: replied(`[{"id":"TR-1","description":"b"}]`),
			Then: then(requested(func(t testing.TB, r events.ModelRequested) {
				require.Contains(t, r.Manifest[5].Text, "track 1: the id TR-1 belongs to an earlier goal")
			})),
		},
	})
}

func TestLaws(t *testing.T) {
	t.Parallel()
	history := after(asked(), failedWith(events.ModelNetwork), events.TierChanged{Provider: "other"}, replied("hm"),
		replied(`[{"description":"a"}]`), goal(),
		events.GoalCompleted{Goal: goalID}, built(tree()), replied("hm"), replied("hm"), replied("hm"))
	tierstest.Laws(t, planner.Decider(), history)
	tierstest.SilentAfterClose(t, planner.Decider(), asked(), then(opened(), goal()))
}

func TestTheEventsOfAnotherTierDoNotMatter(t *testing.T) {
	t.Parallel()
	h := tierstest.Play(t, planner.Decider(), opened(),
		events.ContextRequested{Tier: 2, Track: "TR-1"}, events.ModelRequested{Tier: 2,
			Manifest: []events.Part{{Role: "user", Text: "x"}}},
		tierstest.With(func(h *tierstest.History) events.Payload {
			return events.ModelReplied{Request: h.LastID("ModelRequested"), Text: `[{"description":"a"}]`}
		}))
	for _, e := range h.Events() {
		require.NotEqual(t, events.ActorPlanner, e.Actor, fmt.Sprint(e.Type))
	}
}

func TestTheDiscussionOfAGoalIsShownBeforeIt(t *testing.T) {
	t.Parallel()
	talk := func(to string) events.TalkAttached {
		return events.TalkAttached{To: to, Discussion: "main", Entries: []events.TurnEntry{{Entry: "1", Role: "AI", From: "1",
			SHA256: "ab", Size: 1}}}
	}
	tierstest.Run(t, planner.Decider(), scenarios{
		{Name: "its own", Given: then(opened(), talk(tierstest.ID(3)), goal()), When: built(tree()),
			Then: then(requested(func(t testing.TB, r events.ModelRequested) {
				require.Len(t, r.Manifest, 5)
				require.Contains(t, r.Manifest[2].Text, "# Discussion main\n")
				require.Equal(t, events.Part{Role: "user", Kind: events.PartEntry, From: "1", SHA256: "ab", Size: 1,
					Prefix: "[AI]\n", Suffix: "\n", Origin: fence.Program, Fence: fence.Nonce("1", 0)}, r.Manifest[3])
				require.Contains(t, r.Manifest[4].Text, "# Goal\n")
			}))},
		{Name: "of another goal", Given: then(opened(), talk("other"), goal()), When: built(tree()),
			Then: then(requested(func(t testing.TB, r events.ModelRequested) { require.Len(t, r.Manifest, 3) }))},
		{Name: "a track has no plan of tier 1", Given: then(opened()), When: events.GoalSubmitted{Goal: "g", Track: true}},
	})
}
