package python

// indentation describes where a logical line begins and how deeply it is indented.
type indentation struct {
	line  int // start of its first physical line
	from  int // start of its leading blanks, after the last form feed
	blank int // end of the leading blanks
	first int // start of its first token
	col   int // column, with a tab stop every eight columns
	alt   int // column, with tabs counted as one
}

// tabSize is the distance between tab stops.
const tabSize = 8

// begin finds the next logical line, starting at the beginning of a physical line and skipping blank lines and
// comments. It returns false at the end of the text.
func (l *lexer) begin(in *indentation) bool {
	i := l.pos
	for i < len(l.text) {
		in.line = i
		i = l.measure(in)
		if i == len(l.text) {
			break
		}
		switch classes[l.text[i]] {
		case classHash:
			i = l.lineEnd(i)
			if i < len(l.text) {
				i = l.lineAfter(i)
			}
		case classLineEnd:
			i = l.lineAfter(i)
		case classJoin: // a backslash that joins nothing
			i = l.join(i)
			in.first, l.pos = i, i
			return true
		default:
			in.first, l.pos = i, i
			return true
		}
	}
	l.pos = len(l.text)
	return false
}

// measure reads the blanks at the start of a logical line and any backslash-joined lines that hold only blanks.
// The first indented one of these determines the column.
func (l *lexer) measure(in *indentation) int {
	i, col, alt, joined, blank := in.line, 0, 0, 0, -1
	in.from = i
	for ; i < len(l.text); i++ {
		switch l.text[i] {
		case ' ':
			col++
			alt++
			continue
		case '\t':
			col = (col/tabSize + 1) * tabSize
			alt++
			continue
		case '\f':
			col, alt = 0, 0
			if blank < 0 {
				in.from = i + 1
			}
			continue
		case '\\':
			if i+1 < len(l.text) && classes[l.text[i+1]] == classLineEnd {
				if joined == 0 {
					joined = col
				}
				if blank < 0 {
					blank = i
				}
				i = l.join(i) - 1
				continue
			}
		}
		break
	}
	if joined > 0 {
		col, alt = joined, joined
	}
	if blank < 0 {
		blank = i
	}
	in.col, in.alt, in.blank = col, alt, blank
	return i
}
