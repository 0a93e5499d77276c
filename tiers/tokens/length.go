package tokens

import (
	"strconv"
	"unicode/utf8"

	"manualslop/events"
	"manualslop/tiers/conversation"
	"manualslop/tiers/fence"
)

// Tokens that vendors add to the content, with a margin above the documented numbers.
const (
	ofPrompt = 64  // around a prompt
	ofTools  = 600 // for the instructions for calling tools
	ofTool   = 32  // per tool, including the marks of a bias profile
	ofPart   = 24  // per text or call
)

// length is the maximum number of tokens of a text and of its first [conversation.ResultHead]
// characters.
type length struct{ whole, head int64 }

// lengthOf returns the length of a text after fence.Neutralise, as a model reads text that the
// engine did not write.
func lengthOf(text string) length {
	l := length{whole: Most(fence.Neutralise(text))}
	l.head = l.whole
	if cut := beginning(text); len(cut) < len(text) {
		l.head = Most(fence.Neutralise(cut))
	}
	return l
}

// beginning returns the part of a text that remains after a cut.
func beginning(text string) string {
	left := conversation.ResultHead
	for at := range text {
		if left == 0 {
			return text[:at]
		}
		left--
	}
	return text
}

// unread returns the length of a text of this many bytes whose content is not known.
func unread(bytes int64) length {
	bytes = max(bytes, 0)
	return length{bytes, min(bytes, utf8.UTFMax*conversation.ResultHead)}
}

// shown returns the number of tokens if only the first characters are shown; 0 means all of them.
func (l length) shown(characters int) int64 {
	switch {
	case characters <= 0:
		return l.whole
	case characters <= conversation.ResultHead:
		return min(l.head, utf8.UTFMax*int64(characters))
	}
	return min(l.whole, utf8.UTFMax*int64(characters))
}

// texts holds the lengths of the texts to which parts of prompts refer, by their location.
type texts map[string]length

// place returns the location of a text in an event, by its index there.
func place(event string, index int) string { return event + "/" + strconv.Itoa(index) }

// stored returns the location of a text of the basis, which is in the blob store, by its digest.
func stored(sha256 string) string { return "blob/" + sha256 }

// note adds the texts of an event.
func (t texts) note(e *events.Event) {
	if basis, given := (events.Basis{}).Changed(e.Payload); given {
		for _, text := range basis.Texts {
			t[stored(text.SHA256)] = length{text.Tokens, text.Tokens}
		}
	}
	switch p := e.Payload.(type) {
	case events.ModelReplied:
		t[place(e.ID, 0)] = lengthOfReply(p)
	case events.TurnRequested:
		t[place(e.ID, 0)] = lengthOf(p.Text)
	case events.DiscussionChanged:
		if p.Content != nil {
			t[place(e.ID, 0)] = lengthOf(*p.Content)
		}
	case events.ToolSettled:
		if p.TextBlob != nil {
			t[place(e.ID, 0)] = unread(p.TextBlob.Size)
			return
		}
		t[place(e.ID, 0)] = lengthOf(p.Text)
	case events.ContextBuilt:
		for i, v := range p.Views {
			if v.Blob {
				t[place(e.ID, i)] = unread(v.Size)
				continue
			}
			t[place(e.ID, i)] = lengthOf(v.Text)
		}
	}
}

// lengthOfReply returns the length of a reply as a model reads it again, in its portable form or
// in the vendor's own, whichever is longer.
func lengthOfReply(p events.ModelReplied) length {
	said, raw := Most(p.Text), Most(string(p.Raw))
	for _, c := range p.Calls {
		said += Most(c.ID) + Most(c.Name) + Most(string(c.Args)) + ofPart
	}
	if p.RawBlob != nil {
		raw = unread(p.RawBlob.Size).whole
	}
	return length{max(said, raw), max(said, raw)}
}

// part is the upper bound of a part of a prompt: its text, which comes from an event if from is
// not empty, and what surrounds the text.
type part struct {
	from         string
	text, around int64
}

// measure returns the upper bound of a part as a model reads it.
func (t texts) measure(p *events.Part) part {
	out := part{around: ofPart + Most(p.Prefix) + Most(p.Suffix) + Most(p.Call)}
	if p.Origin != "" {
		out.around += Most(fence.Wrap(p.Origin, p.Fence, "", true)) + Most(fence.NotOurs)
	}
	if p.Kind == events.PartImage {
		out.text = events.ImageTokens
		return out
	}
	if p.SHA256 == "" {
		out.text = lengthOf(p.Text).whole
		return out
	}
	if out.from = place(p.From, p.Index); p.From == "" {
		out.from = stored(p.SHA256)
	}
	l, read := t[out.from]
	if !read {
		l, out.from = unread(p.Size), ""
	}
	out.text = l.shown(p.Head)
	return out
}
