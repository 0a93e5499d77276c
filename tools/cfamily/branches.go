package cfamily

import (
	"slices"
	"strings"
)

// group is an open #if with the branches read so far.
type group struct {
	branches []branch
	one      bool // a previous branch has the condition 1
}

// branch is one arm of a group.
type branch struct {
	tokens []token
	never  bool // its condition is 0, or it follows a branch with condition 1
	alien  bool // for another compiler or system
}

// maxGroups limits the nesting of #if; deeper groups are kept unchanged.
const maxGroups = 500

// resolve drops directives and the branches that cannot be kept together. It also returns the directives.
func resolve(text string, tokens []token) (kept, directives []token) {
	open := []*group{{branches: []branch{{}}}}
	for _, t := range tokens {
		top := open[len(open)-1]
		if t.kind != directive {
			last := &top.branches[len(top.branches)-1]
			last.tokens = append(last.tokens, t)
			continue
		}
		directives = append(directives, t)
		name, rest := directiveOf(text[t.start:t.end])
		switch name {
		case "if", "ifdef", "ifndef":
			if len(open) < maxGroups {
				open = append(open, openGroup(name, rest))
			}
		case "elif", "else", "elifdef", "elifndef":
			if len(open) > 1 {
				top.next(name, rest)
			}
		case "endif":
			if len(open) > 1 {
				open = open[:len(open)-1]
				open[len(open)-1].take(text, top)
			}
		}
	}
	for len(open) > 1 { // #if without #endif
		top := open[len(open)-1]
		open = open[:len(open)-1]
		open[len(open)-1].take(text, top)
	}
	return open[0].branches[0].tokens, directives
}

// directiveOf splits a directive into its name and the rest.
func directiveOf(text string) (name, rest string) {
	text = strings.TrimLeft(strings.TrimPrefix(text, "#"), " \t")
	end := 0
	for end < len(text) && wordPart(text[end]) {
		end++
	}
	return text[:end], strings.TrimSpace(text[end:])
}

func openGroup(name, condition string) *group {
	g := &group{}
	g.add(name, condition)
	return g
}

func (g *group) next(name, condition string) { g.add(name, condition) }

func (g *group) add(name, condition string) {
	condition, _, _ = strings.Cut(condition, "//")
	condition, _, _ = strings.Cut(condition, "/*")
	condition = strings.TrimSpace(condition)
	b := branch{never: g.one}
	switch {
	case name == "else":
	case name == "ifndef" || name == "elifndef":
		b.alien = condition == "__GNUC__" || condition == "__clang__"
	case condition == "0" || condition == "false":
		b.never = true
	case condition == "1" || condition == "true":
		g.one = true
	default:
		b.alien = aliens(condition)
	}
	g.branches = append(g.branches, b)
}

// aliens reports whether a condition selects a compiler or system that is unlikely here. It only breaks ties
// between branches that cannot both be kept.
func aliens(condition string) bool {
	if strings.Contains(condition, "!") {
		return false
	}
	for _, name := range []string{"_MSC_VER", "_WIN32", "__APPLE__", "__BORLANDC__", "__SUNPRO", "__IBMC", "__HP_", "SWIG",
		"DOXYGEN", "__CUDACC__", "__lint"} {
		if strings.Contains(condition, name) {
			return true
		}
	}
	return false
}

// take adds the kept tokens of a closed group to the enclosing branch.
func (g *group) take(text string, closed *group) {
	last := &g.branches[len(g.branches)-1]
	all := true
	for _, b := range closed.branches {
		all = all && (b.never || whole(text, b.tokens))
	}
	if all || len(closed.branches) == 1 {
		for _, b := range closed.branches {
			if !b.never {
				last.tokens = append(last.tokens, b.tokens...)
			}
		}
		return
	}
	best := slices.IndexFunc(closed.branches, func(b branch) bool { return !b.never && !b.alien })
	if best < 0 {
		best = slices.IndexFunc(closed.branches, func(b branch) bool { return !b.never })
	}
	if best >= 0 {
		last.tokens = append(last.tokens, closed.branches[best].tokens...)
	}
}

// whole reports whether tokens are balanced and end at a statement.
func whole(text string, tokens []token) bool {
	if len(tokens) == 0 {
		return true
	}
	depth := 0
	for _, t := range tokens {
		if t.kind != sign {
			continue
		}
		switch text[t.start] {
		case '(', '[', '{':
			depth++
		case ')', ']', '}':
			depth--
		}
		if depth < 0 {
			return false
		}
	}
	last := text[tokens[len(tokens)-1].start]
	return depth == 0 && (last == ';' || last == '}')
}
