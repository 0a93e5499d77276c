package sandbox

import (
	"errors"
	"fmt"
	"strings"

	"github.com/bmatcuk/doublestar/v4"
)

// MaxGlobAlternatives limits the number of patterns that one pattern with braces expands to.
const MaxGlobAlternatives = 64

// ErrGlob means that a text is not a valid pattern or expands to too many.
var ErrGlob = errors.New("bad pattern")

// Glob is a pattern for slash-separated paths: * and ? within an element, ** for any number of elements, [a-z]
// and {a,b}. Braces are expanded in advance, because matching several braces in a row directly may take
// exponential time, and patterns may come from untrusted sources. The time to match is bounded by the lengths of
// pattern and path. The zero value matches nothing.
type Glob struct{ alternatives []matcher }

// ParseGlob parses a pattern. Errors match ErrGlob.
func ParseGlob(pattern string) (Glob, error) {
	if !doublestar.ValidatePattern(pattern) {
		return Glob{}, fmt.Errorf("%w: %q", ErrGlob, pattern)
	}
	all, ok := alternatives(pattern, 0, nil)
	if !ok {
		return Glob{}, fmt.Errorf("%w: its braces expand to more than %d patterns", ErrGlob, MaxGlobAlternatives)
	}
	var glob Glob
	for _, one := range all {
		glob.alternatives = append(glob.alternatives, newMatcher(one))
	}
	return glob, nil
}

// Match reports whether the pattern matches the whole path.
func (g Glob) Match(path string) bool {
	for i := range g.alternatives {
		if g.alternatives[i].match(path) {
			return true
		}
	}
	return false
}

// matcher is a valid pattern without braces. Most patterns are a name, or a name with one star; these are
// compared as plain text.
type matcher struct {
	pattern      string
	plain        bool   // prefix, star and suffix describe the whole pattern
	anyFolder    bool   // the pattern begins with **/, so the rest is compared with the last element
	star         bool   // head and suffix may have any text without a slash in between
	head, suffix string // head is the whole name if there is no star
}

func newMatcher(pattern string) matcher {
	m := matcher{pattern: pattern}
	rest, anyFolder := strings.CutPrefix(pattern, "**/")
	head, suffix, star := strings.Cut(rest, "*")
	m.anyFolder, m.star, m.head, m.suffix = anyFolder, star, head, suffix
	m.plain = rest != "" && !strings.ContainsAny(head+suffix, `*?[{}\`) && !(strings.Contains(rest, "/") && (star || anyFolder))
	return m
}

func (m *matcher) match(path string) bool {
	if !m.plain {
		return doublestar.MatchUnvalidated(m.pattern, path)
	}
	if m.anyFolder && path != "" {
		path = path[strings.LastIndexByte(path, '/')+1:]
	}
	if !m.star {
		return path == m.head
	}
	return (path != "" || !m.anyFolder) && len(path) >= len(m.head)+len(m.suffix) && strings.HasPrefix(path, m.head) &&
		strings.HasSuffix(path, m.suffix) && strings.IndexByte(path, '/') < 0
}

// alternatives appends the patterns that a valid pattern expands to. Its first at bytes must hold no braces. It
// returns false if they are too many.
func alternatives(pattern string, at int, out []string) ([]string, bool) {
	begin := next(pattern, at, "{")
	if begin < 0 {
		return append(out, pattern), len(out) < MaxGlobAlternatives
	}
	end := closing(pattern, begin)
	for from := begin + 1; from <= end; {
		to := from
		for depth := 0; to < end; { // up to the comma that ends this alternative
			to = next(pattern, to, "{},")
			if to >= end || pattern[to] == ',' && depth == 0 {
				break
			}
			depth += map[byte]int{'{': 1, '}': -1}[pattern[to]]
			to++
		}
		var ok bool
		if out, ok = alternatives(pattern[:begin]+pattern[from:to]+pattern[end+1:], begin, out); !ok {
			return out, false
		}
		from = to + 1
	}
	return out, true
}

// closing returns the index of the brace that closes the one at begin.
func closing(pattern string, begin int) int {
	depth := 1
	for i := begin + 1; ; i++ {
		i = next(pattern, i, "{}")
		if pattern[i] == '{' {
			depth++
		} else if depth--; depth == 0 {
			return i
		}
	}
}

// next returns the index of the first of chars, from at on, that is neither escaped nor in brackets, or -1 if
// there is none.
func next(pattern string, at int, chars string) int {
	inside := false
	for i := at; i < len(pattern); i++ {
		switch c := pattern[i]; {
		case c == '\\':
			i++
		case inside:
			inside = c != ']'
		case c == '[':
			inside = true
		case strings.IndexByte(chars, c) >= 0:
			return i
		}
	}
	return -1
}
