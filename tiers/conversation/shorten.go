package conversation

import (
	"cmp"
	"fmt"
	"slices"
	"unicode/utf8"

	"manualslop/events"
)

// ResultHead is the number of characters that remain of a result or a view that is cut.
const ResultHead = 8000

// worth is the minimum number of bytes to save by cutting, since the note about the cut takes
// space too.
const worth = 256

// isLong reports whether cutting a part makes it shorter.
func isLong(p events.Part) bool {
	if p.Kind == events.PartImage {
		return false // an image cannot be cut
	}
	if p.SHA256 == "" {
		return utf8.RuneCountInString(p.Text) > ResultHead+worth
	}
	return p.Size > ResultHead+worth && (p.Head == 0 || p.Head > ResultHead+worth)
}

// longResults returns the results of rounds in [from, to] that can be cut,
// oldest first.
func (t *Thread) longResults(from, to int) []piece {
	var out []piece
	for _, p := range t.pieces {
		if p.round >= from && p.round <= to && p.Role == "tool" && p.SHA256 != "" && isLong(p.Part) {
			out = append(out, p)
		}
	}
	return out
}

// cutResult keeps the first characters of a result and appends a note.
func (t *Thread) cutResult(call string, head int) {
	for i := range t.pieces {
		if p := &t.pieces[i].Part; p.Role == "tool" && p.Call == call && p.Head == 0 {
			p.Head = head
			p.Suffix = fmt.Sprintf("\n[… cut to make room: the first %d characters of %d bytes; call the tool again for what "+
				"you need of the rest]", head, p.Size) + p.Suffix
		}
	}
	t.changed()
}

// cutView keeps the first characters of a view, or only its name if head is 0.
func (t *Thread) cutView(at, head int) {
	if at < 0 || at >= len(t.pieces) {
		return
	}
	p := &t.pieces[at]
	defer t.changed()
	switch {
	case head == 0:
		p.Part = events.Part{Role: p.Role, Text: fmt.Sprintf("%s[left out to make room: %d bytes]\n",
			cmp.Or(p.Prefix, p.name+"\n"), p.whole)}
		p.hold = stays
		return
	case p.SHA256 == "":
		p.Text = characters(p.Text, head)
	default:
		p.Head = head
	}
	p.Suffix = fmt.Sprintf("\n[… cut to make room: the first %d characters of %d bytes]\n", head, p.whole)
}

// characters returns the first n characters of a text.
func characters(s string, n int) string {
	for at := range s {
		if n == 0 {
			return s[:at]
		}
		n--
	}
	return s
}

// drop leaves out a round: its reply with the calls, and their results. The missing rounds are
// noted in the first remaining round, after its reply, so that the beginning of the prompt does
// not change and the provider's cache of it stays valid.
func (t *Thread) drop(round int) {
	t.gone = append(t.gone, round)
	t.pieces = slices.DeleteFunc(t.pieces, func(p piece) bool { return p.round == round })
	if at := slices.IndexFunc(t.pieces, func(p piece) bool { return p.round > 0 && p.Role != "assistant" }); at >= 0 {
		p := &t.pieces[at]
		p.Prefix = fmt.Sprintf("[rounds %d to %d of this conversation were left out to make room]\n", t.gone[0], round) +
			p.Prefix
	}
	t.changed()
}

// has reports whether the result of a call is still in the thread.
func (t *Thread) has(call string) bool {
	return slices.ContainsFunc(t.pieces, func(p piece) bool { return p.Call == call })
}

// Apply folds what was left out, in the same order as [Thread.Fit].
func (t *Thread) Apply(p events.ConversationShortened) {
	for _, s := range p.Shortened {
		t.cutResult(s.Call, s.Head)
	}
	for _, round := range p.DroppedRounds {
		t.drop(round)
	}
	for _, v := range p.Views {
		t.cutView(v.Part, v.Head)
	}
	t.bytes = t.size()
	if p.Reason == events.ShortenedForVendor {
		t.least.tokens = max(p.Limit, p.After)
	}
	t.refusal = nil
}
