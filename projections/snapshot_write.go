package projections

import (
	"encoding/json"
	"io"
)

// WriteTo writes the snapshot as JSON, the same bytes that json.Marshal makes,
// one model after the other: a second copy of all states at once would be most
// of what a snapshot costs. It implements io.WriterTo.
func (s Snapshot) WriteTo(w io.Writer) (int64, error) {
	out := pieces{to: w}
	out.text(`{"seq":`).value(s.Seq).text(`,"last_id":`).value(s.LastID).text(`,"models":`)
	if s.Models == nil {
		out.text("null}")
		return out.written, out.err
	}
	before := "["
	for _, m := range s.Models {
		out.text(before + `{"name":`).value(m.Name).text(`,"version":`).value(m.Version).text(`,"state":`).raw(m.State).text("}")
		before = ","
	}
	if len(s.Models) == 0 {
		out.text(before)
	}
	out.text("]}")
	return out.written, out.err
}

// pieces writes until the first error.
type pieces struct {
	to      io.Writer
	written int64
	err     error
}

func (p *pieces) raw(b []byte) *pieces {
	if p.err == nil {
		var n int
		n, p.err = p.to.Write(b)
		p.written += int64(n)
	}
	return p
}

func (p *pieces) text(s string) *pieces { return p.raw([]byte(s)) }

func (p *pieces) value(v any) *pieces {
	b, err := json.Marshal(v)
	if p.err == nil {
		p.err = err
	}
	return p.raw(b)
}
