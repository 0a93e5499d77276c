package textsearch

import (
	"context"
	"strings"
	"unicode/utf8"
)

const (
	// chunkSize is the approximate number of bytes searched between two checks of the context.
	chunkSize = 16 << 10
	// maxLine limits the part of a line to which an expression is applied, because matching cannot be interrupted.
	maxLine = 1 << 20
	// Number of characters shown before and after the first match of a long line.
	shownBefore = 120
	shownBehind = 240
)

// Line is one line of an answer.
type Line struct {
	Number int    // 1-based
	Column int    // 1-based column of the first match in characters; 0 for a line near a match
	Text   string // valid UTF-8 without the line end, shortened around the match if it is long
	Length int    // length of the whole line in characters
	Cut    bool   // Text is not the whole line
}

// Found is the result of searching one text.
type Found struct {
	Matching int    // number of lines with a match
	Lines    []Line // the first of them, with the lines around them, in order
}

// hit is a line with a match.
type hit struct {
	number, start, end int
	match              int // offset of its first match, relative to start
}

// Search finds the lines of text that match. It counts all of them and returns the first most, each with up to
// around lines before and after it. The only error is the context's.
func (p *Pattern) Search(ctx context.Context, text string, most, around int) (Found, error) {
	var found Found
	var hits []hit
	s := scanner{p: p, text: text, number: 1, crs: strings.IndexByte(text, '\r') >= 0}
	s.skips = !s.crs || p.need.text != "" && strings.Count(text, "\r") == strings.Count(text, "\r\n")
	for {
		next, ok, err := s.next(ctx)
		if err != nil {
			return Found{}, err
		}
		if !ok {
			break
		}
		if found.Matching++; len(hits) < most {
			hits = append(hits, next)
		}
	}
	found.Lines = rows(text, hits, around)
	return found, nil
}

// scanner advances through a text from one matching line to the next.
type scanner struct {
	p      *Pattern
	text   string
	at     int  // start of the next line to examine
	number int  // 1-based number of that line
	crs    bool // the text contains a CR
	skips  bool // all lines end at LF
	passed int  // bytes since the last check of the context
}

func (s *scanner) next(ctx context.Context) (hit, bool, error) {
	for s.at < len(s.text) {
		if s.passed >= chunkSize || s.passed == 0 {
			if err := ctx.Err(); err != nil {
				return hit{}, false, err
			}
			s.passed = 0
		}
		if s.skips && (s.skip() || s.at == len(s.text)) {
			continue
		}
		start, number := s.at, s.number
		end := s.lineEnd()
		s.at = nextLine(s.text, end)
		s.number++
		s.passed += s.at - start
		if match, ok := s.p.find(s.p.searched(s.text[start:end])); ok {
			return hit{number, start, end, match}, true, nil
		}
	}
	return hit{}, false, nil
}

// lineEnd returns the end of the current line, without its line end.
func (s *scanner) lineEnd() int {
	if s.crs {
		return lineEnd(s.text, s.at)
	}
	if end := strings.IndexByte(s.text[s.at:], '\n'); end >= 0 {
		return s.at + end
	}
	return len(s.text)
}

// skip skips lines that cannot match. It returns true if it only skipped lines, and false if the current line
// must be examined. All lines of the text must end at LF.
func (s *scanner) skip() bool {
	chunk := s.chunk()
	candidate := -1
	switch {
	case s.p.need.text != "":
		candidate = s.p.need.index(chunk)
	case s.p.text == nil || len(chunk) > maxLine:
		return false
	default:
		if at := s.p.text.FindStringIndex(chunk); at != nil {
			candidate = at[0]
		}
	}
	passed := len(chunk)
	if candidate >= 0 {
		passed = strings.LastIndexByte(chunk[:candidate], '\n') + 1
	}
	s.number += strings.Count(chunk[:passed], "\n")
	s.at += passed
	s.passed += passed
	return candidate < 0
}

// chunk returns the next whole lines of the text.
func (s *scanner) chunk() string {
	rest := s.text[s.at:]
	if len(rest) <= chunkSize {
		return rest
	}
	if end := strings.IndexByte(rest[chunkSize:], '\n'); end >= 0 {
		return rest[:chunkSize+end+1]
	}
	return rest
}

// searched returns the part of a line to examine. For a plain text that is the whole line.
func (p *Pattern) searched(line string) string {
	if p.line == nil || len(line) <= maxLine {
		return line
	}
	return line[:maxLine]
}

// lineEnd returns the end of the line that begins at start, without its line end.
func lineEnd(text string, start int) int {
	if end := strings.IndexAny(text[start:], "\r\n"); end >= 0 {
		return start + end
	}
	return len(text)
}

// nextLine returns the start of the line after one that ends at end.
func nextLine(text string, end int) int {
	switch {
	case strings.HasPrefix(text[end:], "\r\n"):
		return end + 2
	case end < len(text):
		return end + 1
	}
	return end
}

// previousLine returns the range of the line before the one that begins at start, which must not be the first.
func previousLine(text string, start int) (from, to int) {
	to = start - 1
	if text[to] == '\n' && to > 0 && text[to-1] == '\r' {
		to--
	}
	return strings.LastIndexAny(text[:to], "\r\n") + 1, to
}

// rows converts hits to lines and adds the lines around them.
func rows(text string, hits []hit, around int) []Line {
	out := []Line{}
	last := 0 // number of the last line in out
	for i, h := range hits {
		var before []Line
		for start, number := h.start, h.number-1; number > last && number >= h.number-around && start > 0; number-- {
			from, to := previousLine(text, start)
			before = append(before, lineOf(text[from:to], number, -1))
			start = from
		}
		for j := len(before) - 1; j >= 0; j-- {
			out = append(out, before[j])
		}
		out = append(out, lineOf(text[h.start:h.end], h.number, h.match))
		last = h.number
		for at := nextLine(text, h.end); last < h.number+around && at < len(text) &&
			(i+1 == len(hits) || last+1 < hits[i+1].number); {
			end := lineEnd(text, at)
			last++
			out = append(out, lineOf(text[at:end], last, -1))
			at = nextLine(text, end)
		}
	}
	return out
}

// lineOf returns a line as shown. match is the offset of its match, or -1.
func lineOf(text string, number, match int) Line {
	l := Line{Number: number, Length: utf8.RuneCountInString(text)}
	if match >= 0 {
		l.Column = utf8.RuneCountInString(text[:match]) + 1
	}
	if l.Length > shownBefore+shownBehind {
		text, l.Cut = cut(text, max(match, 0)), true
	}
	l.Text = strings.Clone(strings.ToValidUTF8(text, "\uFFFD"))
	return l
}

// cut keeps the characters around an offset and marks the omitted text.
func cut(text string, at int) string {
	from, to := at, at
	for n := 0; n < shownBefore && from > 0; n++ {
		_, size := utf8.DecodeLastRuneInString(text[:from])
		from -= size
	}
	for n := 0; n < shownBehind && to < len(text); n++ {
		_, size := utf8.DecodeRuneInString(text[to:])
		to += size
	}
	out := text[from:to]
	if from > 0 {
		out = "…" + out
	}
	if to < len(text) {
		out += "…"
	}
	return out
}
