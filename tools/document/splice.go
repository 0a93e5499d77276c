package document

import (
	"cmp"
	"errors"
	"slices"
	"strings"
	"unicode/utf8"
)

// Splice replaces Text[Start:End] of a document with New. Offsets are bytes of the decoded text. If Start equals
// End, New is inserted.
type Splice struct {
	Start, End int
	New        string
}

// errSplices means that splices overlap, split a character or are outside the text, which is a bug in the caller.
var errSplices = errors.New("document: splices overlap, split a character or are outside the text")

// Apply returns the text with all splices applied. They may be given in any order but must not overlap;
// insertions at the same offset are applied in the given order. Line ends are not changed.
func Apply(text string, splices []Splice) (string, error) {
	ordered, err := order(len(text), splices)
	if err != nil {
		return "", err
	}
	var b strings.Builder
	last := 0
	for _, s := range ordered {
		b.WriteString(text[last:s.Start])
		b.WriteString(s.New)
		last = s.End
	}
	b.WriteString(text[last:])
	return b.String(), nil
}

// order sorts splices by position and rejects those outside a text of the given size.
func order(size int, splices []Splice) ([]Splice, error) {
	ordered := slices.Clone(splices)
	slices.SortStableFunc(ordered, func(a, b Splice) int { return cmp.Or(a.Start-b.Start, a.End-b.End) })
	last := 0
	for _, s := range ordered {
		if s.Start < last || s.End < s.Start || s.End > size {
			return nil, errSplices
		}
		last = s.End
	}
	return ordered, nil
}

// Between returns the smallest single splice that turns before into after, at character boundaries.
func Between(before, after string) Splice {
	most := min(len(before), len(after))
	head := 0
	for head < most && before[head] == after[head] {
		head++
	}
	for head > 0 && !(border(before, head) && border(after, head)) {
		head--
	}
	tail := 0
	for tail < most-head && before[len(before)-1-tail] == after[len(after)-1-tail] {
		tail++
	}
	for tail > 0 && !(border(before, len(before)-tail) && border(after, len(after)-tail)) {
		tail--
	}
	return Splice{head, len(before) - tail, after[head : len(after)-tail]}
}

// border reports whether a character begins or the text ends at offset.
func border(text string, offset int) bool {
	return offset == len(text) || utf8.RuneStart(text[offset])
}
