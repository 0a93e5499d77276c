package grammar

import (
	"cmp"
	"slices"
	"strings"
	"unicode/utf8"

	"manualslop/tools/document"
	"manualslop/tools/python"
)

// Error is a syntax error of a text.
type Error struct {
	Line      int    // 1-based
	Column    int    // 1-based, in characters, as SyntaxError.offset of CPython
	EndLine   int    // 1-based; the line of the last character
	EndColumn int    // 1-based, behind the last character; 0 where the end is not known
	Kind      string // SyntaxError, IndentationError or TabError
	Text      string // the message
	Source    string // the line, without its end
	Certain   bool   // the wording is known to be CPython's
}

// maxErrors bounds what is said of one text.
const maxErrors = 100

// Check gives the syntax errors of a text without byte order mark, in the words of DefaultVersion:
// the one that CPython reports, then one for each other statement that fails on its own, in order;
// at most limit, or 100 where limit is not positive. Nil means that this parser found none.
func Check(text string, limit int) []Error {
	return CheckFile(python.Parse(text), limit)
}

// CheckFile is Check for a text whose structure is known.
func CheckFile(file *python.File, limit int) []Error {
	return check(file, limit, NewestVersion, DefaultVersion)
}

// CheckVersion is CheckFile for one version of Python, in its words: what that version does not have
// yet is an error.
func CheckVersion(file *python.File, limit int, version Version) []Error {
	return check(file, limit, version, version)
}

// check takes the syntax of one version and speaks in the words of another.
func check(file *python.File, limit int, syntax, words Version) []Error {
	if limit <= 0 || limit > maxErrors {
		limit = maxErrors
	}
	r := newReader(file)
	r.run(file)
	c := checker{file: file, toks: r.toks, blanks: r.blanks, syntax: syntax, version: words}
	_, failures := parse(file.Text, c.toks, syntax)
	problems, guessed := lexicalProblems(file, r, words)
	if len(failures) == 0 && len(problems) == 0 {
		return nil
	}
	first := c.first(failures, problems)
	if guessed {
		first = c.strictly(problems)
	}
	return c.errors(first, failures, problems, limit)
}

// checker words the errors of one file.
type checker struct {
	file    *python.File
	toks    []token
	blanks  []lexical // errors of indentation
	levels  []uint16  // open brackets behind each token
	steps   int       // what diagnoses may still cost
	syntax  Version   // whose syntax is taken
	version Version   // whose words are used
}

// errors puts those of other lines behind the first error, in order.
func (c *checker) errors(first Error, failures []failure, problems []lexical, limit int) []Error {
	var rest []Error
	taken := map[int]bool{first.Line: true}
	add := func(e Error) {
		if !taken[e.Line] {
			taken[e.Line] = true
			rest = append(rest, e)
		}
	}
	for _, p := range problems {
		add(c.problem(p))
	}
	for i, f := range failures {
		if i > 0 && len(rest) < limit {
			add(c.complaint(c.failure(f)))
		}
	}
	slices.SortStableFunc(rest, func(a, b Error) int { return cmp.Or(a.Line-b.Line, a.Column-b.Column) })
	out := append([]Error{first}, rest...)
	return out[:min(len(out), limit)]
}

// strictly finds the error that CPython reports in a text with brackets that were given up because a
// statement seems to begin inside: without such guesses.
func (c *checker) strictly(problems []lexical) Error {
	r := newReader(c.file)
	r.strict = true
	r.run(c.file)
	s := checker{file: c.file, toks: r.toks, blanks: r.blanks, syntax: c.syntax, version: c.version}
	_, failures := parse(c.file.Text, s.toks, c.syntax)
	return s.first(failures, problems)
}

