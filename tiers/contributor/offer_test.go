package contributor_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"manualslop/events"
	"manualslop/tiers"
	"manualslop/tiers/contributor"
	"manualslop/tiers/tierstest"
	"manualslop/tools/builtin"
)

// builtinTools are all tools of the program, as sessions record them.
func builtinTools() events.ToolsOffered {
	out := events.ToolsOffered{Tools: []events.ToolOffer{contributor.FindToolsOffer()}}
	for _, t := range builtin.Tools().All() {
		out.Tools = append(out.Tools, events.ToolOffer{Name: t.Spec().Name, Description: t.Spec().Text(),
			Effect: t.Spec().Effect.String(), Schema: t.Schema()})
	}
	return out
}

func speaks(languages ...string) func(*events.Settings) {
	return func(s *events.Settings) { s.Languages = languages }
}

func at(file string) func(*events.TicketStarted) {
	return func(p *events.TicketStarted) { p.Ticket.TargetFile = file }
}

func offeredTo(t *testing.T, history ...any) []string {
	t.Helper()
	return tierstest.Play(t, contributor.Decider(), given(history...)...).Last(
		"ModelRequested").Payload.(events.ModelRequested).Tools
}

func TestToolsAreThoseOfTheProjectsLanguages(t *testing.T) {
	t.Parallel()
	sizes := map[string]int64{}
	for _, o := range builtinTools().Tools {
		sizes[o.Name] = tiers.OfferSize(o)
	}
	foreign := map[string][]string{"py_": {"python"}, "ts_c_": {"c"}, "ts_cpp_": {"cpp"}, "bd_": {"beads"}}
	for _, languages := range [][]string{nil, {"other"}, {"python"}, {"c"}, {"cpp", "python"}, {"other", "c", "python"},
		{"other", "beads"}, {"python", "cpp", "other", "beads"}} {
		shared := offeredTo(t, opened(speaks(languages...)), builtinTools(), starts(1), context())
		for target, own := range map[string]string{"": "", "a.go": "", "a.py": "python", "a.c": "c", "a.cpp": "cpp"} {
			got := offeredTo(t, opened(speaks(languages...)), builtinTools(), starts(1, at(target)), context())
			require.Equal(t, shared, got[:len(shared)], "tickets share the beginning of their requests")
			require.LessOrEqual(t, len(got), contributor.MaxOffered)
			var sum int64
			for _, name := range got {
				sum += sizes[name]
				for prefix, of := range foreign {
					if strings.HasPrefix(name, prefix) {
						require.True(t, slices.Contains(languages, of[0]) || of[0] == own, "%s in %v, %s", name, languages, target)
					}
				}
			}
			require.LessOrEqual(t, sum/tiers.BytesPerToken, int64(contributor.MaxOfferedTokens))
			for _, name := range []string{contributor.FindTools, "read_file", "edit_file", "run_powershell", "find_text"} {
				require.Contains(t, got, name)
			}
			if own != "" {
				require.True(t, slices.ContainsFunc(got, func(n string) bool {
					return strings.HasPrefix(n, map[string]string{"python": "py_", "c": "ts_c_", "cpp": "ts_cpp_"}[own])
				}), "%s in %v", target, languages)
			}
		}
	}
}

func TestAFewToolsAreOfferedAsTheyAre(t *testing.T) {
	t.Parallel()
	offer := func(n, size int) events.ToolsOffered {
		out := events.ToolsOffered{Tools: []events.ToolOffer{contributor.FindToolsOffer()}}
		for i := range n {
			name := "t" + string(rune('a'+i))
			out.Tools = append(out.Tools, events.ToolOffer{Name: name, Description: strings.Repeat("x",
				size-len(name)-len("null"))})
		}
		return out
	}
	require.Len(t, offeredTo(t, opened(), offer(20, 100), starts(1), context()), 20)
	require.Equal(t, []string{contributor.FindTools}, offeredTo(t, opened(), offer(21, 100), starts(1), context()))
	require.Len(t, offeredTo(t, opened(), offer(10, contributor.MaxOfferedTokens*4/10), starts(1), context()), 10)
	require.Equal(t, []string{contributor.FindTools}, offeredTo(t, opened(), offer(10, contributor.MaxOfferedTokens*4/10+
		4), starts(1), context()))
}

func TestFoundToolsStandBehindThoseThatWereOffered(t *testing.T) {
	t.Parallel()
	begun := given(opened(speaks("other")), builtinTools(), starts(1), context())
	before := offeredTo(t, begun)
	find := func(query string) events.ToolCall { return call(contributor.FindTools, `{"query":"`+query+`"}`) }
	history := given(begun, reply("", find("python usages of a name")), reread())
	h := tierstest.Play(t, contributor.Decider(), history...)
	require.Empty(t, tierstest.All[events.ToolRequested](h), "nobody runs it")
	after := h.Last("ModelRequested").Payload.(events.ModelRequested)
	require.Equal(t, before, after.Tools[:len(before)])
	require.Equal(t, "py_find_usages", after.Tools[len(before)])
	require.LessOrEqual(t, len(after.Tools), len(before)+contributor.MaxFound)
	results := results(t, history)
	require.Contains(t, results[0].Text, "You can call these from your next reply on:\n- py_find_usages: ")

	again := given(history, reply("", find("py_find_usages")), reread())
	require.Equal(t, after.Tools, offeredTo(t, again), "what is there is not loaded again")
	named := given(begun, reply("", find("rename_symbol")), reread())
	require.Equal(t, append(slices.Clone(before), "rename_symbol"), offeredTo(t, named), "a name loads its tool alone")
}

