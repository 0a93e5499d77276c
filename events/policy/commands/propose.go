package commands

import (
	"slices"
	"strings"
)

// Propose returns patterns for the commands that no allow pattern covers: the command itself or, for programs with
// subcommands, the subcommand with any arguments. It returns false if no pattern can cover one of them.
func (s Script) Propose(have []Pattern) ([]string, bool) {
	var out []string
	for _, c := range s.Commands {
		if c.inner || slices.ContainsFunc(have, func(p Pattern) bool { return p.covers(c) }) {
			continue
		}
		text, ok := proposal(c)
		if !ok {
			return nil, false
		}
		p, err := ParseAllow(text)
		if err != nil {
			return nil, false
		}
		out, have = append(out, text), append(have, p)
	}
	return out, len(out) > 0
}

// Unproposed returns the first command for which Propose has no pattern, or false.
func (s Script) Unproposed() (Command, bool) {
	for _, c := range s.Commands {
		if _, ok := proposal(c); !ok && !c.inner {
			return c, true
		}
	}
	return Command{}, false
}

// proposal returns the narrowest pattern that is of use twice.
func proposal(c Command) (string, bool) {
	if c.Unclear != "" {
		return "", false
	}
	words := slices.Concat(c.words[:c.set], c.words[c.from:])
	whole := Command{words: words}.String()
	tried := []string{whole}
	if n := c.set + subcommand(words[c.set:]); n > c.set {
		tried = []string{Command{words: words[:n]}.String() + " *", whole}
	}
	for _, text := range tried {
		if p, err := ParseAllow(text); err == nil && p.covers(c) && strings.Count(whole, "*") == 0 {
			return text, true
		}
	}
	return "", false
}

// subcommand returns how many words name what a program does, of programs that do many things; 0 for others.
func subcommand(words []word) int {
	var texts []string
	for _, w := range words[:min(len(words), 3)] {
		text, ok := w.plain()
		if !ok {
			break
		}
		texts = append(texts, text)
	}
	switch {
	case len(texts) >= 3 && interpreter(texts[0]) && texts[1] == "-m":
		return 3
	case len(texts) >= 2 && localName(texts[1]) && slices.Contains([]string{"go", "git", "cargo", "npm", "pnpm", "yarn",
		"dotnet", "gh", "uv", "poetry", "bundle", "mix", "terraform"}, texts[0]):
		return 2
	}
	return 0
}
