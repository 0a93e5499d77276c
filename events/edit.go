package events

// Edit is one place of a change: the bytes of the file from From up to To are
// replaced by Len others.
type Edit struct {
	From   int64  `json:"from"`
	To     int64  `json:"to"`
	Len    int64  `json:"len"`
	SHA256 string `json:"sha256"` // of the new bytes
}

// MoveEdits carries edits of a file over to the file as another change of the
// same file leaves it; both are in the order of the file. False where both
// change the same bytes.
func MoveEdits(edits, by []Edit) ([]Edit, bool) {
	out := make([]Edit, 0, len(edits))
	for _, e := range edits {
		shift := int64(0)
		for _, b := range by {
			switch {
			case b.To <= e.From:
				shift += b.Len - (b.To - b.From)
			case e.To > b.From:
				return nil, false
			}
		}
		e.From, e.To = e.From+shift, e.To+shift
		out = append(out, e)
	}
	return out, true
}
