package contributor

import (
	_ "embed"
	"fmt"
	"slices"
	"strings"

	"manualslop/events"
	"manualslop/tiers"
	"manualslop/tiers/fence"
)

// The texts of the role, and of how the shell that is there is used.
var (
	//go:embed system.md
	system string
	//go:embed powershell.md
	powershell string
	//go:embed posix.md
	posix string
)

// shellTool is the tool that runs scripts.
const shellTool = "run_powershell"

// role is the text of the role: what a contributor does, and how to use the
// shell if it has one.
func role(shell string, tools []string) string {
	switch {
	case !slices.Contains(tools, shellTool):
		return system + fence.Rule
	case shell == "bash" || shell == "sh":
		return system + strings.ReplaceAll(posix, "SHELL", shell) + fence.Rule
	}
	return system + powershell + fence.Rule
}

// context opens the conversation, what is the same for most tickets first: the
// system's words, the project's, the brief, and the views that a worker made.
func (r *run) context(s *State, id string, p events.ContextBuilt) {
	seat := r.seat().Take(s.settings)
	r.tools, r.bias = seat.Presets.Of(s.tools), seat.Bias.Name
	rules, others := tiers.SplitRules(id, p.Views)
	r.talk.Open(seat.System(role(s.settings.Shell, r.tools), r.tools)...)
	r.talk.Rules(rules...)
	r.talk.Open(seat.Project(id)...)
	brief := fmt.Sprintf("# Ticket %s\n\n%s\n", r.ticket.ID, fence.Neutralise(r.prompt))
	if r.ticket.TargetFile != "" {
		brief += "\nTarget file: " + tiers.Line(r.ticket.TargetFile) + "\n"
	}
	r.talk.Open(events.Part{Role: "user", Text: brief})
	for _, i := range others {
		r.talk.Show(p.Views[i].Path, view(id, i, p.Views[i]))
	}
	for _, v := range p.Views {
		if v.File != nil && v.View == events.ViewRaw { // of a file seen in part, no diff shows the rest
			r.learned([]events.FileState{*v.File})
		}
	}
	r.phase = startRound
}

func view(from string, i int, v events.View) events.Part {
	head := fmt.Sprintf("## %s (%s)\n", tiers.Line(v.Path), v.View)
	if v.Error != "" {
		return events.Part{Role: "user", Text: head + "not available: " + tiers.Line(tiers.Clip(v.Error, MaxReason)) + "\n"}
	}
	return tiers.ViewPart(from, i, v, head)
}
