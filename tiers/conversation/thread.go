package conversation

import (
	"slices"

	"manualslop/events"
	"manualslop/tiers"
)

// Thread is one conversation with a model: a beginning, and rounds after it.
// The zero value is one in which nothing was said.
type Thread struct {
	pieces []piece
	bytes  int           // of the parts as JSON
	reads  int64         // bytes of the parts that a model reads
	same   int           // how many parts are, from the beginning, as they were sent last
	gone   []int         // rounds that were left out
	heard  tiers.Replies // how long replies are as a model reads them again

	counted, countedBytes int64 // tokens of the last prompt as its provider counted, and its bytes; 0: not known

	refusal  *events.ModelFailed // why the provider did not take the last prompt; nil: it did
	refusals int                 // of the round that is to be sent
	least    ceiling
}

// piece is a part of the prompt and what may be done to it.
type piece struct {
	events.Part
	round int    // 0: of the beginning
	name  string // of what is shown, or of the tool that answered
	hold  hold
	whole int64 // bytes of what it shows
}

// hold says what may be done to a piece of the beginning, or to a view of a round.
type hold int

const (
	stays   hold = iota // nothing
	shrinks             // its first characters stay
	goes                // its name stays
)

// Open puts parts at the end of the beginning that always stay.
func (t *Thread) Open(parts ...events.Part) {
	for _, p := range parts {
		t.put(piece{Part: p})
	}
}

// Rules puts the project's rules there: they may be cut and are never left out.
func (t *Thread) Rules(parts ...events.Part) {
	for _, p := range parts {
		t.put(piece{Part: p, name: "project rules", hold: shrinks})
	}
}

// Show puts a view there under a name for people: it may be cut or left out.
func (t *Thread) Show(name string, p events.Part) { t.ShowIn(0, name, p) }

// ShowIn puts a view into a round, where it may be cut or left out as one of the
// beginning.
func (t *Thread) ShowIn(round int, name string, p events.Part) {
	t.put(piece{Part: p, round: round, name: tiers.Line(tiers.Clip(name, maxName)), hold: goes})
}

// maxName limits the name of a view in bytes.
const maxName = 512

// Say puts a part of a round, counted from 1, at the end of the conversation.
func (t *Thread) Say(round int, p events.Part) { t.put(piece{Part: p, round: round}) }

// Result puts the result of a tool there.
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

// Sent takes the prompt as one that was sent; see [Thread.Since].
func (t *Thread) Sent() { t.same = len(t.pieces) }

// Since returns how many parts of the prompt are, from its beginning, those
// that were sent last, and gives the parts after them.
func (t *Thread) Since() (same int, rest []events.Part) { return t.same, t.behind(t.same) }

func (t *Thread) behind(n int) []events.Part {
	out := make([]events.Part, 0, len(t.pieces)-n+1)
	for _, p := range t.pieces[n:] {
		out = append(out, p.Part)
	}
	return out
}

// Reword puts the texts of a basis in place of those of another one that the
// conversation begins with, from its next prompt on.
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

// changed counts again what a model reads, of parts that may not be those that were sent.
func (t *Thread) changed() {
	t.same, t.reads = 0, 0
	for _, p := range t.pieces {
		t.reads += t.heard.Size(p.Part)
	}
}

// newest returns the last round that said something; 0: none did.
func (t *Thread) newest() int {
	n := 0
	for _, p := range t.pieces {
		n = max(n, p.round)
	}
	return n
}

// oldest returns the first round that is still there and is not the newest; 0:
// none.
func (t *Thread) oldest() int {
	newest := t.newest()
	for _, p := range t.pieces {
		if p.round > 0 && p.round < newest {
			return p.round
		}
	}
	return 0
}

// clone returns a thread to try things on.
func (t *Thread) clone() *Thread {
	out := *t
	out.pieces, out.gone = slices.Clone(t.pieces), slices.Clone(t.gone)
	return &out
}

// size is that of the parts as JSON.
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
		panic("conversation: " + err.Error()) // strings and numbers
	}
	return n
}
