package qa

import (
	_ "embed"
	"fmt"
	"strings"

	"manualslop/events"
	"manualslop/events/chars"
	"manualslop/tiers"
	"manualslop/tiers/fence"
)

var (
	//go:embed system.md
	system string
	//go:embed linter.md
	linterPrompt string
	//go:embed patch.md
	patchPrompt string
)

// Names of the first texts of tier 4's prompts: for a failure, for a linter's failure, and for a
// patch.
const (
	textRole   = "qa"
	textLinter = "qa-linter"
	textPatch  = "qa-patch"
)

// Texts returns the verbatim texts of tier 4's prompts, by name.
func Texts() map[string]string {
	return map[string]string{textRole: system + fence.Rule, textLinter: linterPrompt + fence.Rule, textPatch: patchPrompt +
		fence.Rule}
}

// Limits of what tier 4 reads and writes, in bytes, without the mark of a cut.
const (
	MaxTrace = 4000
	MaxHint  = 400
)

// StreamID is tier 4's key in mma_streams.
const StreamID = "Tier 4"

// tier is the tier of this package.
const tier = 4

// triage is one failed call that tier 4 explains.
type triage struct {
	call   string
	origin *call
}

func (t *triage) skip(reason string) events.Payload { return skipped(t.call, t.origin.ticket, reason) }

func (t *triage) moot(s *State) string {
	if s.over(t.origin) {
		return killedReason
	}
	return ""
}

func skipped(call, ticket, reason string) events.HintSkipped {
	return events.HintSkipped{Call: call, Ticket: ticket, Reason: reason}
}

const killedReason = "the ticket was killed"

// triage asks tier 4 about the outcome in the event id, or records why it does not.
func (s *State) triage(id string, c *call, p events.ToolSettled) []events.Payload {
	t := &triage{call: p.Call, origin: c}
	seen := trace(id, p)
	c.trace = &seen
	switch {
	case s.over(c):
		return []events.Payload{t.skip(killedReason)}
	case s.settings.QADisabled || s.provider() == "":
		return []events.Payload{t.skip("disabled")}
	}
	out := s.opening(c, c.role())
	out.triage = t
	out.about.Call, out.about.Ticket, out.about.TicketAttempt = p.Call, c.ticket, c.attempt
	return s.send(out)
}

// opening returns the beginning of every prompt of tier 4: the role, which is a text of the basis,
// the instructions of the user and the project, and the output of the failed call.
func (s *State) opening(c *call, role string) *talk {
	taken := tiers.Seat{Tier: tier}.Take(s.settings)
	t := &talk{}
	t.prompt.Open(taken.System(tiers.Words(s.basis, role), nil)...)
	t.prompt.Rules(s.rules[c.ticket]...)
	t.prompt.Open(taken.Project(s.opened)...)
	t.prompt.Open(*c.trace)
	return t
}

// provider returns the provider of tier 4; empty if there is none.
func (s *State) provider() string { return tiers.Seat{Tier: tier}.Take(s.settings).Provider }

// trace returns what tier 4 reads about a failure: how the command ended, and the end of its
// output.
func trace(id string, p events.ToolSettled) events.Part {
	exit := "no exit code"
	if p.Exit != nil {
		exit = fmt.Sprintf("exit code %d", *p.Exit)
	}
	out := p.Stderr
	if chars.Trim(out) == "" {
		out = p.Text
	}
	return events.Part{Role: "user", Prefix: fmt.Sprintf("%s, %s\n\n", p.Interpreter, exit), Text: tail(out, MaxTrace),
		Origin: fence.Program, Fence: fence.Nonce(id, 0)}
}

// tail returns at most the last n bytes of a text without splitting a character, with a mark if
// something was cut.
func tail(s string, n int) string {
	if len(s) <= n {
		return s
	}
	return "…" + tiers.Tail(s, n)
}

func (t *triage) replied(p events.ModelReplied) events.Payload {
	hint := strings.Join(chars.Words(tiers.WithoutThoughts(p.Text)), " ")
	switch {
	case p.Finish == "max_tokens":
		return t.skip("the reply was cut off by max_output_tokens")
	case hint == "":
		return t.skip("the model sent no text")
	}
	return events.HintGiven{Call: t.call, Ticket: t.origin.ticket, Hint: t.origin.named(hint)}
}