func TestASearchThatFindsNoToolSaysWhatThereIs(t *testing.T) {
	t.Parallel()
	begun := given(opened(), builtinTools(), starts(1), context())
	for query, want := range map[string]string{`{"query":"zzz"}`: "No tool fits. There are: ",
		`{"query":" "}`: "ERROR: find_tools needs", `{}`: "ERROR: find_tools needs",
		`{"query":1}`: "ERROR: find_tools needs"} {
		history := given(begun, reply("", call(contributor.FindTools, query)), reread())
		got := results(t, history)
		require.True(t, got[0].Failed)
		require.Contains(t, got[0].Text, want)
		require.Equal(t, offeredTo(t, begun), offeredTo(t, history))
	}
}

// external are tools of ten servers, as sessions record them, with schemas of the size of those of
// common servers.
func external(n int) events.ToolsOffered {
	out := builtinTools()
	out.Tools[0] = contributor.FindToolsOffer("srv0", "srv1")
	schema := `{"type":"object","properties":{"path":{"type":"string","description":"` + strings.Repeat("x", 300) + `"}}}`
	for i := range n {
		out.Tools = append(out.Tools, events.ToolOffer{Name: fmt.Sprintf("mcp__srv%d__t%d", i%10, i), Effect: "executes",
			Description: fmt.Sprintf("MCP server srv%d: Converts currencies of kind %d.\n\n%s", i%10, i,
				strings.Repeat("y", 200)), Schema: json.RawMessage(schema)})
	}
	return out
}

// tokensOf is what a model reads of some of the tools.
func tokensOf(all events.ToolsOffered, names []string) (sum int64) {
	for _, o := range all.Tools {
		if slices.Contains(names, o.Name) {
			sum += tiers.OfferSize(o)
		}
	}
	return sum / tiers.BytesPerToken
}

func TestExternalToolsAreFoundAndNotOfferedFromTheStart(t *testing.T) {
	t.Parallel()
	all := external(200)
	var names []string
	for _, o := range all.Tools {
		names = append(names, o.Name)
	}
	begun := given(opened(), all, starts(1), context())
	before := offeredTo(t, begun)
	require.False(t, slices.ContainsFunc(before, func(n string) bool { return strings.HasPrefix(n, "mcp__") }))
	history := given(begun, reply("", call(contributor.FindTools, `{"query":"converts currencies of kind 137"}`)), reread())
	after := offeredTo(t, history)
	require.Contains(t, after, "mcp__srv7__t137")
	require.LessOrEqual(t, len(after), len(before)+contributor.MaxFound)
	t.Logf("tokens: %d of all %d tools, %d at the start, %d with those found", tokensOf(all, names), len(names),
		tokensOf(all, before), tokensOf(all, after))
	require.Less(t, 8*tokensOf(all, after), tokensOf(all, names))

	preset := events.ToolPreset{Name: "p", Tools: []events.PresetTool{{Tool: "read_file"}, {Tool: "mcp__srv3__*"}}}
	got := offeredTo(t, opened(func(s *events.Settings) {
		s.Roster.ToolPresets = []events.ToolPreset{preset}
		s.Roster.Personas = []events.Persona{{Name: "ada", ToolPreset: "p"}}
		s.Tiers[0].Persona = "ada"
	}), external(100), starts(1), context())
	require.Len(t, got, 11, "a persona has the tools of its preset")
	for _, name := range got {
		require.True(t, name == "read_file" || strings.HasPrefix(name, "mcp__srv3__"), name)
	}
}

func TestTheOfferOfFindToolsNamesTheServers(t *testing.T) {
	t.Parallel()
	require.NotContains(t, contributor.FindToolsOffer().Description, "external")
	require.Contains(t, contributor.FindToolsOffer("files", "git").Description, "external servers: files, git.")
	fits := strings.Repeat("s", 400)
	require.Contains(t, contributor.FindToolsOffer(fits).Description, fits+".")
	require.Contains(t, contributor.FindToolsOffer(fits+"s").Description, fits+"….")
}

func TestAPresetChoosesTheTools(t *testing.T) {
	t.Parallel()
	preset := events.ToolPreset{Name: "bees", Tools: []events.PresetTool{{Tool: "bd_list"}, {Tool: "py_move_def"}}}
	got := offeredTo(t, opened(func(s *events.Settings) {
		s.Tiers[0].ToolPreset, s.Roster.ToolPresets = "bees", []events.ToolPreset{preset}
	}), builtinTools(), starts(1), context())
	require.ElementsMatch(t, []string{"bd_list", "py_move_def"}, got)
	all := opened(func(s *events.Settings) {
		s.Tiers[0].ToolPreset, s.Roster.ToolPresets = "most",
			[]events.ToolPreset{{Name: "most", Tools: []events.PresetTool{{Tool: "[^p]*"}}}}
	})
	begun := given(all, builtinTools(), starts(1), context())
	require.LessOrEqual(t, len(offeredTo(t, begun)), contributor.MaxOffered)
	found := offeredTo(t,
		given(begun, reply("", call(contributor.FindTools, `{"query":"python usages definition skeleton"}`)), reread()))
	for _, name := range found {
		require.NotEqual(t, byte('p'), name[0], name)
	}
}
