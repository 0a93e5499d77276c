package events

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"strconv"
	"time"

	"github.com/oklog/ulid/v2"
)

// MaxIDLength bounds every identifier that enters from outside.
const MaxIDLength = 128

// DecidedID is the id of the index-th fact that decider decided on cause: a
// ULID whose time is the cause's and whose 80 bits are the head of
// SHA-256(decider, cause id, index). Every process computes the same.
func DecidedID(decider string, cause Event, index int) string {
	h := sha256.New()
	h.Write([]byte(decider))
	h.Write([]byte{0})
	h.Write([]byte(cause.ID))
	h.Write([]byte{0})
	var n [8]byte
	binary.BigEndian.PutUint64(n[:], uint64(index))
	h.Write(n[:])
	var id ulid.ULID
	var sum [sha256.Size]byte
	copy(id[6:], h.Sum(sum[:0]))
	if err := id.SetTime(timestamp(cause.Time)); err != nil {
		panic("events: " + err.Error()) // timestamp keeps the range
	}
	return id.String()
}

// timestamp maps a time into the 48 bits of a ULID; a time before 1970 is 0.
func timestamp(t time.Time) uint64 {
	ms := t.UnixMilli()
	if ms < 0 {
		return 0
	}
	return min(uint64(ms), ulid.MaxTime())
}

// CallID names the index-th tool call of a model reply: the id of its
// ModelRequested, a dash, the index.
func CallID(request string, index int) string { return request + "-" + strconv.Itoa(index) }

// LiftedID is the id of a bare body that came without one: the head of the
// SHA-256 of session, subject, stream sequence and body, as a ULID of time t.
func LiftedID(session, subject string, seq uint64, body []byte, t time.Time) string {
	h := sha256.New()
	for _, s := range []string{session, subject, strconv.FormatUint(seq, 10)} {
		h.Write([]byte(s))
		h.Write([]byte{0})
	}
	h.Write(body)
	var id ulid.ULID
	copy(id[6:], h.Sum(nil))
	if err := id.SetTime(timestamp(t)); err != nil {
		panic("events: " + err.Error())
	}
	return id.String()
}

// Digest is the SHA-256 of b in lower-case hexadecimal.
func Digest(b []byte) string {
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:])
}
