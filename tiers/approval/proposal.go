package approval

import (
	"cmp"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/bmatcuk/doublestar/v4"

	"manualslop/events"
	"manualslop/events/chars"
	"manualslop/events/policy/commands"
	"manualslop/tiers"
)

// Propose returns the patterns of a rule that allows what an ask is about from now on: the commands that rules do not
// cover yet, or the folders of its files; none for every call of the tool. It returns false if no rule can allow it.
func Propose(a events.AskRaised, opened events.SessionOpened, rules []events.Rule) ([]string, bool) {
	s, c, ok := asked(a, opened, rules)
	if !ok {
		return nil, false
	}
	if a.Tool == commands.Tool {
		return s.scriptOf(c).Propose(s.commandPatterns(c))
	}
	on := s.subjectOf(c)
	var globs []string
	for _, p := range on.paths {
		glob := p
		if folder := path.Dir(p); folder != "." {
			glob = folder + "/**"
		}
		globs = append(globs, glob)
	}
	slices.Sort(globs)
	return slices.Compact(globs), on.exact && (len(globs) > 0 || c.tool.only(effectNetwork) || !c.tool.confined())
}

// Covers reports whether these rules approve an ask of a session. It may return
// false for a covered call that has its own workspace and names absolute paths.
func Covers(a events.AskRaised, opened events.SessionOpened, rules []events.Rule) bool {
	s, c, ok := asked(a, opened, rules)
	if !ok {
		return false
	}
	v, _ := s.judge(c)
	return v == allowed
}

// asked returns the state and the call that an ask is about; false if no rule answers it.
func asked(a events.AskRaised, opened events.SessionOpened, rules []events.Rule) (*State, *call, bool) {
	if a.Gate != events.GateTool || len(a.Taint) > 0 || a.Tool == events.PatchTool {
		return nil, nil, false
	}
	s, c := callOf(a, opened, rules)
	return s, c, s.overTime(c) == ""
}

// OverTime reports whether an ask is about a script whose call sets a time limit above the usual one. Only a user
// answers it: neither a rule nor --yes does.
func OverTime(a events.AskRaised, opened events.SessionOpened) bool {
	s, c := callOf(a, opened, nil)
	return s.overTime(c) != ""
}

// callOf returns the state and the call that an ask of the gate tool is about.
func callOf(a events.AskRaised, opened events.SessionOpened, rules []events.Rule) (*State, *call) {
	s := newState()
	s.settings, s.workspace, s.rules = opened.Settings, opened.Workspace, rules
	s.basis, _ = s.basis.Changed(opened)
	c := &call{request: events.ToolRequested{Call: a.Call, Tool: a.Tool, Ticket: a.Ticket, Args: a.Args},
		tool: newTool(events.ToolOffer{Name: a.Tool, Effect: a.Effect}), args: a.Args}
	return s, c
}

// commandPatterns returns the patterns over commands that allow.
func (s *State) commandPatterns(c *call) []commands.Pattern {
	over := slices.DeleteFunc(slices.Clone(s.rules), func(r events.Rule) bool { return !s.overCommands(c, r) })
	patterns, _ := allowing(over)
	return patterns
}

// Scopes of a rule that a user creates from an ask: for its ticket, for its session, or for all sessions of the
// user.
const (
	ScopeTicket  = "ticket"
	ScopeSession = "session"
	ScopeConfig  = "config"
)

// RuleOf returns the rule that a user creates from an ask, with these patterns or else those of Propose. It returns an
// error if no rule can settle the ask or this one does not.
func RuleOf(a events.AskRaised, opened events.SessionOpened, rules []events.Rule, patterns []string,
	scope string) (events.Rule, error) {
	out := events.Rule{Tool: a.Tool, Action: "allow", Args: patterns, Scope: scope, Source: "yes to " + a.Ask}
	proposed, possible := Propose(a, opened, rules)
	if !possible {
		return out, errors.New("no rule can answer this question: " + unruled(a, opened, rules))
	}
	if len(patterns) == 0 {
		out.Args = proposed
	}
	switch scope {
	case ScopeSession, "":
		out.Scope = ScopeSession
	case ScopeConfig:
		out.Scope = ""
	case ScopeTicket:
		if out.Scope = events.RuleForTicket + a.Ticket; a.Ticket == "" || opened.Basis.Decision(events.ActorApproval) < 2 {
			return out, errors.New("a rule for the ticket cannot cover this question; use the scope session or config")
		}
	default:
		return out, errors.New("scope: must be ticket, session or config, got " + chars.Quote(scope))
	}
	if len(out.Args) > MaxPatterns {
		return out, fmt.Errorf("it has %d patterns; at most %d are allowed", len(out.Args), MaxPatterns)
	}
	for _, p := range out.Args {
		if err := validPattern(a.Tool, p); err != nil {
			return out, err
		}
	}
	if !Covers(a, opened, append(slices.Clip(rules), out)) {
		return out, fmt.Errorf("this rule does not settle the question: %s", RuleText(out))
	}
	return out, nil
}

// unruled says why no rule can answer an ask.
func unruled(a events.AskRaised, opened events.SessionOpened, rules []events.Rule) string {
	switch {
	case a.Gate != events.GateTool:
		return "rules answer only questions about calls of tools"
	case len(a.Taint) > 0:
		return "the model has read untrusted text (" + strings.Join(a.Taint, ", ") + ")"
	case a.Tool == events.PatchTool:
		return "a patch may name any file"
	}
	s, c, _ := asked(a, opened, rules)
	if why := s.overTime(c); why != "" {
		return why
	}
	if a.Tool == commands.Tool {
		if command, is := s.scriptOf(c).Unproposed(); is {
			why := cmp.Or(command.Unclear, "no pattern covers exactly this command")
			return strings.TrimPrefix(tiers.Clip(command.String(), MaxReason)+": "+why, ": ")
		}
	}
	return "no pattern covers exactly what it does"
}

// validPattern returns why a pattern for calls of a tool is invalid, or nil.
func validPattern(tool, pattern string) error {
	if tool == commands.Tool {
		_, err := commands.ParseAllow(pattern)
		return err
	}
	switch {
	case len(pattern) > commands.MaxPattern:
		return errors.New(tooLong("a pattern", len(pattern), commands.MaxPattern))
	case chars.Trim(pattern) == "":
		return errors.New("a pattern is empty")
	case !doublestar.ValidatePattern(pattern), strings.Count(pattern, "{") > 2,
		strings.ContainsFunc(pattern, func(r rune) bool { return !chars.Printable(r) }):
		return errors.New("must hold valid globs with at most two alternations in braces, got " + chars.Quote(pattern))
	}
	return nil
}

// RuleText says what a rule allows. Semicolons separate the patterns, because no command pattern has one.
func RuleText(r events.Rule) string {
	if len(r.Args) == 0 {
		return "every call of " + r.Tool
	}
	return r.Tool + ": " + strings.Join(r.Args, "; ")
}
