package term

import (
	"cmp"
	"io"
	"strings"
	"unicode"
	"unicode/utf8"
)

// lineWidth returns how many columns a line on w may have; 0 without a limit, because w is not a terminal.
func lineWidth(w io.Writer) int {
	if !IsTerminal(w) {
		return 0
	}
	width, _ := terminalSize(w)
	return width
}

// wrapper breaks text at word boundaries, so that no line is wider than a terminal. A word that is wider than a line is
// broken within, but not between a character and its combining marks. The text went through [Visible]; its only escape
// sequences are styles of this package.
type wrapper struct {
	// width is the limit in columns; 0: nothing is broken.
	width int
	// hang begins each line after the first, as far as it takes no more than deepest columns; 0: half of the width. An
	// indentation of the first line is cut in the same way, unless exact is set.
	hang    string
	deepest int
	// indents adds the indentation of the first line to hang.
	indents bool
	// exact keeps all spaces, so that the lines without hang are the text; otherwise a break replaces the spaces there.
	exact bool

	out    strings.Builder
	col    int    // columns of the line so far
	begin  int    // columns of what begins it
	indent string // the indentation of the first line
	begun  bool   // the line has more than its indentation
	gap    string // spaces that are not written yet, because the line may break there
	word   strings.Builder
	style  string // escape sequences in force
}

// lines returns the lines of a text that may be too wide.
func (w wrapper) lines(text string) []string {
	return strings.Split(w.add(text)+w.rest(), "\n")
}

// add takes a piece of text and returns what can be written: all but the last word and the spaces before it.
func (w *wrapper) add(text string) string {
	if w.width == 0 {
		return text
	}
	for _, r := range text {
		switch {
		case r == '\n':
			w.end()
			w.out.WriteByte('\n')
			w.col, w.begin, w.begun, w.indent = 0, 0, false, ""
		case unicode.IsSpace(r):
			w.flush()
			w.space(string(r))
		default:
			w.word.WriteRune(r)
		}
	}
	return w.taken()
}

// rest returns what is left of the line.
func (w *wrapper) rest() string {
	w.end()
	return w.taken()
}

func (w *wrapper) taken() string {
	out := w.out.String()
	w.out.Reset()
	return out
}

// end writes the last word of a line.
func (w *wrapper) end() {
	w.flush()
	w.gap = ""
}

// space takes a space.
func (w *wrapper) space(s string) {
	enough := utf8.UTFMax * max(w.width, w.deepest) // bytes, which are wider than a line; more are never written
	if !w.begun && len(w.indent) < enough {
		w.indent += s
	}
	switch {
	case w.exact, !w.begun && after(w.col, s) <= cmp.Or(w.deepest, w.width/2):
		w.put(s)
	case w.begun && len(w.gap) < enough:
		w.gap += s
	}
}

// flush writes the word, on the next line if it fits there and not here. Without exact, a word that fits on no line
// because of its hang gets a line without one, so that it can be copied whole. Words of scripts without spaces may be
// broken everywhere.
func (w *wrapper) flush() {
	word := w.word.String()
	if word == "" {
		return
	}
	w.word.Reset()
	here, own, hang := after(w.col, w.gap), Columns(word), w.hanging()
	runes := utf8.RuneCountInString(word)
	moves, together := w.begun && here+own > w.width, own < runes+runes/2 // less than half of it is wide
	switch {
	case moves && (here+1 >= w.width || together && after(0, hang)+own <= w.width):
		w.newline(hang)
	case moves && together && !w.exact && own <= w.width:
		w.newline("")
	default:
		w.out.WriteString(w.gap)
		w.col = here
	}
	w.gap, w.begun = "", true
	for cluster := range clusters(word) {
		if cluster[0] == '\x1b' {
			w.styled(cluster)
			continue
		}
		w.put(cluster)
	}
}

// put writes a cluster, on the next line if it does not fit here.
func (w *wrapper) put(cluster string) {
	if next := after(w.col, cluster); next > w.width && next > w.col && w.col > w.begin {
		w.newline(w.hanging())
	}
	w.out.WriteString(cluster)
	w.col = min(after(w.col, cluster), w.width)
}

func (w *wrapper) styled(escape string) {
	w.out.WriteString(escape)
	if w.style += escape; escape == colourOff {
		w.style = ""
	}
}

// hanging returns what begins the next line.
func (w *wrapper) hanging() string {
	hang := w.hang
	if w.indents {
		hang += w.indent
	}
	kept := strings.TrimRightFunc(hang, unicode.IsSpace)
	col := after(0, kept)
	for _, r := range hang[len(kept):] {
		if col = after(col, string(r)); col > cmp.Or(w.deepest, w.width/2) {
			break
		}
		kept += string(r)
	}
	return kept
}

