package python

import (
	"strings"

	"manualslop/tools/document"
)

// LineOf returns the 1-based number of the line that contains offset.
func (f *File) LineOf(offset int) int { return document.NumberOf(f.Lines, offset) }

// StartLine returns the line of the first decorator, or of the keyword if there is no decorator.
func (f *File) StartLine(s *Symbol) int { return f.LineOf(s.Statement.OuterStart()) }

// Line returns the line of the def, class or async keyword.
func (f *File) Line(s *Symbol) int { return f.LineOf(s.Statement.Start) }

// EndLine returns the line where the last statement of the symbol ends.
func (f *File) EndLine(s *Symbol) int { return f.lineOfEnd(s.Statement.End) }

// lineOfEnd returns the line of the last byte before end.
func (f *File) lineOfEnd(end int) int { return f.LineOf(max(end-1, 0)) }

// Source returns the text of a definition: whole lines from the first decorator to the last statement, without
// the last line end. If other code shares the first or last line, only the definition's own part is returned.
func (f *File) Source(s *Symbol) string { return f.SourceSpan(s).Of(f.Text) }

// SourceSpan returns the span of Source.
func (f *File) SourceSpan(s *Symbol) Span {
	return f.WholeLines(Span{s.Statement.OuterStart(), s.Statement.End})
}

// WholeLines extends a span to whole lines without the last line end: it adds the blanks before the span, and the
// text after it if that consists only of blanks, semicolons, a comment or a backslash.
func (f *File) WholeLines(span Span) Span {
	first := f.Lines[f.LineOf(span.Start)-1]
	if strings.TrimLeft(f.Text[first.Start:span.Start], " \t\f") == "" {
		span.Start = first.Start
	}
	last := f.Lines[f.lineOfEnd(span.End)-1]
	if end := max(last.End, span.End); end > span.End {
		if rest := strings.TrimLeft(f.Text[span.End:end], " \t\f;"); rest == "" || rest == `\` || rest[0] == '#' {
			span.End = end
		}
	}
	return span
}

// Signature returns the header of a definition as written, from its keyword through the colon.
func (f *File) Signature(s *Symbol) string { return s.Statement.Header.Of(f.Text) }

// Decorators returns the decorator expressions as written, without '@' or surrounding blanks.
func (f *File) Decorators(s *Symbol) []string {
	out := make([]string, 0, len(s.Statement.Decorators))
	for _, d := range s.Statement.Decorators {
		out = append(out, strings.TrimLeft(f.Text[d.Start+1:d.End], " \t\f"))
	}
	return out
}

// Comment finds the comment lines directly above a definition and its decorators, with the same indentation and
// no blank line in between.
func (f *File) Comment(s *Symbol) (Span, bool) {
	first := f.StartLine(s) - 1 // 0-based
	indent := s.Statement.Indent
	before := f.logicalBefore(f.Lines[first].Start).End
	at := first
	for at > 0 && f.Lines[at-1].Start >= before && isComment(f.lineText(at-1), indent) {
		at--
	}
	if at < first && f.Joined(at+1) {
		at++
	}
	if at == first {
		return Span{}, false
	}
	return Span{f.Lines[at].Start + len(indent), f.Lines[first-1].End}, true
}

// lineText returns a line by its 0-based number, without its end.
func (f *File) lineText(i int) string { return f.Text[f.Lines[i].Start:f.Lines[i].End] }

func isComment(line, indent string) bool {
	return strings.HasPrefix(line, indent) && strings.HasPrefix(line[len(indent):], "#")
}
