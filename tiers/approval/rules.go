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

// verdict is what the rules say of a call; a higher one beats a lower one.
type verdict int

const (
	// silent: no rule speaks about the call.
	silent verdict = iota
	// allowed: it runs without a question.
	allowed
	// questioned: a person must look at it.
	questioned
	// denied: it does not run.
	denied
)

// actionOf is the verdict that a rule wants. One that nobody knows is a question.
func actionOf(r events.Rule) verdict {
	switch r.Action {
	case "allow":
		return allowed
	case "deny":
		return denied
	}
	return questioned
}

// judge finds the strongest rule about a call; its presets speak first.
func (s *State) judge(c *call) (verdict, events.Rule) {
	if len(s.rules) == 0 && len(c.presets) == 0 {
		return silent, events.Rule{}
	}
	on := s.subjectOf(c)
	best, why := presetRule(c.presets, c.tool, on)
	for _, r := range s.rules {
		if v := on.under(r); v > best {
			best, why = v, r
		}
	}
	return best, why
}

// under is what one rule says of the call. A rule that would refuse but cannot
// be judged is a question; one that would allow but cannot be judged is silent.
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

// errNoGlob stands for a rule that names no tool.
var errNoGlob = errors.New("a rule without a glob over tools")

// namesTool holds a rule's glob against a tool's name. Case does not matter
// where the rule refuses.
func namesTool(glob, name string, want verdict) (bool, error) {
	if glob == "" {
		return false, errNoGlob
	}
	if want != allowed {
		glob, name = fold(glob), fold(name)
	}
	return doublestar.Match(glob, name)
}

// allowedBy tells whether globs cover every file that the call can touch. They
// never cover a shell, nor paths that are not known to be in the workspace.
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

// covers holds an allow rule's glob against a path, to the letter. A broken glob
// covers nothing, and a wide one no file that steers programs.
func covers(glob, path string) bool {
	if !meant(glob, path) {
		return false
	}
	ok, err := doublestar.Match(strings.TrimPrefix(glob, "./"), path)
	return ok && err == nil
}

// refusedBy is what globs of a rule that refuses say: its word about a path
// that one of them hits; a question where that cannot be known.
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

// fold brings spellings to one form that some file system takes for the same
// name: the first of each letter's cases, without invisible characters.
func fold(s string) string {
	return strings.Map(func(r rune) rune {
		if chars.Format(r) {
			return -1
		}
		return chars.Fold(r)
	}, s)
}

// yesToAll is the name of the rule behind --yes, if there is one: it answers
// the gates of tools, steps and spawns, and nothing else.
func (s *State) yesToAll() (string, bool) {
	for _, r := range s.rules {
		if r.Tool == "*" && r.Action == "allow" && r.Scope == "session" && len(r.Args) == 0 {
			return ruleName(r), true
		}
	}
	return "", false
}

// ruleName is how a decision names its rule.
func ruleName(r events.Rule) string {
	if r.Source != "" {
		return tiers.Clip(r.Source, MaxReason)
	}
	return tiers.Clip(chars.Trim(r.Action+" "+r.Tool), MaxReason)
}
