package tools

import (
	"bytes"

	"github.com/aymanbagabas/go-udiff"
)

// maxEdits limits the places in all changes of a call. Beyond it the places of a file are merged into one, and
// those of further files are omitted.
const maxEdits = 64

// EditedPlace is one part of a change: the bytes from From to To are replaced with Len bytes.
type EditedPlace struct {
	From   int64  `json:"from"`
	To     int64  `json:"to"`
	Len    int64  `json:"len"`
	SHA256 string `json:"sha256"` // SHA-256 of the new bytes
}

// edits returns the places of a change in file order, at most room. It returns none for a created or removed file.
func (c Change) edits(room int) []EditedPlace {
	if c.Before == nil || c.After == nil || room == 0 {
		return nil
	}
	var out []EditedPlace
	found := udiff.Bytes(c.Before, c.After)
	if len(found) > room {
		return []EditedPlace{c.hull()}
	}
	for _, e := range found {
		out = append(out, EditedPlace{From: int64(e.Start), To: int64(e.End), Len: int64(len(e.New)),
			SHA256: digest([]byte(e.New))})
	}
	return out
}

// hull returns a single place from the first to the last differing byte.
func (c Change) hull() EditedPlace {
	from, to, end := 0, len(c.Before), len(c.After)
	for from < to && from < end && c.Before[from] == c.After[from] {
		from++
	}
	for to > from && end > from && c.Before[to-1] == c.After[end-1] {
		to, end = to-1, end-1
	}
	return EditedPlace{From: int64(from), To: int64(to), Len: int64(end - from), SHA256: digest(c.After[from:end])}
}

// Makes reports whether the edits of the current file are exactly the planned change.
func (p PlannedChange) Makes(edits []EditedPlace) bool {
	before, after := p.change.Before, p.change.After
	if before == nil || after == nil || len(edits) == 0 {
		return false
	}
	at := int64(0) // offset in before
	for _, e := range edits {
		if e.From < at || e.To < e.From || e.To > int64(len(before)) || e.Len < 0 {
			return false
		}
		var same bool
		if after, same = bytes.CutPrefix(after, before[at:e.From]); !same || e.Len > int64(len(after)) ||
			digest(after[:e.Len]) != e.SHA256 {
			return false
		}
		after, at = after[e.Len:], e.To
	}
	return bytes.Equal(after, before[at:])
}
