package config

import (
	"errors"
	"fmt"

	"github.com/pelletier/go-toml/v2"
)

// Rule is one [[rules]] entry: exactly one of Allow, Deny and Ask is set.
type Rule struct {
	Tool   string    `toml:"tool" project:"restrict" doc:"Glob over the names of tools."`
	Allow  RuleScope `toml:"allow" items:"1000" project:"never" doc:"Run without asking."`
	Deny   RuleScope `toml:"deny" items:"1000" project:"restrict" doc:"Refuse without asking."`
	Ask    RuleScope `toml:"ask" items:"1000" project:"restrict" doc:"Always ask, even if another rule allows the call."`
	Origin string    `toml:"-"` // FILE:LINE, so that an approval can name its rule
}

// RuleScope selects the calls of a tool that a rule covers.
type RuleScope struct {
	All   bool     // every call
	Globs []string // calls whose paths match, relative to the project
}

// Set reports whether the rule sets this part.
func (s RuleScope) Set() bool { return s.All || len(s.Globs) > 0 }

// errRuleScope is returned for false and for an empty list, which would look like a rule but match nothing.
var errRuleScope = errors.New("must be true or a list with at least one glob")

// UnmarshalTOML reads true or a list of strings.
func (s *RuleScope) UnmarshalTOML(raw []byte) error {
	document := append([]byte("v = "), raw...)
	var flag struct{ V bool }
	if err := toml.Unmarshal(document, &flag); err == nil {
		*s = RuleScope{All: flag.V}
	} else {
		var list struct{ V []string }
		if err := toml.Unmarshal(document, &list); err != nil {
			return fmt.Errorf("rule: %w", errRuleScope)
		}
		*s = RuleScope{Globs: list.V}
	}
	if !s.Set() {
		return fmt.Errorf("rule: %w", errRuleScope)
	}
	return nil
}

// RuleAction is the action of a rule. The zero value is no action and never valid.
type RuleAction int

const (
	// RuleAllow runs the call without asking.
	RuleAllow RuleAction = iota + 1
	// RuleAsk asks, even if another rule allows.
	RuleAsk
	// RuleDeny rejects the call.
	RuleDeny
)

// parts returns the three parts of a rule, with the key of each.
func (r Rule) parts() []rulePart {
	return []rulePart{{RuleAllow, "allow", r.Allow}, {RuleAsk, "ask", r.Ask}, {RuleDeny, "deny", r.Deny}}
}

type rulePart struct {
	action RuleAction
	key    string
	scope  RuleScope
}

// Action returns the rule's action and the calls that it covers. A rule that sets none or several of its parts has no
// action; such a rule does not pass [Config.Validate].
func (r Rule) Action() (RuleAction, RuleScope) {
	var only rulePart
	for _, part := range r.parts() {
		switch {
		case !part.scope.Set():
		case only.action != 0:
			return 0, RuleScope{}
		default:
			only = part
		}
	}
	return only.action, only.scope
}
