package contributor

import (
	"encoding/json"
	"slices"
	"strings"

	"manualslop/events"
	"manualslop/events/chars"
	"manualslop/tiers"
)

// FindTools is the tool that finds and loads more tools. The contributor answers it itself,
// because each request records the tools that it offers.
const FindTools = "find_tools"

// MaxFound limits the tools that one call of [FindTools] loads.
const MaxFound = 5

// maxServers limits the names of external servers in the offer of [FindTools], in bytes.
const maxServers = 400

// FindToolsOffer returns the offer of [FindTools] for a model. It names the external servers that have more
// tools.
func FindToolsOffer(servers ...string) events.ToolOffer {
	external := ""
	if len(servers) > 0 {
		external = " More come from these external servers: " + tiers.Clip(strings.Join(servers, ", "), maxServers) + "."
	}
	return events.ToolOffer{Name: FindTools, Effect: "reads",
		Description: "Find and load more tools.\n\nUse it when no tool you have fits: there are more for Python, C and C++ " +
			"code (structure, usages, definitions, " +
			"signatures, renaming), other languages, git, the web and beads (tickets). The tools that fit best can be called " +
			"from your next reply on." + external,
		Schema: json.RawMessage(`{"type":"object","properties":{"query":{"type":"string",` +
			`"description":"what the tool should do, in a few words, or its name","minLength":1,"maxLength":500}},"required":["query"],"additionalProperties":false}`)}
}

// findTools answers the calls of [FindTools] in the reply that was just taken.
func (r *run) findTools(s *State) {
	if r.phase != callTools || !slices.Contains(r.tools, FindTools) {
		return
	}
	r.unrequested = slices.DeleteFunc(r.unrequested, func(c *call) bool {
		if c.tool == FindTools {
			c.answer(r.load(s, c.args))
		}
		return c.tool == FindTools
	})
	r.awaitCalls()
}

// load finds tools and appends them to those already offered, whose order does not change.
func (r *run) load(s *State, args json.RawMessage) events.Part {
	var query struct{ Query string }
	if json.Unmarshal(args, &query) != nil || chars.Trim(query.Query) == "" {
		return events.Part{Text: `ERROR: find_tools needs {"query": "what the tool should do"}.`, Failed: true}
	}
	presets := r.seat().Take(s.settings).Presets
	found := s.find(query.Query, presets)
	if len(found) == 0 {
		return events.Part{Text: "No tool fits. There are: " + s.names(presets) + ".", Failed: true}
	}
	text := "You can call these from your next reply on:\n"
	for _, t := range found {
		text += "- " + t.Name + ": " + t.Summary + "\n"
		if !slices.Contains(r.tools, t.Name) {
			r.tools = append(slices.Clip(r.tools), t.Name)
		}
	}
	return events.Part{Text: text}
}

// names returns the names of the tools that the presets allow.
func (s *State) names(presets tiers.Presets) string {
	var out []string
	for _, t := range s.tools {
		if t.Name != FindTools && presets.Has(t.Name) {
			out = append(out, t.Name)
		}
	}
	return tiers.Clip(strings.Join(out, ", "), MaxReason)
}

// A query word scores the most if it is a tool's name, less if it occurs in the name, and least if
// it occurs only in the summary.
const (
	isName    = 100
	inName    = 10
	inSummary = 3
)

// find returns the allowed tools that match a query best, best first.
func (s *State) find(query string, presets tiers.Presets) []tool {
	words := strings.FieldsFunc(chars.Lower(query), func(c rune) bool {
		return c != '_' && (c < '0' || c > '9') && (c < 'a' || c > 'z')
	})
	type hit struct {
		tool
		score int
	}
	var hits []hit
	for _, t := range s.tools {
		score := 0
		name, summary := chars.Lower(t.Name), chars.Lower(t.Summary)
		for _, w := range words {
			switch {
			case w == name:
				score += isName
			case len(w) < 2:
			case strings.Contains("_"+name+"_", "_"+w):
				score += inName
			case len(w) > 2 && strings.Contains(summary, w):
				score += inSummary
			}
		}
		if score > 0 && t.Name != FindTools && presets.Has(t.Name) {
			hits = append(hits, hit{t, score})
		}
	}
	slices.SortStableFunc(hits, func(a, b hit) int { return b.score - a.score })
	var out []tool
	for _, h := range hits[:min(len(hits), MaxFound)] {
		if h.score*4 >= hits[0].score { // leave out matches that are far worse than the best
			out = append(out, h.tool)
		}
	}
	return out
}
