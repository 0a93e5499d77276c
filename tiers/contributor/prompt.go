package contributor

import (
	_ "embed"
	"fmt"

	"manualslop/events"
	"manualslop/tiers"
	"manualslop/tiers/fence"
)

//go:embed system.md
var system string

// contextRequest asks for the views that the conversation begins with: the
// tree, the target and what the ticket requires, each once.
func (r *run) contextRequest() events.ContextRequested {
	views := []events.ViewRequest{{Path: ".", View: events.ViewTree}}
	seen := map[string]bool{"": true}
	for _, path := range append([]string{r.ticket.TargetFile}, r.ticket.ContextRequirements...) {
		if !seen[path] {
			seen[path] = true
			views = append(views, events.ViewRequest{Path: path, View: events.ViewRaw})
		}
	}
	return events.ContextRequested{Tier: tier, Track: r.track, Ticket: r.ticket.ID, Attempt: r.attempt, Views: views}
}

// context opens the conversation: role, brief, and the views that a worker made.
func (r *run) context(id string, p events.ContextBuilt) {
	r.say(events.Part{Role: "system", Text: system + fence.Rule})
	brief := fmt.Sprintf("# Ticket %s\n\n%s\n", r.ticket.ID, r.prompt)
	if r.ticket.TargetFile != "" {
		brief += "\nTarget file: " + r.ticket.TargetFile + "\n"
	}
	r.say(events.Part{Role: "user", Text: brief})
	for i, v := range p.Views {
		r.say(view(id, i, v))
		if v.File != nil {
			r.learned([]events.FileState{*v.File})
		}
	}
	r.begin()
}

func view(from string, i int, v events.View) events.Part {
	head := fmt.Sprintf("## %s (%s)\n", v.Path, v.View)
	if v.Error != "" {
		return events.Part{Role: "user", Text: head + "not available: " + tiers.Clip(v.Error, MaxReason) + "\n"}
	}
	return tiers.ViewPart(from, i, v, head)
}
