package feed

import (
	"bytes"
	"cmp"
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"manualslop/events"
)

// Frame is one message of a session for every reader with the same rights: encoded once, never changed.
type Frame struct {
	// Seq is its position on the log; for live text, that of the fact before it.
	Seq uint64
	// Subject is the subject as tokens, for filters; nil for live text.
	Subject []string
	// Body is the event, or the piece of live text, as JSON.
	Body []byte
	text []byte // body as server-sent event
}

// FactFrame encodes an event of the log.
func FactFrame(e *events.Event) (*Frame, error) {
	body, err := json.Marshal(e)
	if err != nil {
		return nil, err
	}
	head := "id: " + strconv.FormatUint(e.Seq, 10) + "\ndata: "
	f := newFrame(head, body)
	f.Seq, f.Subject = e.Seq, strings.Split(e.Subject(), ".")
	return f, nil
}

// deltaFrame encodes a piece of live text; nil if it is not JSON.
func deltaFrame(body []byte) *Frame {
	var line bytes.Buffer // server-sent data is one line
	if json.Compact(&line, body) != nil {
		return nil
	}
	return newFrame("event: delta\ndata: ", line.Bytes())
}

func newFrame(head string, body []byte) *Frame {
	sse := make([]byte, 0, len(head)+len(body)+2)
	sse = append(append(append(sse, head...), body...), "\n\n"...)
	return &Frame{text: sse, Body: sse[len(head) : len(head)+len(body)]}
}

// ring keeps the newest frames of a session, at most limit bytes of them and at least one. Frames are numbered from 0.
type ring struct {
	limit  int
	size   int
	base   uint64 // every fact after this sequence, up to the newest, is kept
	first  int    // number of the oldest frame that is kept
	frames []*Frame
}

// find returns the number of the first frame after a sequence. It returns false if some event after it is no longer
// kept.
func (r *ring) find(seq uint64) (int, bool) {
	if seq < r.base {
		return 0, false
	}
	i, _ := slices.BinarySearchFunc(r.frames, seq+1, func(f *Frame, seq uint64) int { return cmp.Compare(f.Seq, seq) })
	return r.first + i, true
}

func (r *ring) end() int { return r.first + len(r.frames) }

func (r *ring) add(f *Frame) {
	r.frames = append(r.frames, f)
	r.size += len(f.text)
	for r.size > r.limit && len(r.frames) > 1 {
		r.size -= len(r.frames[0].text)
		r.base = r.frames[0].Seq
		r.frames[0] = nil
		r.frames = r.frames[1:]
		r.first++
	}
}

// maxTaken limits the bytes of frames that one reader takes at a time, and thereby the memory that a stalled reader
// can hold.
const maxTaken = 64 << 10

// take appends frames from number next on to out, up to out's capacity and maxTaken bytes, but at least one. It
// returns false if they are no longer kept.
func (r *ring) take(next int, out []*Frame) ([]*Frame, bool) {
	if next < r.first {
		return out, false
	}
	size := 0
	for _, f := range r.frames[next-r.first:] {
		if size += len(f.text); len(out) > 0 && (len(out) == cap(out) || size > maxTaken) {
			break
		}
		out = append(out, f)
	}
	return out, true
}
