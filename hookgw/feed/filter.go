package feed

import (
	"net/http"
	"strings"

	"manualslop/events"
	"manualslop/hookgw/problem"
)

// maxFilters limits the number of ?filter= values of one feed.
const maxFilters = 16

// Filter selects events by subject, with the bus's wildcards: "*" matches one token, ">" the rest. An event is
// selected if any pattern matches.
type Filter [][]string

// ParseFilters parses ?filter= values: a subject of slop.ev, or its part after the session, such as "approval.>" or
// "*.AskRaised.*". No values select everything.
func ParseFilters(values []string) (Filter, *problem.Problem) {
	if len(values) > maxFilters {
		return nil, problem.New(http.StatusBadRequest, "too many filters", "Use at most 16, or widen one with * or >.")
	}
	var out Filter
	for _, v := range values {
		if !strings.HasPrefix(v, events.RootEvents+".") {
			v = events.RootEvents + ".*.*." + v
		}
		tokens := strings.Split(v, ".")
		for i, t := range tokens {
			if !events.ValidToken(t) && t != "*" && (t != ">" || i != len(tokens)-1) {
				return nil, problem.New(http.StatusBadRequest, "filter must be a subject pattern",
					`Use tokens of A-Z a-z 0-9 _ - with * for one and a last > for the rest, such as "approval.AskRaised.>".`)
			}
		}
		out = append(out, tokens)
	}
	return out, nil
}

// Match reports whether a subject, as tokens, is selected.
func (f Filter) Match(have []string) bool {
	if len(f) == 0 {
		return true
	}
	for _, want := range f {
		if matchTokens(want, have) {
			return true
		}
	}
	return false
}

func matchTokens(want, have []string) bool {
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
