package cfamily

import (
	"path"
	"slices"
	"strings"

	"manualslop/tools/document"
	"manualslop/tools/syntax"
)

// Language is C or C++. Zero is invalid.
type Language uint8

const (
	// C has no classes, namespaces, templates or operators.
	C Language = iota + 1
	// CPP also reads C, except for old-style parameters.
	CPP
)

// String returns the name of the language in package syntax.
func (l Language) String() string {
	switch l {
	case C:
		return "c"
	case CPP:
		return "cpp"
	}
	return "invalid"
}

// endings maps the file name extensions of the family to whether only C++ uses them.
var endings = map[string]bool{
	".c": false, ".h": false, ".cc": true, ".cpp": true, ".cxx": true, ".c++": true, ".hpp": true, ".hh": true,
	".hxx": true, ".h++": true,
	".ipp": true, ".ixx": true, ".inl": true, ".tpp": true, ".txx": true, ".tcc": true, ".inc": false, ".cu": true,
	".cuh": true, ".cppm": true, ".ino": true,
}

// Belongs reports whether a file name has an extension of C or C++.
func Belongs(name string) bool {
	_, ok := endings[ending(name)]
	return ok
}

// OnlyCPP reports whether a file name has an extension that only C++ uses.
func OnlyCPP(name string) bool { return endings[ending(name)] }

// LanguageOf returns the language of a file by its name. A header's name is ambiguous: it is C++ if asked is CPP or
// if the text contains C++ keywords, and otherwise asked is returned.
func LanguageOf(name, text string, asked Language) Language {
	switch {
	case OnlyCPP(name):
		return CPP
	case ending(name) == ".c":
		return C
	case asked == CPP:
		return CPP
	}
	tokens, _ := lex(text)
	for _, t := range tokens {
		switch text[t.start:t.end] {
		case "namespace", "template", "class", "constexpr", "typename", "::", "virtual", "operator":
			return CPP
		}
	}
	return asked
}