// first is the error that CPython reports, given the statements that do not parse and, where there are
// none, the errors of the tokenizer. The latter win over those of the parser, even if they come later
// in the text, with few exceptions.
func (c *checker) first(failures []failure, problems []lexical) Error {
	found := complaint{reached: len(c.file.Text) + 1}
	line := len(c.file.Lines) + 2
	if len(failures) > 0 {
		found = c.failure(failures[0])
		line = c.line(found.reached)
	}
	p, instead := c.file.InsteadOf(line)
	lex := lexicalOf(c.file, p, c.version)
	real := p.Text != "" && (p.Lexical() || strings.HasSuffix(p.Text, neverClosed))
	switch {
	case len(c.blanks) > 0 && c.blanks[0].found <= found.reached && (p.Text == "" || c.blanks[0].found <= lex.found):
		return c.problem(c.blanks[0])
	case real && lex.found <= found.reached:
		return c.problem(c.met(lex))
	case len(failures) == 0 && !instead:
		return c.problem(problems[0])
	case found.plain && found.kind == python.IndentationError, !real, !instead, c.version < 12 && strings.HasPrefix(lex.text, "f-string"):
		return c.complaint(found)
	}
	return c.problem(lex)
}

// met is the error of a tokenizer that stops where the parser wants a token. It is the one given,
// which is meant for a text that the parser gave up before, but for a bad backslash.
func (c *checker) met(lex lexical) lexical {
	for _, p := range c.file.Problems {
		if p.Lexical() && !p.Preferred() && p.Type == python.SyntaxError && p.Found() <= lex.found && p.Offset >= lex.offset {
			return lexicalOf(c.file, p, c.version)
		}
	}
	return lex
}

// failure finds the words for a statement that does not parse.
func (c *checker) failure(f failure) complaint {
	t := c.toks[f.at]
	if f.deep {
		return complaint{kind: python.SyntaxError, text: f.text, start: int(t.start), end: int(t.end), reached: int(t.start)}
	}
	if c.levels == nil {
		c.levels, c.steps = levelsOf(c.toks), leastSteps+stepsPerToken*len(c.toks)
	}
	if found, ok := c.diagnose(f.statement); ok {
		return found
	}
	return complaint{
		kind: python.SyntaxError, text: cmp.Or(f.text, "invalid syntax"), start: int(t.start), end: int(t.end), reached: int(t.start), plain: true, doubtful: true,
	}
}

func (c *checker) problem(p lexical) Error {
	e := Error{Kind: p.kind, Text: p.text, Certain: true}
	c.locate(&e, p.offset, -1)
	return e
}

func (c *checker) complaint(found complaint) Error {
	e := Error{Kind: found.kind, Text: found.text}
	e.Certain = !found.doubtful && (c.version >= 12 || !strings.HasPrefix(e.Text, "f-string"))
	lines, n := c.file.Lines, len(c.file.Lines)
	atEnd := found.start < 0 || found.blank && found.start >= len(c.file.Text)
	if atEnd && n > 0 {
		found.start = lines[n-1].End
	}
	c.locate(&e, found.start, found.end)
	if found.line > 0 {
		e.EndLine, e.Line = e.Line, c.line(found.line-1)
		e.Source = c.source(e.Line)
	}
	switch {
	case atEnd && !found.blank:
		e.Column, e.EndColumn = 0, 0
	case atEnd:
		e.EndColumn = 0
	case found.blank:
		e.Column--
		e.EndColumn = 0
	}
	return e
}

// locate fills in the place of an error; a negative end is not known.
func (c *checker) locate(e *Error, start, end int) {
	e.Line, e.Column = c.position(start)
	e.EndLine = e.Line
	if end >= 0 {
		e.EndLine, e.EndColumn = c.position(max(start, end-1))
		if end > start {
			e.EndColumn++
		}
	}
	e.Source = c.source(e.Line)
}

// source is the text of a line, empty behind the last one.
func (c *checker) source(number int) string {
	if number > len(c.file.Lines) {
		return ""
	}
	line := c.file.Lines[number-1]
	return c.file.Text[line.Start:line.End]
}

// position gives line and column of an offset.
func (c *checker) position(offset int) (line, column int) {
	lines, text := c.file.Lines, c.file.Text
	if n := len(lines); n == 0 || offset >= len(text) && lines[n-1].End < lines[n-1].Next {
		return n + 1, 1
	}
	line = document.NumberOf(lines, offset)
	start := lines[line-1].Start
	return line, utf8.RuneCountInString(text[start:max(start, min(offset, len(text)))]) + 1
}
