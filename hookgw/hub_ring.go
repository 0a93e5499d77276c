package hookgw

import (
	"bytes"
	"cmp"
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"manualslop/events"
)

// frame is one message of a session as every reader with equal rights gets it:
// encoded once, never changed.
type frame struct {
	seq     uint64   // position on the log; of live text, that of the fact before it
	subject []string // tokens, for filters; nil for live text
	sse     []byte   // as server-sent event
	body    []byte   // the JSON within sse
}

// factFrame encodes an event of the log.
func factFrame(e *events.Event) (*frame, error) {
	body, err := json.Marshal(e)
	if err != nil {
		return nil, err
	}
	head := "id: " + strconv.FormatUint(e.Seq, 10) + "\ndata: "
	f := newFrame(head, body)
	f.seq, f.subject = e.Seq, strings.Split(e.Subject(), ".")
	return f, nil
}

// deltaFrame encodes a piece of live text; nil where it is not JSON.
func deltaFrame(body []byte) *frame {
	var line bytes.Buffer // server-sent data is one line
	if json.Compact(&line, body) != nil {
		return nil
	}
	return newFrame("event: delta\ndata: ", line.Bytes())
}

func newFrame(head string, body []byte) *frame {
	sse := make([]byte, 0, len(head)+len(body)+2)
	sse = append(append(append(sse, head...), body...), "\n\n"...)
	return &frame{sse: sse, body: sse[len(head) : len(head)+len(body)]}
}

// ring keeps the newest frames of a session, at most limit bytes of them and at
// least one. Frames are numbered from 0 as they come.
type ring struct {
	limit  int
	size   int
	base   uint64 // every fact behind this sequence, up to the newest, is kept
	first  int    // number of the oldest frame that is kept
	frames []*frame
}

// find is the number of the first frame behind a sequence. False when not all
// facts behind it are kept.
func (r *ring) find(seq uint64) (int, bool) {
	if seq < r.base {
		return 0, false
	}
	i, _ := slices.BinarySearchFunc(r.frames, seq+1, func(f *frame, seq uint64) int { return cmp.Compare(f.seq, seq) })
	return r.first + i, true
}

func (r *ring) end() int { return r.first + len(r.frames) }

func (r *ring) add(f *frame) {
	r.frames = append(r.frames, f)
	r.size += len(f.sse)
	for r.size > r.limit && len(r.frames) > 1 {
		r.size -= len(r.frames[0].sse)
		r.base = r.frames[0].seq
		r.frames[0] = nil
		r.frames = r.frames[1:]
		r.first++
	}
}

// maxTaken bounds the bytes of frames that one reader takes at a time, and with
// them what a reader that does not read can keep from being freed.
const maxTaken = 64 << 10

// take appends frames from number next on to out, up to out's capacity and
// maxTaken bytes, but one at least. False when they are not kept any more.
func (r *ring) take(next int, out []*frame) ([]*frame, bool) {
	if next < r.first {
		return out, false
	}
	size := 0
	for _, f := range r.frames[next-r.first:] {
		if size += len(f.sse); len(out) > 0 && (len(out) == cap(out) || size > maxTaken) {
			break
		}
		out = append(out, f)
	}
	return out, true
}
