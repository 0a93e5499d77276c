package sandbox

import (
	"errors"
	"fmt"
	"strings"

	"github.com/bmatcuk/doublestar/v4"
)

// MaxGlobAlternatives is for how many patterns without braces one with braces
// may stand.
const MaxGlobAlternatives = 64

// ErrGlob means that a text is not a pattern, or stands for too many.
var ErrGlob = errors.New("bad pattern")

// Glob is a pattern over paths with slashes: * and ? within an element, ** for
// any number of them, [a-z] and {a,b}. It takes a time to match that is bounded
// by the lengths of pattern and path: matched as they stand, a few braces in a
// row take forever, and anybody may have written the pattern. The zero value
// matches nothing.
type Glob struct{ alternatives []matcher }

// ParseGlob reads a pattern. Errors: ErrGlob.
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

// Match reports whether the whole path fits.
func (g Glob) Match(path string) bool {
	for i := range g.alternatives {
		if g.alternatives[i].match(path) {
			return true
		}
	}
	return false
}

// matcher is a valid pattern without braces. Most patterns are a name, or one star within a name; they
// are compared as texts.
type matcher struct {
	pattern      string
	plain        bool   // prefix, star and suffix say all
	anyFolder    bool   // the pattern begins with **/, so the rest is compared with the last element
	star         bool   // between prefix and suffix stands anything without a slash
	head, suffix string // the whole name where there is no star
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

// alternatives appends the patterns for which a valid one stands, whose first at
// bytes hold no braces; false if they are too many.
func alternatives(pattern string, at int, out []string) ([]string, bool) {
	begin := next(pattern, at, "{")
	if begin < 0 {
		return append(out, pattern), len(out) < MaxGlobAlternatives
	}
	end := closing(pattern, begin)
	for from := begin + 1; from <= end; {
		to := from
		for depth := 0; to < end; { // the comma that ends this alternative
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

// closing returns where the brace that opens at begin is closed.
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

// next returns the first of some characters from at on that is neither escaped
// nor within brackets; -1 if there is none.
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
