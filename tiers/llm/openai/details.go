package openai

import (
	"encoding/json"
	"slices"

	"manualslop/tiers/llm"
)

// maxDetails limits the elements of a reply's reasoning_details.
const maxDetails = 4096

// detail is an element of reasoning_details, as the server sent it.
type detail map[string]json.RawMessage

// details holds the elements whose pieces are still arriving.
type details struct {
	list []*growing
	at   map[string]*growing // by index and type, for elements that have an index
}

// growing is an element and those of its texts that grow.
type growing struct {
	detail detail
	texts  map[string][]byte // used instead of the element's own texts
}

// add merges a piece into the earlier element with the same index and type: texts are appended,
// other values are replaced.
func (d *details) add(piece detail) {
	key := string(piece["index"]) + " " + string(piece["type"])
	if g := d.at[key]; g != nil && piece["index"] != nil {
		g.join(piece)
		return
	}
	g := &growing{detail: piece, texts: map[string][]byte{}}
	d.list = append(d.list, g)
	if piece["index"] != nil {
		if d.at == nil {
			d.at = map[string]*growing{}
		}
		d.at[key] = g
	}
}

func (g *growing) join(piece detail) {
	for key, value := range piece {
		switch {
		case string(value) == "null":
		case slices.Contains([]string{"text", "summary", "data"}, key) && g.grow(key, value):
		default:
			delete(g.texts, key)
			g.detail[key] = value
		}
	}
}

// grow appends a JSON string to the current one. It returns false if one of them is not a string.
func (g *growing) grow(key string, value json.RawMessage) bool {
	var before, more string
	if json.Unmarshal(value, &more) != nil {
		return false
	}
	if _, grown := g.texts[key]; !grown {
		if json.Unmarshal(g.detail[key], &before) != nil {
			return false
		}
		g.texts[key] = []byte(before)
	}
	g.texts[key] = append(g.texts[key], more...)
	return true
}

// whole returns the elements as the server would have sent them in one piece.
func (d *details) whole() []detail {
	var out []detail
	for _, g := range d.list {
		// order-independent: each text has its own key
		for key, text := range g.texts {
			if written, err := llm.PlainJSON(string(text)); err == nil {
				g.detail[key] = written
			}
		}
		out = append(out, g.detail)
	}
	return out
}
