package llm

import (
	"encoding/json"
	"fmt"

	"manualslop/events"
)

// Wire returns the canonical JSON (RFC 8785) of the request, the same for every provider that has
// no wire format of its own; ModelReplied.body_sha256 is its digest. It fails only on arguments or
// schemas that are not JSON.
//
// The members are written in the order of their names instead of being sorted, because this runs
// for every request over the whole conversation.
func (r Request) Wire() ([]byte, error) {
	w := wireWriter{out: make([]byte, 0, r.size())}
	w.raw(`{"messages":`)
	list(&w, r.Messages, w.message)
	w.behind(&r)
	if w.err != nil {
		return nil, fmt.Errorf("encode the request: %w", w.err)
	}
	return w.out, nil
}

// size estimates the length of the wire form.
func (r Request) size() int {
	const around = 128
	n := around
	for _, m := range r.Messages {
		for _, b := range m.Blocks {
			n += around
			switch b := b.(type) {
			case Text:
				n += len(b) + len(b)/16
			case Image: // its digest
			case Call:
				n += len(b.Args)
			case Result:
				n += len(b.Text) + len(b.Text)/16
			case Opaque:
				n += len(b.Data)
			}
		}
	}
	for _, t := range r.Tools {
		n += around + len(t.Description) + len(t.Schema)
	}
	return n
}

// wireWriter writes canonical JSON and keeps the first error.
type wireWriter struct {
	out []byte
	err error
}

func (w *wireWriter) raw(s string)  { w.out = append(w.out, s...) }
func (w *wireWriter) text(s string) { w.out = events.AppendText(w.out, s) }

// json writes JSON text; empty text becomes null.
func (w *wireWriter) json(raw json.RawMessage) {
	if len(raw) == 0 {
		w.raw("null")
		return
	}
	b, err := events.Canonical(raw)
	if w.err == nil {
		w.err = err
	}
	w.out = append(w.out, b...)
}

func list[T any](w *wireWriter, all []T, one func(*T)) {
	w.raw("[")
	for i := range all {
		if i > 0 {
			w.raw(",")
		}
		one(&all[i])
	}
	w.raw("]")
}

// behind writes the members that follow the messages.
func (w *wireWriter) behind(r *Request) {
	w.raw(`,"model":`)
	w.text(r.Model)
	params, err := json.Marshal(r.Params)
	if w.err == nil {
		w.err = err
	}
	w.raw(`,"params":`)
	w.json(params)
	if len(r.Tools) > 0 {
		w.raw(`,"tools":`)
		list(w, r.Tools, w.tool)
	}
	w.raw("}")
}

func (w *wireWriter) message(m *Message) {
	w.raw(`{"blocks":`)
	list(w, m.Blocks, w.block)
	w.raw(`,"role":`)
	w.text(m.Role)
	w.raw("}")
}

// block writes the neutral form of a block; empty members are left out.
func (w *wireWriter) block(b *Block) {
	w.raw("{")
	switch b := (*b).(type) {
	case Text:
		w.member(`"kind":`, "text")
		w.member(`"text":`, string(b))
	case Image:
		w.member(`"kind":`, "image")
		w.member(`"media":`, b.Media)
		w.member(`"sha256":`, b.SHA256)
	case Call:
		w.document(`"args":`, b.Args)
		w.member(`"id":`, b.ID)
		w.member(`"kind":`, "call")
		w.member(`"name":`, b.Name)
	case Result:
		w.member(`"call":`, b.Call)
		if b.Failed {
			w.raw(`"failed":true,`)
		}
		w.member(`"kind":`, "result")
		w.member(`"name":`, b.Name)
		w.member(`"text":`, b.Text)
	case Opaque:
		w.document(`"data":`, b.Data)
		w.member(`"kind":`, "opaque")
		w.member(`"origin":`, b.Origin)
	}
	w.out[len(w.out)-1] = '}'
}

// member writes a name, a text and a comma; nothing if the text is empty.
func (w *wireWriter) member(name, s string) {
	if s != "" {
		w.raw(name)
		w.text(s)
		w.raw(",")
	}
}

// document writes a name, JSON text and a comma; nothing if the JSON is empty.
func (w *wireWriter) document(name string, raw json.RawMessage) {
	if len(raw) > 0 {
		w.raw(name)
		w.json(raw)
		w.raw(",")
	}
}

func (w *wireWriter) tool(t *Tool) {
	if t.wire != nil {
		w.out = append(w.out, t.wire...)
		return
	}
	w.raw(`{"description":`)
	w.text(t.Description)
	w.raw(`,"name":`)
	w.text(t.Name)
	w.raw(`,"schema":`)
	w.json(t.Schema)
	w.raw("}")
}

// wireOf returns the tool's part of the wire form; nil if its schema is not JSON.
func wireOf(t *Tool) []byte {
	var w wireWriter
	if w.tool(t); w.err != nil {
		return nil
	}
	return w.out
}
