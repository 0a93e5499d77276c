package commands

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"manualslop/events/chars"
)

// Tool is the name of the tool whose scripts rules over commands judge.
const Tool = "run_powershell"

// MaxScript is the length of the longest script that is read, in bytes. The parser recurses with the nesting of the
// text.
const MaxScript = 16 << 10

// maxDepth is how many scripts within scripts are read, as in sh -c "sh -c …".
const maxDepth = 4

// Script is what a script runs.
type Script struct{ Commands []Command }

// Command is one simple command, or another part of a script that acts.
type Command struct {
	// Unclear says why it is not known what runs; empty if it is known. Such a command may have no words.
	Unclear string

	words []word
	set   int  // how many of them set variables
	from  int  // the program, behind variables and programs that only run the others, such as nohup
	inner bool // its words run as commands of their own, which are listed; no rule needs to allow it
	runs  bool // it runs a part of its words as another command
	opens bool // it runs nothing and opens a file
}

// String returns the command in one line without quotes; … stands for what is known only when it runs.
func (c Command) String() string {
	var b strings.Builder
	for i, w := range c.words {
		if i > 0 {
			b.WriteByte(' ')
		}
		for _, x := range w {
			switch {
			case x.r == dynamic:
				b.WriteRune('…')
			case chars.Printable(x.r):
				b.WriteRune(x.r)
			default:
				b.WriteRune('�')
			}
		}
	}
	return b.String()
}

// Read reads a script for a shell by the name that a session records: powershell, pwsh, bash, sh or empty, which is
// read as bash.
func Read(script, shell string) Script {
	var out Script
	switch {
	case len(script) > MaxScript:
		out.unclear("the script is too long to be read")
	case shell == "powershell" || shell == "pwsh":
		out.readPowershell(script)
	default:
		r := reader{out: &out, language: languageOf(shell)}
		r.read(script)
	}
	return out
}

func languageOf(shell string) syntax.LangVariant {
	if shell == "sh" || shell == "dash" {
		return syntax.LangPOSIX
	}
	return syntax.LangBash
}

// Unknown returns a script of which nothing is known, and why.
func Unknown(why string) Script { return Script{Commands: []Command{{Unclear: why}}} }

func (s *Script) unclear(why string) { s.Commands = append(s.Commands, Command{Unclear: why}) }

// Uncovered returns the first command that none of the allow patterns covers; false if all are covered. A script
// without commands is not covered. used holds the index of the pattern of each covered command.
func (s Script) Uncovered(patterns []Pattern) (missing Command, used []int, found bool) {
	for _, c := range s.Commands {
		if c.inner {
			continue
		}
		at := -1
		for i, p := range patterns {
			if at < 0 && p.covers(c) {
				at = i
			}
		}
		if at < 0 {
			return c, nil, true
		}
		used = append(used, at)
	}
	if len(used) == 0 {
		return Command{Unclear: "the script runs no command"}, nil, true
	}
	return Command{}, used, false
}

// Hit is whether a deny pattern applies to a script.
type Hit int

const (
	// Misses: it does not.
	Misses Hit = iota
	// MayHit: the text does not say.
	MayHit
	// Hits: it does.
	Hits
)

// Hit reports whether the pattern of a rule that denies or asks applies to a script. Case, folders and the endings of
// programs do not count.
func (p Pattern) Hit(s Script) Hit {
	hit := Misses
	for _, c := range s.Commands {
		for i := range c.words {
			if (i <= c.from || c.runs) && p.matchesFolded(c.words[i:]) {
				return Hits
			}
		}
		if c.Unclear != "" && !c.opens || p.mentionedBy(c) {
			hit = MayHit
		}
	}
	return hit
}

// mentionedBy reports whether a command may become one that the pattern matches: it has the parts of the pattern in
// their order, or the pattern's program has arguments that are known only when it runs.
func (p Pattern) mentionedBy(c Command) bool {
	if len(c.words) == 0 || c.opens {
		return false
	}
	if !known(c.words) && (c.runs || p.name != "" && fold(baseName(c.words[c.from].begin())) == p.name) {
		return true
	}
	line := fold(c.String())
	if p.name == "" {
		return false
	}
	at, found := nameIn(line, p.name)
	if !found {
		return false
	}
	for _, part := range strings.FieldsFunc(fold(string(p.text)), func(r rune) bool { return r == ' ' || r == '*' })[1:] {
		i := strings.Index(line[at:], part)
		if i < 0 {
			return false
		}
		at += i + len(part)
	}
	return true
}

// nameIn finds a name in a text between other characters than those of names, and returns where it ends.
func nameIn(text, name string) (int, bool) {
	for at := 0; ; {
		i := strings.Index(text[at:], name)
		if i < 0 {
			return 0, false
		}
		from, to := at+i, at+i+len(name)
		if (from == 0 || !nameByte(text[from-1])) && (to == len(text) || !nameByte(text[to])) {
			return to, true
		}
		at = from + 1
	}
}

func nameByte(c byte) bool {
	return c == '_' || c == '-' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
}

// fold maps spellings that some system takes for the same name to one form.
func fold(s string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case chars.Format(r):
			return -1
		case r >= '！' && r <= '～': // full width
			return chars.Fold(r - '！' + '!')
		}
		return chars.Fold(r)
	}, s)
}
