package cfamily

import (
	"slices"
	"strings"
)

// group is an open #if with the branches read so far.
type group struct {
	branches []branch
	one      bool // a previous branch has the condition 1
	all      bool // it has an #else
}

// branch is one arm of a group.
type branch struct {
	tokens []token
	never  bool   // its condition is 0, or it follows a branch with condition 1
	alien  bool   // for another compiler or system
	when   string // its condition, in a form that can be compared
	start  int    // offset of its directive
}

// surplus is how many more braces a text opens than it closes if the branches of a condition are taken instead of the
// kept ones.
type surplus struct {
	braces int
	start  int // offset of the first such branch's directive, or -1 if none is written out
}

// maxGroups limits the nesting of #if; deeper groups are kept unchanged.
const maxGroups = 500

// resolve drops directives and the branches that cannot be kept together. It also returns the directives, and the
// offsets of branches that were dropped and whose braces do not balance.
func resolve(text string, tokens []token) (kept, directives []token, damaged []int) {
	open := []*group{{branches: []branch{{}}}}
	others := map[string]surplus{}
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
				open = append(open, openGroup(name, rest, int(t.start)))
			}
		case "elif", "else", "elifdef", "elifndef":
			if len(open) > 1 {
				top.add(name, rest, int(t.start))
			}
		case "endif":
			if len(open) > 1 {
				open = open[:len(open)-1]
				open[len(open)-1].take(text, top, others)
			}
		}
	}
	for len(open) > 1 { // #if without #endif
		top := open[len(open)-1]
		open = open[:len(open)-1]
		open[len(open)-1].take(text, top, others)
	}
	for _, other := range others {
		if other.braces != 0 && other.start >= 0 {
			damaged = append(damaged, other.start)
		}
	}
	slices.Sort(damaged)
	return open[0].branches[0].tokens, directives, damaged
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

func openGroup(name, condition string, start int) *group {
	g := &group{}
	g.add(name, condition, start)
	return g
}

func (g *group) add(name, condition string, start int) {
	condition, _, _ = strings.Cut(condition, "//")
	condition, _, _ = strings.Cut(condition, "/*")
	condition = strings.TrimSpace(condition)
	b := branch{never: g.one, when: comparable(name, condition), start: start}
	switch {
	case name == "else":
		if b.when = ""; !g.all { // a second one is an error
			b.when, g.all = g.otherwise(), true
		}
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

var comparing = strings.NewReplacer("defined", "", " ", "", "\t", "", "(", "", ")", "", "BEGIN", "", "END", "")

// comparable returns a form of a condition in which "#ifdef A", "#if defined(A)" and "#if A" are the same, and
// BEGIN_A and END_A, too.
func comparable(name, condition string) string {
	condition = comparing.Replace(condition)
	if name == "ifndef" || name == "elifndef" {
		return negated(condition)
	}
	return condition
}

func negated(condition string) string {
	if rest, ok := strings.CutPrefix(condition, "!"); ok {
		return rest
	}
	return "!" + condition
}

// otherwise is the condition under which no branch so far is taken.
func (g *group) otherwise() string {
	var conditions []string
	for _, b := range g.branches {
		conditions = append(conditions, b.when)
	}
	return negated(strings.Join(conditions, "||"))
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

// take adds the kept tokens of a closed group to the enclosing branch, and to others the braces of those it drops.
func (g *group) take(text string, closed *group, others map[string]surplus) {
	last := &g.branches[len(g.branches)-1]
	all := true
	for _, b := range closed.branches {
		all = all && (b.never || whole(text, b.tokens))
	}
	if all || len(closed.branches) == 1 {
		for _, b := range closed.branches {
			if !b.never {
				last.tokens = append(last.tokens, b.tokens...)
				closed.drop(text, b, others)
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
		closed.drop(text, closed.branches[best], others)
	}
}

// drop adds to others what the braces of a closed group would be if another branch, or none, was taken than the kept.
func (g *group) drop(text string, kept branch, others map[string]surplus) {
	add := func(when string, braces, start int) {
		s, known := others[when]
		if s.braces += braces; !known || s.start < 0 {
			s.start = start
		}
		others[when] = s
	}
	have := bracesOf(text, kept.tokens)
	for _, b := range g.branches {
		if n := bracesOf(text, b.tokens); !b.never && n != have {
			add(b.when, n-have, b.start)
		}
	}
	if !g.all && have != 0 {
		add(g.otherwise(), -have, -1)
	}
}

// bracesOf returns how many more braces tokens open than they close.
func bracesOf(text string, tokens []token) int {
	open := 0
	for _, t := range tokens {
		if t.kind == sign && text[t.start] == '{' {
			open++
		} else if t.kind == sign && text[t.start] == '}' {
			open--
		}
	}
	return open
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