func ending(name string) string {
	if strings.HasSuffix(name, ".C") || strings.HasSuffix(name, ".H") {
		return ".cc"
	}
	return strings.ToLower(path.Ext(strings.ReplaceAll(name, `\`, "/")))
}

// Symbol is one definition or declaration. Offsets are bytes of the text.
type Symbol struct {
	syntax.Symbol
	// Arguments holds the template arguments of a specialization, as written: "<int>".
	Arguments string
	// Bases holds the base classes as written, or the type after the ":" of an enum.
	Bases string
	// Head is where the declaration begins after template<…>, or Start if there is none.
	Head int
	// BodyStart is the offset of the body's "{", BodyEnd the offset after its "}". Both are 0 without a body.
	BodyStart, BodyEnd int
	// Declaration means that there is no body: a prototype.
	Declaration bool
	// Minor symbols (macros that only hold a value) can be found by name but are left out of outlines.
	Minor bool
	at    int // offset of the name
	// free means that the name is not bound to the enclosing type: a tag of C.
	free bool
}

// File is a text with its structure. It does not change after Read and may be shared.
type File struct {
	Text     string
	Language Language
	Symbols  []Symbol // in source order, outer before inner ones
	lines    []document.Line
	comments []comment
	tokens   []token   // the tokens left after clean-up
	dropped  []span    // annotations, in order
	macros   Macros    // macros of the headers
	open     []Problem // comments and strings that are not closed
	unsure   []int     // offsets of branches of an #if that were dropped and whose braces do not balance
}

// span is a range of bytes of the text.
type span struct{ start, end int }

// Read parses the structure of a text. macros are those of its headers; the text's own macros are learned here.
func Read(text string, language Language, macros Macros) *File {
	all, comments := lex(text)
	kept, directives, damaged := resolve(text, all)
	r := reader{text: text, cpp: language == CPP, macros: Merge(macros, learn(text, directives))}
	r.tokens = kept
	r.dropAnnotations()
	r.match()
	f := &File{Text: text, Language: language, lines: document.Lines(text), comments: comments, tokens: r.tokens,
		dropped: r.dropped, macros: macros, unsure: damaged}
	f.open = unclosed(f.lines, slices.Concat(directives, kept), comments)
	r.scope(0, len(r.tokens), around{})
	f.Symbols = append(r.found, macroSymbols(f, directives)...)
	for i := range f.Symbols {
		f.Symbols[i].free = language == C && classWords[f.Symbols[i].Kind]
	}
	f.finish()
	return f
}

// finish sorts symbols, extends their starts over annotations, and sets lines, comments and ordinals.
func (f *File) finish() {
	slices.SortStableFunc(f.Symbols, func(a, b Symbol) int {
		if a.Start != b.Start {
			return a.Start - b.Start
		}
		return a.Depth - b.Depth
	})
	for i := range f.Symbols {
		s := &f.Symbols[i]
		s.Line, s.StartLine, s.EndLine = f.line(s.Line), f.line(s.Start), f.line(max(s.End-1, s.Start))
		s.Doc = f.doc(s.Start)
	}
	plain := make([]syntax.Symbol, len(f.Symbols))
	for i, s := range f.Symbols {
		plain[i] = s.Symbol
	}
	syntax.Number(plain)
	for i := range f.Symbols {
		f.Symbols[i].Symbol = plain[i]
	}
}

func (f *File) line(offset int) int { return document.NumberOf(f.lines, offset) }

// doc returns the first line of the comments that end on the line above start.
func (f *File) doc(start int) string {
	const most = 100 // comments
	if blanks(f.Text[f.lines[f.line(start)-1].Start:]) != f.Text[f.lines[f.line(start)-1].Start:start] {
		return ""
	}
	i, _ := slices.BinarySearchFunc(f.comments, start, func(c comment, at int) int { return c.start - at })
	first := i
	for line := f.line(start); first > max(0, i-most); first-- {
		c := f.comments[first-1]
		if end := f.line(max(c.end-1, c.start)); end != line-1 && end != line || !f.alone(c) {
			break
		}
		line = f.line(c.start)
	}
	if first == i {
		return ""
	}
	return syntax.FirstLine(f.Text[f.comments[first].start:f.comments[i-1].end])
}

// alone reports whether a comment is the first thing on its line.
func (f *File) alone(c comment) bool {
	return strings.TrimLeft(f.Text[f.lines[f.line(c.start)-1].Start:c.start], " \t") == ""
}

// Cleaned returns the text with blanks in place of comments, directives, dropped branches and annotations; line
// ends and all offsets stay.
func (f *File) Cleaned() []byte {
	out := []byte(f.Text)
	at := 0
	for _, t := range f.tokens {
		blank(out[at:t.start])
		at = int(t.end)
	}
	blank(out[at:])
	return out
}

func blank(piece []byte) {
	for i, c := range piece {
		if c != '\n' && c != '\r' {
			piece[i] = ' '
		}
	}
}

// macroSymbols lists the macros that a text defines. Those that only hold a value are minor.
func macroSymbols(f *File, directives []token) []Symbol {
	var out []Symbol
	for _, t := range directives {
		name, rest := directiveOf(f.Text[t.start:t.end])
		if name != "define" {
			continue
		}
		macro, call, body := splitDefine(rest)
		if macro == "" || strings.TrimSpace(body) == "" && call == "" {
			continue
		}
		s := Symbol{Head: int(t.start), Minor: call == "" && !strings.ContainsAny(strings.TrimSpace(body), "\r\n")}
		s.Name, s.Title, s.Kind = macro, macro, "macro"
		s.at = int(t.start)
		s.Start, s.End, s.Line = int(t.start), int(t.start)+len(strings.TrimRight(f.Text[t.start:t.end], " \t\r\n")),
			int(t.start)
		s.SignatureEnd = s.Start + strings.Index(f.Text[t.start:t.end], macro+call) + len(macro+call)
		out = append(out, s)
	}
	return out
}
