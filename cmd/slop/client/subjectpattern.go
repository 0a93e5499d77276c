package client

import (
	"strings"

	"manualslop/cmd/slop/exit"
	"manualslop/events"
)

// subjectPattern selects events by subject with the bus's wildcards: "*" matches one token, a last ">" the rest.
type subjectPattern string

// ParsePatterns parses the values of --filter: a subject of slop.ev, or its part after the session, such as
// "approval.>" or "*.AskRaised.*".
func ParsePatterns(words []string) ([]subjectPattern, error) {
	var out []subjectPattern
	for _, w := range words {
		full := w
		if !strings.HasPrefix(w, events.RootEvents+".") {
			full = events.RootEvents + ".*.*." + w
		}
		tokens := strings.Split(full, ".")
		for i, t := range tokens {
			if !events.ValidToken(t) && t != "*" && (t != ">" || i != len(tokens)-1) {
				return nil, exit.Errorf(exit.Usage, "--filter %q is not a subject pattern: use tokens of A-Z a-z 0-9 _ - with * for one and "+
					"a last > for the rest, such as \"approval.AskRaised.>\"", w)
			}
		}
		out = append(out, subjectPattern(full))
	}
	return out, nil
}

// String returns the pattern from slop.ev on.
func (p subjectPattern) String() string { return string(p) }

// match reports whether the pattern selects a subject.
func (p subjectPattern) match(subject string) bool {
	have := strings.Split(subject, ".")
	want := strings.Split(string(p), ".")
	for i, w := range want {
		switch {
		case w == ">":
			return len(have) > i
		case i >= len(have), w != "*" && w != have[i]:
			return false
		}
	}
	return len(want) == len(have)
}

// selected reports whether any of the patterns selects the event; none selects all.
func selected(patterns []subjectPattern, e *events.Event) bool {
	for _, p := range patterns {
		if p.match(e.Subject()) {
			return true
		}
	}
	return len(patterns) == 0
}
