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

// Heads of the prompts of tier 3: without a shell, and for each one.
const (
	textRole       = "contributor"
	textPowerShell = "contributor-powershell"
	textBash       = "contributor-bash"
	textSh         = "contributor-sh"
)

// Texts are what prompts of tier 3 are made of word for word, by name.
func Texts() map[string]string {
	unix := func(shell string) string { return system + strings.ReplaceAll(posix, "SHELL", shell) + fence.Rule }
	return map[string]string{textRole: system + fence.Rule, textPowerShell: system + powershell + fence.Rule,
		textBash: unix("bash"), textSh: unix("sh")}
}

// role names the text of the role: what a contributor does, and how to use the
// shell if it has one.
func role(shell string, tools []string) string {
	switch {
	case !slices.Contains(tools, shellTool):
		return textRole
	case shell == "bash":
		return textBash
	case shell == "sh":
		return textSh
	}
	return textPowerShell
}

// context opens the conversation, what is the same for most tickets first: the
// system's words, the project's, the brief, and the views that a worker made.
func (r *run) context(s *State, id string, p events.ContextBuilt) {
	seat := r.seat().Take(s.settings)
	r.tools, r.bias = s.offer(seat, r.ticket.TargetFile), seat.Bias.Name
	rules, others := tiers.SplitRules(s.opened, id, p.Views)
	r.talk.Open(seat.System(tiers.Words(s.basis, role(s.settings.Shell, r.tools)), r.tools)...)
	r.talk.Open(seat.Environment(s.settings)...)
	r.talk.Rules(rules...)
	r.talk.Open(seat.Project(s.opened)...)
	brief := fmt.Sprintf("# Ticket %s\n\n%s\n", r.ticket.ID, fence.Neutralise(r.prompt))
	if r.ticket.TargetFile != "" {
		brief += "\nTarget file: " + tiers.Line(r.ticket.TargetFile) + "\n"
	}
	r.talk.Open(events.Part{Role: "user", Text: brief + checkLine(r.ticket.Proof)})
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
	p := tiers.ViewPart(from, i, v, head)
	if v.View == events.ViewRaw && v.Size > MaxShown && p.SHA256 != "" {
		p.Head = MaxShown
		p.Suffix = fmt.Sprintf("\nOf %s, these are the first %d characters; it has %d bytes. Look at its outline and read "+
			"what you need of the rest with tools.\n",
			tiers.Line(v.Path), MaxShown, v.Size)
	}
	return p
}
