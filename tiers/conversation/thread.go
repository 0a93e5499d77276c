package conversation

import (
	"slices"

	"manualslop/events"
	"manualslop/tiers"
)

// Thread is one conversation with a model: a beginning and the rounds after it. The zero value is
// an empty conversation.
type Thread struct {
	pieces []piece
	bytes  int           // of the parts as JSON
	reads  int64         // bytes that a model reads of the parts
	same   int           // number of leading parts that are unchanged since the last prompt
	gone   []int         // rounds that were left out
	heard  tiers.Replies // lengths of replies as a model reads them again

	counted, countedBytes int64 // tokens of the last prompt as its provider counted them, and its bytes; 0 if not known

	refusal  *events.ModelFailed // why the provider rejected the last prompt; nil if it did not
	refusals int                 // of the round that is to be sent
	least    ceiling
}

// piece is a part of the prompt, and how it may be shortened.
type piece struct {
	events.Part
	round int    // 0 for the beginning
	name  string // of the view, or of the tool that answered
	hold  hold
	whole int64 // bytes of the complete view
}

// hold says how a piece of the beginning, or a view of a round, may be shortened.
type hold int

const (
	stays   hold = iota // not at all
	shrinks             // to its first characters
	goes                // to its name
)

// Open adds parts to the beginning that are never shortened.
func (t *Thread) Open(parts ...events.Part) {
	for _, p := range parts {
		t.put(piece{Part: p})
	}
}

// Rules adds the project's rules to the beginning: they may be cut but never removed.
func (t *Thread) Rules(parts ...events.Part) {
	for _, p := range parts {
		t.put(piece{Part: p, name: "project rules", hold: shrinks})
	}
}

// Show adds a view to the beginning, with a name for people: it may be cut or removed.
func (t *Thread) Show(name string, p events.Part) { t.ShowIn(0, name, p) }

// ShowIn adds a view to a round, where it may be cut or removed like one of the beginning.
func (t *Thread) ShowIn(round int, name string, p events.Part) {
	t.put(piece{Part: p, round: round, name: tiers.Line(tiers.Clip(name, maxName)), hold: goes})
}

// maxName limits the name of a view in bytes.
const maxName = 512

// Say adds a part of a round, counted from 1, to the end of the conversation.
func (t *Thread) Say(round int, p events.Part) { t.put(piece{Part: p, round: round}) }

// Result adds the result of a tool.
func (t *Thread) Result(round int, tool string, p events.Part) {
	t.put(piece{Part: p, round: round, name: tool})
}

func (t *Thread) put(p piece) {
	p.whole = max(p.Size, int64(len(p.Text)))
	t.pieces = append(t.pieces, p)
	t.bytes += sizeOf(p.Part) + len(",")
	t.reads += t.heard.Size(p.Part)
}

// Parts returns the prompt.
func (t *Thread) Parts() []events.Part { return t.behind(0) }

// Sent marks the prompt as sent; see [Thread.Since].
func (t *Thread) Sent() { t.same = len(t.pieces) }

// Since returns how many leading parts of the prompt are the same as in the last one sent, and the
// parts after them.
func (t *Thread) Since() (same int, rest []events.Part) { return t.same, t.behind(t.same) }

// Edit replaces part i of the prompt; false if there is no such part.
func (t *Thread) Edit(i int, edited func(events.Part) events.Part) bool {
	if i < 0 || i >= len(t.pieces) {
		return false
	}
	p := &t.pieces[i]
	before, read := sizeOf(p.Part), t.heard.Size(p.Part)
	p.Part = edited(p.Part)
	p.whole = max(p.Size, int64(len(p.Text)))
	t.bytes += sizeOf(p.Part) - before
	t.reads += t.heard.Size(p.Part) - read
	t.same = min(t.same, i)
	return true
}

func (t *Thread) behind(n int) []events.Part {
	out := make([]events.Part, 0, len(t.pieces)-n+1)
	for _, p := range t.pieces[n:] {
		out = append(out, p.Part)
	}
	return out
}

// Reword replaces the texts of one basis at the beginning of the conversation by those of another,
// from the next prompt on.
func (t *Thread) Reword(from, to events.Basis) {
	for i := range t.pieces {
		p := &t.pieces[i]
		for _, old := range from.Texts {
			text, has := to.Text(old.Name)
			if has && p.round == 0 && p.From == "" && p.Role == "system" && p.SHA256 == old.SHA256 {
				p.SHA256, p.Size, p.whole = text.SHA256, text.Size, text.Size
				break
			}
		}
	}
	t.bytes = t.size()
	t.changed()
}

// changed recounts what a model reads, after parts may have changed.
func (t *Thread) changed() {
	t.same, t.reads = 0, 0
	for _, p := range t.pieces {
		t.reads += t.heard.Size(p.Part)
	}
}

// newest returns the last round that has parts; 0 if there is none.
func (t *Thread) newest() int {
	n := 0
	for _, p := range t.pieces {
		n = max(n, p.round)
	}
	return n
}

// oldest returns the first remaining round except the newest; 0 if there is none.
func (t *Thread) oldest() int {
	newest := t.newest()
	for _, p := range t.pieces {
		if p.round > 0 && p.round < newest {
			return p.round
		}
	}
	return 0
}

// clone returns a copy for trying out changes.
func (t *Thread) clone() *Thread {
	out := *t
	out.pieces, out.gone = slices.Clone(t.pieces), slices.Clone(t.gone)
	return &out
}

// size returns the size of the parts as JSON.
func (t *Thread) size() int {
	n := 0
	for _, p := range t.pieces {
		n += sizeOf(p.Part) + len(",")
	}
	return n
}

// sizeOf returns the size of a part as JSON.
func sizeOf(p events.Part) int {
	n, err := events.SizeOf(p)
	if err != nil {
		panic("conversation: " + err.Error()) // strings and numbers cannot fail
	}
	return n
}
