package projections

import "time"

// Bounds of the queue of one session. Entries are kept up to them whether or
// not clients have drained them, because a batch can be had again by its
// position and a client may come any time; beyond them the oldest go.
const (
	// MaxQueueEntries is how many entries are kept.
	MaxQueueEntries = 10_000
	// MaxQueueBytes bounds their payloads; the newest sequence is kept always.
	MaxQueueBytes = 8 << 20
	// MaxQueueClients is how many clients may have a position of their own.
	MaxQueueClients = 1024
)

// lostEntries is what went over the bounds.
type lostEntries struct {
	Count   int       `json:"count"`
	Through uint64    `json:"through"` // 0: nothing is lost
	Time    time.Time `json:"time"`    // of the newest lost entry
}

// entry tells who was at a mark what it did not get.
func (l lostEntries) entry(m queueMark) QueueEntry {
	return QueueEntry{Seq: l.Through, Type: QueueOverflow, Time: l.Time,
		Fields: &QueueFields{Dropped: l.Count - m.Count, From: m.Seq + 1, Through: l.Through}}
}

// put appends an entry and lets the oldest go that have no room. Entries of one
// sequence go together, because a position cannot stand between them.
func (q *pushed) put(e storedQueueEntry) {
	q.Entries = append(q.Entries, e)
	q.Bytes += queueSize(e)
	gone := 0
	for len(q.Entries)-gone > MaxQueueEntries || q.Bytes > MaxQueueBytes {
		seq := q.Entries[gone].Seq
		if seq == e.Seq {
			break
		}
		for q.Entries[gone].Seq == seq {
			q.Bytes -= queueSize(q.Entries[gone])
			gone++
		}
	}
	if gone == 0 {
		return
	}
	last := q.Entries[gone-1]
	q.Lost = lostEntries{Count: q.Lost.Count + gone, Through: last.Seq, Time: last.Time}
	clear(q.Entries[:gone])
	q.Entries = q.Entries[gone:]
}

// queueSize is about how many bytes an entry takes.
func queueSize(e storedQueueEntry) int {
	size := len(e.Type) + len(e.Payload)
	if f := e.Fields; f != nil {
		size += len(f.Data) + len(f.Text) + len(f.Title)
	}
	return size
}

// mark finds the place of a sequence. Among lost entries only the places are
// known at which some client is.
func (q *pushed) mark(seq uint64) queueMark {
	if seq >= q.Lost.Through {
		return queueMark{seq, q.Lost.Count + q.upTo(seq)}
	}
	count := 0
	// order-independent: the greatest of all counts.
	for _, m := range q.Drained {
		if m.Seq <= seq {
			count = max(count, m.Count)
		}
	}
	return queueMark{seq, count}
}
