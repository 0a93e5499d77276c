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
	return CheckVersion(file, limit, DefaultVersion)
}

// CheckVersion is CheckFile in the words of a version.
func CheckVersion(file *python.File, limit int, version Version) []Error {
	if limit <= 0 || limit > maxErrors {
		limit = maxErrors
	}
	r := newReader(file)
	r.run(file)
	c := checker{file: file, toks: r.toks, version: version}
	_, failures := parse(file.Text, c.toks, version)
	problems := lexicalProblems(file, r, version)
	if len(failures) == 0 && len(problems) == 0 {
		return nil
	}
	return c.errors(failures, problems, limit)
}

// checker words the errors of one file.
type checker struct {
	file    *python.File
	toks    []token
	levels  []uint16
	version Version
}

// errors puts the error first that CPython reports, then those of other lines in order.
func (c *checker) errors(failures []failure, problems []lexical, limit int) []Error {
	first := c.reported(failures, problems)
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

// reported is the error that CPython reports. Where a bracket was given up because a statement seems
// to begin inside, it is looked for again without such guesses.
func (c *checker) reported(failures []failure, problems []lexical) Error {
	for _, p := range problems {
		if p.guessed {
			return c.strictly()
		}
	}
	return c.first(failures, problems)
}

// strictly finds the error that CPython reports in a text whose brackets are not closed.
func (c *checker) strictly() Error {
	r := newReader(c.file)
	r.strict = true
	r.run(c.file)
	s := checker{file: c.file, toks: r.toks, version: c.version}
	_, failures := parse(c.file.Text, s.toks, c.version)
	problems := lexicalProblems(c.file, r, c.version)
	if len(failures) == 0 && len(problems) == 0 {
		return c.first(nil, lexicalProblems(c.file, &reader{}, c.version))
	}
	return s.first(failures, problems)
}

// first is the error that CPython reports of these. Errors of its tokenizer win over those of its
// parser, even if they come later in the text, with few exceptions.
func (c *checker) first(failures []failure, problems []lexical) Error {
	if len(failures) == 0 {
		return c.problem(problems[0])
	}
	found := c.failure(failures[0])
	if len(problems) == 0 {
		return c.complaint(found)
	}
	p := problems[0]
	switch {
	case p.found <= found.reached:
		return c.problem(p)
	case found.plain && found.kind == python.IndentationError:
		return c.complaint(found)
	case p.preferred && !c.inFString(p):
		return c.problem(p)
	case p.unclosed && c.line(found.reached) > c.line(p.offset):
		return c.problem(p)
	}
	return c.complaint(found)
}

// failure finds the words for a statement that does not parse.
func (c *checker) failure(f failure) complaint {
	t := c.toks[f.at]
	if f.deep {
		return complaint{kind: python.SyntaxError, text: f.text, start: int(t.start), end: int(t.end), reached: int(t.start)}
	}
	if c.levels == nil {
		c.levels = levelsOf(c.toks)
	}
	if found, ok := diagnose(c.file, c.toks, c.levels, f.statement, c.version); ok {
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
	e := Error{Kind: found.kind, Text: found.text, Certain: !found.doubtful}
	lines, n := c.file.Lines, len(c.file.Lines)
	atEnd := found.start < 0 || found.blank && found.start >= len(c.file.Text)
	if atEnd && n > 0 {
		found.start = lines[n-1].End
	}
	c.locate(&e, found.start, found.end)
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

// inFString tells whether a lexical problem lies in an f-string or t-string. CPython does not look
// for these behind an error of its parser.
func (c *checker) inFString(p lexical) bool {
	if c.version < 12 {
		return strings.HasPrefix(p.text, "f-string")
	}
	level := 0
	for _, t := range c.toks {
		switch {
		case int(t.start) > p.offset || int(t.start) == p.offset && t.sym != symFStart:
			return level > 0
		case t.sym == symFStart:
			level++
		case t.sym == symFEnd:
			level--
		}
	}
	return level > 0
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
	if e.Line <= len(c.file.Lines) {
		line := c.file.Lines[e.Line-1]
		e.Source = c.file.Text[line.Start:line.End]
	}
}

func (c *checker) line(offset int) int { return document.NumberOf(c.file.Lines, offset) }

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
