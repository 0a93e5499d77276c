package edit

import (
	"slices"
	"strings"
)

// layout describes the indentation at the location where a fragment is inserted.
type layout struct {
	base  string   // indentation of the fragment's first line of code
	unit  string   // one level
	known []string // other steps that already occur there; they are kept
	old   []string // the lines that are replaced, none for new text
}

// level is one level of indentation in a fragment, before and after it is inserted.
type level struct{ old, new string }

// at returns the lines of the fragment re-indented for their new location. The structure is preserved: each
// deeper level is indented by one more unit. A fragment that already matches its location is not changed.
func (fr fragment) at(place layout) []string {
	verbatim := fr.fits(place)
	if verbatim && fr.indent == place.base || fr.stands(place) || fr.stripped(place) {
		lines := slices.Clone(fr.raw)
		lines[fr.code] = place.base + strings.TrimLeft(lines[fr.code], " \t\f")
		return lines
	}
	out := slices.Clone(fr.lines)
	stack := []level{{"", place.base}}
	shift := stack[0] // indentation change of the logical line that the current line belongs to
	step := "    "    // one level in the fragment
	if steps := fr.steps(); len(steps) > 0 {
		step = steps[0]
	}
	hangs := false // the bracket of the current logical line opens at the end of a line
	waiting := 0   // first line of the comments whose level is not yet known
	for i, line := range fr.lines {
		switch {
		case fr.file.literal(i) || strings.TrimSpace(line) == "":
			continue
		case fr.file.inside(i):
			if out[i] = moved(line, shift); hangs {
				out[i] = hanging(out[i], shift.new, step, place.unit)
			}
			hangs = hangs || opens(line)
			continue
		case fr.file.comment(i):
			continue
		}
		before := slices.Clone(stack)
		stack = entered(stack, leading(line), place.unit, verbatim)
		shift = stack[len(stack)-1]
		fr.comments(out, waiting, i, append(before, shift))
		out[i] = shift.new + line[len(leading(line)):]
		hangs = opens(line)
		waiting = i + 1
	}
	fr.comments(out, waiting, len(fr.lines), stack)
	return out
}

// opens reports whether a line ends with an opening bracket.
func opens(line string) bool {
	line = strings.TrimRight(line, " \t\f\r\n")
	return line != "" && strings.IndexByte("([{", line[len(line)-1]) >= 0
}

// hanging indents a line inside brackets with tabs where its file does so and the line is deeper than its logical line
// by whole levels of blanks. Blanks that align it with something else remain.
func hanging(line, base, step, unit string) string {
	rest, ok := strings.CutPrefix(leading(line), base)
	if !ok || unit != "\t" || strings.Trim(step, " ") != "" || strings.Trim(rest, " ") != "" || len(rest)%len(step) != 0 {
		return line
	}
	return base + strings.Repeat(unit, len(rest)/len(step)) + line[len(leading(line)):]
}

// comments re-indents the comment lines in [from, to), which are between two logical lines with the given levels.
func (fr fragment) comments(out []string, from, to int, levels []level) {
	for i := from; i < to; i++ {
		if !fr.file.comment(i) {
			continue
		}
		text := leading(fr.lines[i])
		best := levels[0]
		for _, l := range levels {
			if width(l.old) <= width(text) && width(l.old) >= width(best.old) {
				best = l
			}
		}
		out[i] = moved(fr.lines[i], best)
	}
}

// entered returns the levels that are open at a line with the given indentation.
func entered(stack []level, indent, unit string, verbatim bool) []level {
	for len(stack) > 1 && width(stack[len(stack)-1].old) > width(indent) {
		stack = stack[:len(stack)-1]
	}
	top := stack[len(stack)-1]
	if width(indent) <= width(top.old) {
		return stack
	}
	step := unit
	if rest, ok := strings.CutPrefix(indent, top.old); ok && verbatim {
		step = rest
	}
	return append(slices.Clone(stack), level{indent, top.new + step})
}

// moved shifts a line by the same amount as its level, but not past the left margin.
func moved(line string, l level) string {
	indent := leading(line)
	text := line[len(indent):]
	if rest, ok := strings.CutPrefix(indent, l.old); ok {
		return l.new + rest + text
	}
	if strings.ContainsAny(l.new+indent, "\t\f") {
		return line
	}
	return strings.Repeat(" ", max(0, width(indent)+width(l.new)-width(l.old))) + text
}

// steps returns the indentation that each deeper level of the fragment adds to its parent level, or "?" for a
// level that does not begin with its parent's indentation.
func (fr fragment) steps() []string {
	var out []string
	open := []string{""}
	for i, line := range fr.lines {
		if !fr.startsCode(i) {
			continue
		}
		indent := leading(line)
		for len(open) > 1 && width(open[len(open)-1]) > width(indent) {
			open = open[:len(open)-1]
		}
		top := open[len(open)-1]
		if width(indent) <= width(top) {
			continue
		}
		step, ok := strings.CutPrefix(indent, top)
		if !ok {
			step = "?"
		}
		open, out = append(open, indent), append(out, step)
	}
	return out
}

// fits reports whether the fragment uses the indentation steps of its new location.
func (fr fragment) fits(place layout) bool {
	return !slices.ContainsFunc(fr.steps(), func(step string) bool {
		return step != place.unit && !slices.Contains(place.known, step)
	})
}

// stands reports whether the fragment equals what it replaces, except for the
// indentation of its first line.
func (fr fragment) stands(place layout) bool {
	return len(fr.raw) == len(place.old) && slices.Equal(fr.raw[1:], place.old[1:]) &&
		strings.TrimLeft(fr.raw[0], " \t\f") == strings.TrimLeft(place.old[0], " \t\f")
}

// stripped reports whether the fragment is indented for its new location except for its first line of code, which
// lost its indentation when it was copied.
func (fr fragment) stripped(place layout) bool {
	if fr.indent != "" || place.base == "" {
		return false
	}
	whole := slices.Clone(fr.raw)
	whole[fr.code] = place.base + whole[fr.code]
	for i := fr.code + 1; i < len(whole); i++ {
		if !fr.file.literal(i) && strings.TrimSpace(whole[i]) != "" && !strings.HasPrefix(whole[i], place.base) {
			return false
		}
	}
	if len(fr.steps()) == 0 {
		return fr.continues(place)
	}
	lifted := dedented(fr.label, whole)
	_, broken := lifted.file.broken()
	return !broken && lifted.fits(place)
}

// continues reports whether the continuation lines of a fragment without blocks are indented for their new
// location: one of them is already there, or the last one closes the bracket of the first, or they are aligned
// with the text after its open bracket.
func (fr fragment) continues(place layout) bool {
	rest := fr.raw[fr.code+1:]
	if len(rest) == 0 {
		return false
	}
	for i, line := range rest {
		line = strings.TrimSuffix(line, fr.tail)
		there := func(old string) bool { return strings.HasPrefix(old, line) }
		if !fr.file.literal(fr.code+1+i) && strings.TrimSpace(line) != "" && slices.ContainsFunc(place.old, there) {
			return true
		}
	}
	if last := rest[len(rest)-1]; leading(last) == place.base && strings.ContainsAny(strings.TrimSpace(last)[:1], ")]}") {
		return true
	}
	open := strings.IndexAny(fr.raw[fr.code], "([{")
	return open >= 0 && open+1 < len(fr.raw[fr.code]) && width(leading(rest[0])) == open+1+width(place.base)
}
