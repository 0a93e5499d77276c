package approval

import (
	"errors"
	"slices"
	"strings"

	"github.com/bmatcuk/doublestar/v4"

	"manualslop/events"
	"manualslop/events/chars"
	"manualslop/tiers"
)

// verdict is the result of the rules for a call; a higher one beats a lower
// one.
type verdict int

const (
	// silent: no rule applies to the call.
	silent verdict = iota
	// allowed: the call runs without an ask.
	allowed
	// questioned: a user must decide.
	questioned
	// denied: the call does not run.
	denied
)

// actionOf returns the verdict that a rule asks for. An unknown action means questioned.
func actionOf(r events.Rule) verdict {
	switch r.Action {
	case "allow":
		return allowed
	case "deny":
		return denied
	}
	return questioned
}

// judge returns the strongest verdict for a call and its rule; presets come before rules.
func (s *State) judge(c *call) (verdict, events.Rule) {
	if len(s.rules) == 0 && len(c.presets) == 0 {
		return silent, events.Rule{}
	}
	on := s.subjectOf(c)
	best, why := presetRule(c.presets, c.tool, on)
	for _, r := range s.rules {
		if s.overCommands(c, r) || !s.inScope(c, r) {
			continue
		}
		if v := on.under(r); v > best {
			best, why = v, r
		}
	}
	if v, r := s.judgeCommands(c); v > best {
		best, why = v, r
	}
	return best, why
}

// inScope reports whether a rule counts for the call's ticket. Older decisions know no rules of
// tickets.
func (s *State) inScope(c *call, r events.Rule) bool {
	ticket, only := strings.CutPrefix(r.Scope, events.RuleForTicket)
	return !only || ticket == c.request.Ticket && s.basis.Decision(events.ActorApproval) >= 2
}

// standing is like judge, but returns a question for a call that no allow rule answers for.
func (s *State) standing(c *call) (verdict, events.Rule) {
	v, rule := s.judge(c)
	if v == allowed {
		if why, _ := s.hazard(c); why != "" || c.request.Tool == events.PatchTool {
			return questioned, events.Rule{}
		}
	}
	return v, rule
}

// settleByRules settles the open asks about calls that the rules of now allow or deny. Older
// decisions leave them to the user.
func (s *State) settleByRules(e *events.Event) {
	if s.basis.Decision(events.ActorApproval) < 2 {
		return
	}
	for _, a := range s.open {
		c := s.calls[a.call]
		if a.gate != events.GateTool || c == nil || c.tried != nil {
			continue
		}
		switch v, rule := s.standing(c); v {
		case allowed:
			s.settle(a, events.AskSettled{Outcome: events.Yes, By: byRule, AnswerID: e.ID, Reason: ruleName(rule), At: e.Time})
		case denied:
			s.settle(a, events.AskSettled{Outcome: events.No, By: byRule, AnswerID: e.ID, Reason: forbids(rule), At: e.Time})
		}
	}
}

// under returns the verdict of one rule for the call. If the rule cannot be evaluated, a deny rule
// gives questioned and an allow rule gives silent.
func (c subject) under(r events.Rule) verdict {
	want := actionOf(r)
	named, err := namesTool(r.Tool, c.tool, want)
	switch {
	case err != nil && want == allowed, err == nil && !named:
		return silent
	case err != nil:
		return questioned
	case len(r.Args) == 0:
		return want
	case want == allowed:
		return c.allowedBy(r.Args)
	}
	return c.refusedBy(r.Args, want)
}

// errNoGlob means that a rule has no glob for tool names.
var errNoGlob = errors.New("a rule without a glob over tools")

// namesTool matches a rule's glob with a tool's name. Deny rules ignore case.
func namesTool(glob, name string, want verdict) (bool, error) {
	if glob == "" {
		return false, errNoGlob
	}
	if want != allowed {
		glob, name = fold(glob), fold(name)
	}
	return doublestar.Match(glob, name)
}

// allowedBy returns allowed if globs cover every file that the call can touch. They never cover a
// shell, nor paths that are not known to be in the workspace.
func (c subject) allowedBy(globs []string) verdict {
	if !c.confined || !c.exact || len(c.paths) == 0 {
		return silent
	}
	for _, p := range c.paths {
		if !slices.ContainsFunc(globs, func(g string) bool { return covers(g, p) }) {
			return silent
		}
	}
	return allowed
}

// covers reports whether an allow rule's glob matches a path exactly. An invalid glob covers
// nothing, and a wide glob does not cover files that steer programs.
func covers(glob, path string) bool {
	if !meant(glob, path) {
		return false
	}
	ok, err := doublestar.Match(strings.TrimPrefix(glob, "./"), path)
	return ok && err == nil
}

// refusedBy returns want if one of a deny rule's globs matches a path of the call, and questioned
// if that cannot be determined.
func (c subject) refusedBy(globs []string, want verdict) verdict {
	out := silent
	if !c.confined || !c.exact || len(c.paths) == 0 {
		out = questioned
	}
	for _, g := range globs {
		g = c.workspace.glob(g)
		if !doublestar.ValidatePattern(g) {
			out = questioned
			continue
		}
		hits := func(p string) bool { return doublestar.MatchUnvalidated(g, fold(p)) }
		if slices.ContainsFunc(c.paths, hits) {
			return want
		}
		if slices.ContainsFunc(c.texts, hits) {
			out = questioned
		}
	}
	return out
}

// fold maps spellings that some file systems treat as the same name to one form: one case for each
// letter, no invisible characters.
func fold(s string) string {
	return strings.Map(func(r rune) rune {
		if chars.Format(r) {
			return -1
		}
		return chars.Fold(r)
	}, s)
}

// yesToAll returns the name of the rule that --yes sets, if there is one. It answers tool, step
// and spawn gates, and nothing else.
func (s *State) yesToAll() (string, bool) {
	for _, r := range s.rules {
		if r.Tool == "*" && r.Action == "allow" && r.Scope == "session" && len(r.Args) == 0 {
			return ruleName(r), true
		}
	}
	return "", false
}

// ruleName returns the name of a rule in decisions.
func ruleName(r events.Rule) string {
	if r.Source != "" {
		return tiers.Clip(r.Source, MaxReason)
	}
	return tiers.Clip(chars.Trim(r.Action+" "+r.Tool), MaxReason)
}
