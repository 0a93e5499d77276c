package sandbox

import (
	"fmt"
	"strings"
	"sync"
	"unicode/utf8"
)

// ring keeps the head and the tail of a stream and counts what it drops in between. Beside that it
// keeps the stream from its beginning, up to a larger bound.
type ring struct {
	mu    sync.Mutex
	half  int
	head  []byte
	tail  []byte // circular once full
	next  int    // where the oldest byte of a full tail is
	total int64
	whole []byte // the stream, up to room bytes
	room  int
}

func newRing(limit, whole int) *ring { return &ring{half: max(limit/2, 1), room: whole} }

// Write never fails and takes everything.
func (r *ring) Write(p []byte) (int, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	n := len(p)
	r.total += int64(n)
	r.whole = append(r.whole, p[:min(n, r.room-len(r.whole))]...)
	if room := r.half - len(r.head); room > 0 {
		take := min(room, len(p))
		r.head = append(r.head, p[:take]...)
		p = p[take:]
	}
	if over := len(p) - r.half; over > 0 {
		p = p[over:]
	}
	if room := r.half - len(r.tail); room > 0 {
		take := min(room, len(p))
		r.tail = append(r.tail, p[:take]...)
		p = p[take:]
	}
	for len(p) > 0 {
		n := copy(r.tail[r.next:], p)
		p = p[n:]
		r.next = (r.next + n) % r.half
	}
	return n, nil
}

// beginning gives the stream from its beginning, and tells whether that is all of it.
func (r *ring) beginning() (stream []byte, all bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.whole, int64(len(r.whole)) == r.total
}

// text gives what was kept as valid UTF-8, with a marker where bytes are missing, and their number.
func (r *ring) text() (string, int64) {
	r.mu.Lock()
	defer r.mu.Unlock()
	dropped := r.total - int64(len(r.head)+len(r.tail))
	tail := string(r.tail[r.next:]) + string(r.tail[:r.next])
	if dropped == 0 {
		return strings.ToValidUTF8(string(r.head)+tail, "\uFFFD"), 0
	}
	head := trimPartialEnd(string(r.head))
	for len(tail) > 0 && !utf8.RuneStart(tail[0]) {
		tail = tail[1:]
	}
	dropped = r.total - int64(len(head)+len(tail))
	marker := fmt.Sprintf("\n… %d bytes of output not shown …\n", dropped)
	return strings.ToValidUTF8(head, "\uFFFD") + marker + strings.ToValidUTF8(tail, "\uFFFD"), dropped
}

// trimPartialEnd drops the beginning of a character that was cut off.
func trimPartialEnd(s string) string {
	for back := 1; back < utf8.UTFMax && back <= len(s); back++ {
		if first := s[len(s)-back]; utf8.RuneStart(first) {
			if !utf8.FullRuneInString(s[len(s)-back:]) {
				return s[:len(s)-back]
			}
			return s
		}
	}
	return s
}
