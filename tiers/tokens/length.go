package tokens

import (
	"strconv"
	"unicode/utf8"

	"manualslop/events"
	"manualslop/tiers/conversation"
	"manualslop/tiers/fence"
)

// Tokens that vendors put around what is said; what they document is less.
const (
	ofPrompt = 64  // around a prompt
	ofTools  = 600 // the words that tell a model how to call tools
	ofTool   = 32  // around one tool, with the marks of a bias profile
	ofPart   = 24  // around a text or a call
)

// length is how many tokens a text has at most: all of it, and what a cut to
// [conversation.ResultHead] characters leaves of it.
type length struct{ whole, head int64 }

// lengthOf is the length of a text with its look-alikes of our markers made
// harmless, as a model reads what the engine did not write.
func lengthOf(text string) length {
	l := length{whole: Most(fence.Neutralise(text))}
	l.head = l.whole
	if cut := beginning(text); len(cut) < len(text) {
		l.head = Most(fence.Neutralise(cut))
	}
	return l
}

// beginning is what a cut leaves of a text.
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

// unread is the length of a text of so many bytes that nobody here has read.
func unread(bytes int64) length {
	bytes = max(bytes, 0)
	return length{bytes, min(bytes, utf8.UTFMax*conversation.ResultHead)}
}

// shown is how many tokens are left where only the first characters are shown; 0: all are.
func (l length) shown(characters int) int64 {
	switch {
	case characters <= 0:
		return l.whole
	case characters <= conversation.ResultHead:
		return min(l.head, utf8.UTFMax*int64(characters))
	}
	return min(l.whole, utf8.UTFMax*int64(characters))
}

// texts are the lengths of what parts of prompts name, by where it stands.
type texts map[string]length

// place is where a text stands: an event, and its number there.
func place(event string, index int) string { return event + "/" + strconv.Itoa(index) }

// stored is where a text of the basis stands: in the blob store, by its digest.
func stored(sha256 string) string { return "blob/" + sha256 }

// note takes the texts of an event.
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

// lengthOfReply is that of a reply as a model reads it again: as it was said, or
// as its vendor wants it back.
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

// part is what a part of a prompt has at most: its text, which is that of an
// event where from is not empty, and what stands around it.
type part struct {
	from         string
	text, around int64
}

// measure is the part as a model reads it.
func (t texts) measure(p *events.Part) part {
	out := part{around: ofPart + Most(p.Prefix) + Most(p.Suffix) + Most(p.Call)}
	if p.Origin != "" {
		out.around += Most(fence.Wrap(p.Origin, p.Fence, "", true)) + Most(fence.NotOurs)
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
