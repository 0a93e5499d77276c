package commands

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"manualslop/events/chars"
)

// Tool is the tool to whose scripts command rules apply.
const Tool = "run_powershell"

// MaxScript limits the length of a script that is analysed, in bytes, because the parser is
// recursive.
const MaxScript = 16 << 10

// maxDepth limits the nesting of scripts, as in sh -c "sh -c …".
const maxDepth = 4

// Script holds the commands that a script runs.
type Script struct{ Commands []Command }

// Command is one simple command, or another part of a script that has an effect.
type Command struct {
	// Unclear says why it is not known what runs; empty if it is known. An unclear command may
	// have no words.
	Unclear string

	words []word
	set   int  // number of leading words that set variables
	from  int  // index of the program, after variables and programs that only run another one, such as nohup
	inner bool // its words run as separate commands, which are listed, so no rule needs to allow it
	runs  bool // it runs part of its words as another command
	opens bool // it only opens a file
}

// String returns the command on one line without quotes; … stands for text that is only known at
// run time.
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

// Read analyses a script for a shell, which is named as in a session's record: powershell, pwsh,
// bash, sh, or empty, which means bash.
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

// Unknown returns a script with unknown commands, for the given reason.
func Unknown(why string) Script { return Script{Commands: []Command{{Unclear: why}}} }

func (s *Script) unclear(why string) { s.Commands = append(s.Commands, Command{Unclear: why}) }

// Uncovered returns the first command that no allow pattern covers; false if all are covered. A
// script without commands counts as not covered. used holds the index of the pattern for each
// covered command.
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

// Hit says whether a deny pattern applies to a script.
type Hit int

const (
	// Misses: the pattern does not apply.
	Misses Hit = iota
	// MayHit means that the script's text does not show whether the pattern applies.
	MayHit
	// Hits: the pattern applies.
	Hits
)

// Hit reports whether the pattern of a deny or ask rule applies to a script. It ignores case,
// folders and the extensions of programs.
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

// mentionedBy reports whether a command may turn out to match the pattern: it has the parts of the
// pattern in the same order, or it runs the pattern's program with arguments that are only known
// at run time.
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
	if base := chars.Lower(baseName(c.words[c.from].begin())); base == "xargs" || base == "parallel" {
		return true // their input adds arguments
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

// nameIn finds a name in a text, delimited by characters that cannot be part of names, and returns
// its end.
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

// fold maps spellings that some system treats as the same name to one form.
func fold(s string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case chars.Format(r):
			return -1
		case r >= '！' && r <= '～': // full-width forms
			return chars.Fold(r - '！' + '!')
		}
		return chars.Fold(r)
	}, s)
}
