package approval

import (
	"encoding/json"
	"slices"
	"strings"

	"manualslop/events"
	"manualslop/events/policy/commands"
	"manualslop/tiers"
)

// overCommands reports whether a rule's globs are patterns for the commands in the call's script.
// Older decisions treat them as path globs.
func (s *State) overCommands(c *call, r events.Rule) bool {
	return s.inScope(c, r) && r.Tool == commands.Tool && c.request.Tool == commands.Tool && len(r.Args) > 0 &&
		s.basis.Decision(events.ActorApproval) >= 2
}

// judgeCommands returns the strongest verdict for the commands of a call and its rule. Allow rules
// are combined: each command must be allowed by one of them.
func (s *State) judgeCommands(c *call) (verdict, events.Rule) {
	over := slices.DeleteFunc(slices.Clone(s.rules), func(r events.Rule) bool { return !s.overCommands(c, r) })
	if len(over) == 0 {
		return silent, events.Rule{}
	}
	script := s.scriptOf(c)
	best, why := silent, events.Rule{}
	for _, r := range over {
		if v := refusedBy(r, script); v > best {
			best, why = v, r
		}
	}
	if best > allowed {
		return best, why
	}
	patterns, of := allowing(over)
	_, used, missing := script.Uncovered(patterns)
	if missing {
		return silent, events.Rule{}
	}
	var names []string
	for _, i := range used {
		if name := ruleName(of[i]); !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return allowed, events.Rule{Tool: commands.Tool, Action: "allow", Source: strings.Join(names, ", ")}
}

// refusedBy returns the verdict of one deny or ask rule. An invalid pattern asks.
func refusedBy(r events.Rule, script commands.Script) verdict {
	want, out := actionOf(r), silent
	if want == allowed {
		return silent
	}
	for _, text := range r.Args {
		switch p, err := commands.ParseRefuse(text); {
		case err != nil:
			out = max(out, questioned)
		case p.Hit(script) == commands.Hits:
			out = want
		case p.Hit(script) == commands.MayHit:
			out = max(out, questioned)
		}
	}
	return out
}

// allowing returns the patterns of the allow rules, and the rule of each. An invalid pattern
// covers nothing.
func allowing(rules []events.Rule) (patterns []commands.Pattern, of []events.Rule) {
	for _, r := range rules {
		if actionOf(r) != allowed {
			continue
		}
		for _, text := range r.Args {
			if p, err := commands.ParseAllow(text); err == nil {
				patterns, of = append(patterns, p), append(of, r)
			}
		}
	}
	return patterns, of
}

// scriptOf analyses the script of a call for the shell of the session.
func (s *State) scriptOf(c *call) commands.Script {
	var args map[string]any
	text, is := "", false
	if json.Unmarshal(c.args, &args) == nil {
		text, is = args["script"].(string)
	}
	if !is {
		return commands.Unknown("the call has no script")
	}
	return commands.Read(text, s.settings.Shell)
}

// uncovered describes the command of a call that no rule allows while others are allowed, or
// returns "".
func (s *State) uncovered(c *call) string {
	patterns := s.commandPatterns(c)
	if len(patterns) == 0 {
		return ""
	}
	missing, _, _ := s.scriptOf(c).Uncovered(patterns)
	text := tiers.Clip(missing.String(), MaxReason)
	switch {
	case missing.Unclear == "":
		return "no rule allows the command " + text
	case text == "":
		return "no rule can allow this script: " + missing.Unclear
	}
	return "no rule can allow the command " + text + ": " + missing.Unclear
}
