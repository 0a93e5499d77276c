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

// The texts of the role and the instructions for each shell.
var (
	//go:embed system.md
	system string
	//go:embed powershell.md
	powershell string
	//go:embed posix.md
	posix string
	//go:embed discussion.md
	discussion string
)

// shellTool is the tool that runs scripts.
const shellTool = "run_powershell"

// Names of the first texts of prompts: for tickets and for turns, without a shell, and the
// suffixes for each shell.
const (
	textRole       = "contributor"
	textTurn       = "discussion"
	withPowerShell = "-powershell"
	withBash       = "-bash"
	withSh         = "-sh"
)

// Texts returns the verbatim texts of the contributor's prompts, by name.
func Texts() map[string]string {
	out := map[string]string{textCompact: compact + fence.Rule}
	// order-independent: the names differ
	for name, text := range map[string]string{textRole: system, textTurn: discussion} {
		out[name] = text + fence.Rule
		out[name+withPowerShell] = text + powershell + fence.Rule
		out[name+withBash] = text + strings.ReplaceAll(posix, "SHELL", "bash") + fence.Rule
		out[name+withSh] = text + strings.ReplaceAll(posix, "SHELL", "sh") + fence.Rule
	}
	return out
}

// role returns the name of the role's text: what the model does, and how to use the shell if it
// has one.
func (r *run) role(shell string) string {
	name := textRole
	if r.turn != nil {
		name = textTurn
	}
	switch {
	case !slices.Contains(r.tools, shellTool):
		return name
	case shell == "bash":
		return name + withBash
	case shell == "sh":
		return name + withSh
	}
	return name + withPowerShell
}

// context starts the conversation. It begins with what is the same for most tickets: the system
// texts and the project's texts. The brief and the views that a worker made follow.
func (r *run) context(s *State, id string, p events.ContextBuilt) {
	seat := r.seat().Take(s.settings)
	r.tools, r.bias = s.offer(seat, r.ticket.TargetFile), seat.Bias.Name
	rules, others := tiers.SplitRules(s.opened, id, p.Views)
	r.talk.Open(seat.System(tiers.Words(s.basis, r.role(s.settings.Shell)), r.tools)...)
	r.talk.Open(seat.Environment(s.settings)...)
	r.talk.Rules(rules...)
	r.talk.Open(seat.Project(s.opened)...)
	if r.turn == nil {
		r.talk.Open(r.brief())
		r.showTalks(s)
	}
	if s.goals.Solo(r.ticket.ID) && s.basis.Decision(events.ActorContributor) >= 3 {
		for _, p := range s.goals.Earlier(id, len(p.Views)) {
			r.talk.Show("earlier goals", p)
		}
	}
	for _, i := range others {
		if v := p.Views[i].View; v != events.ViewState && v != events.ViewRetrieved {
			r.learnText(s, p.Views[i].SHA256, p.Views[i].Text)
			r.talk.Show(p.Views[i].Path, view(id, i, p.Views[i]))
		}
	}
	for _, v := range p.Views {
		if v.File == nil {
			continue
		}
		_, known := r.files[v.File.Path]
		// a diff cannot show the unread rest of a file that was read in part, unless the file is
		// tracked
		if v.View == events.ViewRaw || v.View == events.ViewState && !known {
			r.learned([]events.FileState{*v.File})
		}
	}
	if r.turn != nil {
		r.openTurn(s, id, p.Views)
	}
	r.phase = startRound
}

// showTalks shows the discussions that people attached to the ticket.
func (r *run) showTalks(s *State) {
	for _, t := range s.talks[r.ticket.ID] {
		r.talk.Open(t.Heading())
		for _, p := range t.Parts(s.origins) {
			r.talk.Show("discussion "+t.Discussion, p)
		}
	}
}

// brief returns the description of the ticket for the model.
func (r *run) brief() events.Part {
	text := fmt.Sprintf("# Ticket %s\n\n%s\n", r.ticket.ID, fence.Neutralise(r.prompt))
	if r.ticket.TargetFile != "" {
		text += "\nTarget file: " + tiers.Line(r.ticket.TargetFile) + "\n"
	}
	return events.Part{Role: "user", Text: text + checkLine(r.ticket.Proof)}
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
