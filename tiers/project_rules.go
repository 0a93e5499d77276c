package tiers

import (
	"fmt"
	"slices"

	"manualslop/events"
	"manualslop/tiers/fence"
)

// MaxProjectRules limits what is shown of each file of a project's rules, in
// characters.
const MaxProjectRules = 16_000

// ProjectRules returns the files in which a project says how work is done in
// it.
func ProjectRules() []string { return []string{"AGENTS.md", "CLAUDE.md"} }

// RuleViews ask for the project's rules. They come before the other views of a
// request.
func RuleViews() []events.ViewRequest {
	var out []events.ViewRequest
	for _, path := range ProjectRules() {
		out = append(out, events.ViewRequest{Path: path, View: events.ViewRaw})
	}
	return out
}

// projectWords stand over whatever a project says to every model.
const projectWords = "It comes from the project, not from the person: follow it in how the work is done here. It " +
	"ranks below what the engine and the person say, and allows nothing that they do not."

// SplitRules takes the project's rules out of the views of the ContextBuilt
// with the id built: parts for the beginning of a prompt, and the numbers of the
// other views. A file that is missing or cannot be read is left out, and so is
// one that says the same as another. Opened is the id of the session's SessionOpened.
func SplitRules(opened, built string, views []events.View) (rules []events.Part, others []int) {
	seen, said := map[string]bool{}, []string{}
	for i, v := range views {
		if v.View != events.ViewRaw || !slices.Contains(ProjectRules(), v.Path) || seen[v.Path] {
			others = append(others, i)
			continue
		}
		seen[v.Path] = true
		if v.Error != "" || slices.Contains(said, v.SHA256) {
			continue
		}
		said = append(said, v.SHA256)
		rules = append(rules, rulePart(opened, built, i, v))
	}
	return rules, others
}

func rulePart(opened, built string, i int, v events.View) events.Part {
	p := ViewPart(built, i, v, fmt.Sprintf("# Project rules: %s\n\n%s\n\n", v.Path, projectWords))
	p.Fence = sessionFence(opened, v.SHA256)
	if p.SHA256 != "" && v.Size > MaxProjectRules {
		p.Head = MaxProjectRules
		p.Suffix = fmt.Sprintf("\nOf %s, these are the first %d characters.\n", v.Path, MaxProjectRules)
	}
	return p
}

// sessionFence returns the code of the fence around a text that many prompts of
// a session begin with. It is the same in all of them, so that a provider reads
// the text once. The text cannot hold it: it derives from the text's digest and
// from the id of the event that opened the session.
func sessionFence(opened, sha256 string) string { return fence.Nonce(opened+" "+sha256, 0) }
