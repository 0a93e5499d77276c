package commands

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"manualslop/events/chars"
)

// MaxPattern limits the length of a pattern, in bytes.
const MaxPattern = 1000

// ErrPattern means that a pattern for commands can never match.
var ErrPattern = errors.New("bad pattern over commands")

// Pattern is a pattern for simple commands: words as the program receives them, without quotes. *
// matches any text, even several words; " *" at the end also matches nothing. Every other
// character matches itself.
type Pattern struct {
	text  []rune // the words, separated by single spaces
	short []rune // text without " *" at the end; nil if it has none
	name  string // folded name of the program; empty if the first word has a *
}

// ParseAllow parses the pattern of an allow rule. It returns ErrPattern if the pattern is invalid
// or can match no command.
func ParseAllow(text string) (Pattern, error) {
	p, err := parse(text)
	if err != nil {
		return p, err
	}
	if p.name == "" {
		return p, fmt.Errorf("%w: it must begin with the name of a program, which must have no *", ErrPattern)
	}
	missing, _, uncovered := Read(quoted(strings.ReplaceAll(text, "*", "x")), "bash").Uncovered([]Pattern{p})
	switch {
	case !uncovered:
		return p, nil
	case missing.Unclear != "":
		return p, fmt.Errorf("%w: no rule can allow such a command: %s", ErrPattern, missing.Unclear)
	}
	return p, fmt.Errorf("%w: a rule is compared with the program that finally runs, and a * does not cover its "+
		"name", ErrPattern)
}

// ParseRefuse parses the pattern of a deny or ask rule. It returns ErrPattern if the pattern is
// invalid.
func ParseRefuse(text string) (Pattern, error) { return parse(text) }

func parse(text string) (Pattern, error) {
	words := chars.Words(text)
	joined := strings.Join(words, " ")
	switch {
	case joined == "":
		return Pattern{}, fmt.Errorf("%w: it is empty", ErrPattern)
	case len(text) > MaxPattern:
		return Pattern{}, fmt.Errorf("%w: it has %d bytes, more than %d", ErrPattern, len(text), MaxPattern)
	case strings.ContainsFunc(text, strange) || strings.Contains(text, "\n"):
		return Pattern{}, fmt.Errorf("%w: it has control or invisible characters", ErrPattern)
	case strings.ContainsAny(joined, "\"'`|<>&$"):
		return Pattern{}, fmt.Errorf("%w: it must be one simple command without quotes, and without any of "+
			"\" ' ` | < > & $", ErrPattern)
	case slices.ContainsFunc(words, func(w string) bool { return w != ";" && strings.Contains(w, ";") }):
		return Pattern{}, fmt.Errorf("%w: it must be one simple command, and ; separates commands", ErrPattern)
	}
	p := Pattern{text: []rune(joined)}
	if short, cut := strings.CutSuffix(joined, " *"); cut {
		p.short = []rune(short)
	}
	if !strings.Contains(words[0], "*") {
		p.name = fold(baseName(words[0]))
	}
	return p, nil
}

// quoted returns the words of a pattern as a script.
func quoted(text string) string {
	words := chars.Words(text)
	for i, w := range words {
		name, value, sets := strings.Cut(w, "=")
		if sets && strings.Trim(name, "ABCDEFGHIJKLMNOPQRSTUVWXYZ_") == "" {
			words[i] = name + "='" + value + "'"
			continue
		}
		words[i] = "'" + w + "'"
	}
	return strings.Join(words, " ")
}

// covers reports whether an allow pattern covers a command.
func (p Pattern) covers(c Command) bool {
	if c.Unclear != "" {
		return false
	}
	line := join(slices.Concat(c.words[:c.set], c.words[c.from:]))
	return match(p.text, line) || p.short != nil && match(p.short, line)
}

// join joins words with single spaces.
func join(words []word) []cell {
	var out []cell
	for i, w := range words {
		if i > 0 {
			out = append(out, cell{r: ' '})
		}
		out = append(out, w...)
	}
	return out
}

// matchesFolded reports whether a deny pattern matches a command that starts with these words.
func (p Pattern) matchesFolded(words []word) bool {
	named := slices.Clone(words)
	if name, ok := words[0].plain(); ok {
		named[0] = wordOf(baseName(name))
	}
	return p.matchesOpen(words) || p.matchesOpen(named)
}

// matchesOpen matches words ignoring case, and treats blanks within words like those between
// words.
func (p Pattern) matchesOpen(words []word) bool {
	var line []cell
	for _, c := range join(words) {
		if c.r == dynamic {
			line = append(line, cell{r: dynamic, loose: true})
			continue
		}
		for _, r := range fold(string(c.r)) {
			line = append(line, cell{r: r})
		}
	}
	folded := []rune(fold(string(p.text)))
	return match(folded, line) || p.short != nil && match([]rune(fold(string(p.short))), line)
}

// match matches a pattern with a line, in time proportional to the product of their lengths.
func match(pattern []rune, line []cell) bool {
	p, i, star, back := 0, 0, -1, 0
	for i < len(line) {
		switch {
		case p < len(pattern) && pattern[p] == '*':
			star, back = p, i
			p++
		case p < len(pattern) && !line[i].loose && pattern[p] == line[i].r:
			p++
			i++
		case star >= 0 && !line[back].fixed:
			back++
			p, i = star+1, back
		default:
			return false
		}
	}
	for p < len(pattern) && pattern[p] == '*' {
		p++
	}
	return p == len(pattern)
}
