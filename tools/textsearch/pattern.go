package textsearch

import (
	"errors"
	"fmt"
	"regexp"
	"regexp/syntax"
	"strings"
	"unicode"
	"unicode/utf8"
)

// maxProgram limits a compiled expression, in instructions.
const maxProgram = 2_000

// Errors of Compile that callers convert to messages.
var (
	// ErrLines means that a pattern contains a line end.
	ErrLines = errors.New("it contains a line end, but matches lie within one line")
	// ErrEmpty means that a pattern is empty.
	ErrEmpty = errors.New("it is empty")
	// ErrLarge means that an expression is too large.
	ErrLarge = errors.New("it is too large; use a simpler one")
)

// Query is a text or expression to search for.
type Query struct {
	Text       string // what a line must contain
	Regex      bool   // Text is a regular expression in the syntax of package regexp
	Word       bool   // no letter, digit or underscore directly before or after the match
	IgnoreCase bool
}

// Pattern is a compiled Query.
type Pattern struct {
	plain string         // empty for expressions
	line  *regexp.Regexp // finds a match in one line; nil for plain texts
	text  *regexp.Regexp // finds the next line that may match; nil if each line must be tried
	word  bool           // the borders of matches must be checked
	need  literal        // occurs in every match
}

// Compile compiles a query. The error is one line: one of the sentinels, or what is wrong with the expression.
func Compile(q Query) (*Pattern, error) {
	switch {
	case q.Text == "":
		return nil, ErrEmpty
	case strings.ContainsAny(q.Text, "\r\n"):
		return nil, ErrLines
	case !q.Regex && !q.IgnoreCase:
		return &Pattern{plain: q.Text, word: q.Word, need: literal{text: q.Text}}, nil
	}
	source, flags := q.Text, ""
	if !q.Regex {
		source = regexp.QuoteMeta(source)
	}
	if err := checkSize(source); err != nil {
		return nil, err
	}
	if q.Regex && q.Word {
		source = `\b(?:` + source + `)\b`
	}
	if q.IgnoreCase {
		flags = "(?i)"
	}
	p := &Pattern{word: q.Word && !q.Regex}
	var err error
	if p.line, err = regexp.Compile(flags + source); err != nil {
		return nil, problem(err)
	}
	tree, err := syntax.Parse("(?m)"+flags+source, syntax.Perl)
	if err != nil {
		return nil, problem(err)
	}
	if p.need = required(tree); p.need.text == "" && !knowsText(tree) {
		p.text, err = regexp.Compile("(?m)" + flags + source)
	}
	return p, err
}

// knowsText reports whether an expression refers to the begin or end of the text, which differ from those of a
// line in a longer text.
func knowsText(tree *syntax.Regexp) bool {
	open := []*syntax.Regexp{tree}
	for len(open) > 0 {
		last := open[len(open)-1]
		if last.Op == syntax.OpBeginText || last.Op == syntax.OpEndText {
			return true
		}
		open = append(open[:len(open)-1], last.Sub...)
	}
	return false
}

// checkSize rejects expressions that would take too long for each character.
func checkSize(source string) error {
	tree, err := syntax.Parse(source, syntax.Perl)
	if err != nil {
		return problem(err)
	}
	program, err := syntax.Compile(tree.Simplify())
	if err != nil {
		return problem(err)
	}
	if len(program.Inst) > maxProgram {
		return ErrLarge
	}
	return nil
}

func problem(err error) error {
	var bad *syntax.Error
	if !errors.As(err, &bad) {
		return err
	}
	if bad.Code == syntax.ErrLarge || bad.Code == syntax.ErrNestingDepth {
		return ErrLarge
	}
	return fmt.Errorf("%s: %q", bad.Code, bad.Expr)
}

// find returns where the first match in a line begins.
func (p *Pattern) find(line string) (start int, ok bool) {
	for from := 0; from <= len(line); {
		at := p.first(line[from:])
		if at == nil {
			return 0, false
		}
		start = from + at[0]
		if !p.word || isBorder(line, start) && isBorder(line, from+at[1]) {
			return start, true
		}
		_, size := utf8.DecodeRuneInString(line[start:])
		from = start + max(size, 1)
	}
	return 0, false
}

func (p *Pattern) first(line string) []int {
	if p.line != nil {
		return p.line.FindStringIndex(line)
	}
	at := strings.Index(line, p.plain)
	if at < 0 {
		return nil
	}
	return []int{at, at + len(p.plain)}
}

// isBorder reports whether offset is not in the middle of a word.
func isBorder(line string, offset int) bool {
	before, _ := utf8.DecodeLastRuneInString(line[:offset])
	behind, _ := utf8.DecodeRuneInString(line[offset:])
	return !isWord(before) || !isWord(behind)
}

func isWord(r rune) bool {
	return r == '_' || r != utf8.RuneError && (unicode.IsLetter(r) || unicode.IsDigit(r))
}
