package edit

import (
	"strings"

	"manualslop/tools/python"
)

// lineState is the construct in which a line begins.
type lineState uint8

const (
	fresh     lineState = iota // a logical line, a comment or a blank line begins here
	continued                  // in brackets, or after a backslash
	inString                   // in a string
)

// statesOf finds the states of all lines in one pass over the tokens.
func statesOf(file *python.File) []lineState {
	states := make([]lineState, len(file.Lines))
	mark := func(line int, from, to int, state lineState) int {
		for ; line < len(file.Lines) && file.Lines[line].Start <= to; line++ {
			if file.Lines[line].Start > from {
				states[line] = max(states[line], state)
			}
		}
		return line
	}
	line := 0             // all lines before this one have their state
	begin, open := -1, -1 // start of the logical line and of the outermost open f-string
	depth := 0
	for token := range file.Tokens(python.Span{End: len(file.Text)}) {
		if token.Kind == python.Comment || token.Kind == python.NL {
			continue
		}
		if token.Kind == python.Newline {
			line, begin, depth, open = mark(line, begin, token.Start, continued), -1, 0, -1
			continue
		}
		if begin < 0 {
			begin = token.Start
			line = mark(line, len(file.Text), begin, fresh)
		}
		line = mark(line, begin, token.Start, stateIn(open))
		switch token.Kind {
		case python.FStringStart:
			if depth++; depth == 1 {
				open = token.Start
			}
		case python.FStringEnd:
			depth = max(0, depth-1)
		}
		if token.Kind == python.String || open >= 0 {
			line = mark(line, token.Start, token.End-1, inString)
		}
		if depth == 0 {
			open = -1
		}
	}
	if begin >= 0 {
		mark(line, begin, len(file.Text), continued)
	}
	for i := 1; i < len(states); i++ {
		if above := file.Text[file.Lines[i-1].Start:file.Lines[i-1].End]; states[i] == fresh && states[i-1] != inString &&
			strings.Trim(above, " \t\f") == "\\" {
			states[i] = continued
		}
	}
	return states
}

// stateIn returns the state of a line between two tokens. open is the start of the f-string that continues there,
// or negative if there is none.
func stateIn(open int) lineState {
	if open >= 0 {
		return inString
	}
	return continued
}