// newline begins the next line.
func (w *wrapper) newline(hang string) {
	if w.style != "" {
		w.out.WriteString(colourOff)
	}
	w.out.WriteString("\n" + hang + w.style)
	w.col = after(0, hang)
	w.begin = w.col
}

// bound stands for a space at which no line breaks; no text that went through [Visible] has it.
const bound = "\x00"

// fitted breaks the lines of a text that are too wide; further lines of one are indented by two columns more than it.
// Text between backticks stays together if it fits on a line.
func fitted(text string, width int) string {
	if width == 0 {
		return text
	}
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		parts := strings.Split(line, "`")
		for k := 1; k < len(parts)-1; k += 2 {
			if Columns(parts[k])+2 <= width {
				parts[k] = strings.ReplaceAll(parts[k], " ", bound)
			}
		}
		lines[i] = strings.Join(parts, "`")
	}
	w := wrapper{width: width, hang: "  ", indents: true}
	return strings.ReplaceAll(w.add(strings.Join(lines, "\n"))+w.rest(), bound, " ")
}

// PrintLines prints a text that went through [Visible], on a terminal with lines that fit. Commands between backticks,
// paths and other words are broken only if they are wider than the terminal.
func PrintLines(w io.Writer, text string) { _, _ = io.WriteString(w, fitted(text, lineWidth(w))) }

// typedRoom is how many columns of a prompt's line are left for what is typed.
const typedRoom = 4

// SplitPrompt returns a prompt that fits: the lines above the last one, and that one. It breaks between the choices.
func SplitPrompt(w io.Writer, prompt string) (above, last string) {
	width := lineWidth(w)
	if width == 0 {
		return "", prompt
	}
	choices := strings.Split(strings.TrimSuffix(prompt, " "), ", ")
	for i, c := range choices {
		if Columns(c)+typedRoom < width {
			choices[i] = strings.ReplaceAll(c, " ", bound)
		}
	}
	fits := strings.ReplaceAll(fitted(strings.Join(choices, ", "), max(width-typedRoom, 1)), bound, " ") + " "
	end := strings.LastIndexByte(fits, '\n') + 1
	return fits[:end], fits[end:]
}

// Flow prints text as it comes, word by word; see [PrintLines].
type Flow struct {
	w    io.Writer
	wrap wrapper
}

// NewFlow returns a flow to w.
func NewFlow(w io.Writer) *Flow { return &Flow{w: w, wrap: wrapper{indents: true}} }

// Print prints a piece of a text that went through [Visible]. The last word of a line is printed when it is known to be
// whole.
func (f *Flow) Print(text string) {
	if f.wrap.width = lineWidth(f.w); f.wrap.width == 0 {
		text = f.wrap.rest() + text
	}
	_, _ = io.WriteString(f.w, f.wrap.add(text))
}

// mark begins the further lines of a text that a user approves or compares, where that text itself has nothing: in
// its margin, or in the column of a diff's sign.
const mark = "↳"

// printExact prints the lines of exact, in a colour.
func printExact(w io.Writer, margin, line, hang, colour string) {
	for _, piece := range exact(margin, line, hang, lineWidth(w)) {
		if colour != "" {
			piece = colour + piece + colourOff
		}
		_, _ = io.WriteString(w, piece+"\n")
	}
}

// exact returns the lines of a line behind a margin, with hidden characters spelled out. If it is too wide, its further
// lines have the mark in the margin and then the hang; without these the lines are the whole text, with all spaces.
func exact(margin, line, hang string, width int) []string {
	begin := mark
	if n := Columns(margin); n > 0 {
		begin = strings.Repeat(" ", max(n-2, 0)) + mark + strings.Repeat(" ", min(n-1, 1))
	}
	hang = hang[:min(len(hang), width)] // more is never written
	return wrapper{width: width, hang: begin + hang, exact: true}.lines(margin + Visible(line))
}

// indentOf returns the spaces and tabs that a line begins with.
func indentOf(line string) string { return line[:len(line)-len(strings.TrimLeft(line, " \t"))] }

// PrintBlock prints a text in full, indented by two columns, with hidden characters spelled out.
func PrintBlock(w io.Writer, text string) {
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\r\n")
		printExact(w, "  ", line, indentOf(line), "")
	}
}

// PrintAbout prints a line of a question, with hidden characters spelled out.
func PrintAbout(w io.Writer, line string) { printExact(w, askMargin, line, indentOf(line), "") }
