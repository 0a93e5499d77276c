package search

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"

	"manualslop/events"
)

// MaxText limits how much text of one event is indexed, in bytes. Further text is not found.
const MaxText = 64 << 10

// silent are the types of events whose bodies contain nothing new for a reader.
var silent = sync.OnceValue(func() map[string]bool {
	return events.Names(
		events.ToolsOffered{}, events.EventsDrained{}, events.RefreshRequested{}, events.ContextRequested{},
		events.SessionPartUploaded{},
	)
})

// skipped reports whether a member of a body is not indexed: digests, opaque vendor data, and
// content that another event already has.
func skipped(typ, key string) bool {
	switch key {
	case "sha256", "args_sha256", "body_sha256", "raw", "before", "after", "schema", "signature":
		return true
	}
	return slices.Contains(skippedOf()[typ], key)
}

// skippedOf holds, for each type, further members that are not indexed.
var skippedOf = sync.OnceValue(func() map[string][]string {
	return map[string][]string{
		events.NameOf[events.ModelRequested]():   {"manifest", "continues", "tools", "params"},
		events.NameOf[events.SessionOpened]():    {"settings"},
		events.NameOf[events.ContextBuilt]():     {"text"},
		events.NameOf[events.ToolApproved]():     {"args", "changes"},
		events.NameOf[events.PreviewRequested](): {"args"},
		events.NameOf[events.AskSettled]():       {"args"},
	}
})

// Text returns the searchable text of an event: all strings in its body, in order, one per line,
// at most MaxText bytes.
func Text(e *events.Event) string {
	if silent()[e.Type] {
		return ""
	}
	w := walker{typ: e.Type, dec: json.NewDecoder(bytes.NewReader(e.Data))}
	w.dec.UseNumber()
	_ = w.value(0) // text before an error is still indexed
	return w.out.String()
}

// maxNesting limits how deep a body is searched for text.
const maxNesting = 64

// walker collects the texts of a JSON document.
type walker struct {
	typ string
	dec *json.Decoder
	out strings.Builder
}

// value visits the next value and reports whether to stop.
func (w *walker) value(depth int) (over bool) {
	t, err := w.dec.Token()
	if err != nil || depth > maxNesting || w.out.Len() >= MaxText {
		return true
	}
	switch t := t.(type) {
	case string:
		w.add(t)
	case json.Delim:
		return w.inside(t, depth)
	}
	return false
}

func (w *walker) inside(open json.Delim, depth int) (over bool) {
	for w.dec.More() {
		if open == '{' {
			key, err := w.dec.Token()
			if err != nil {
				return true
			}
			if name, _ := key.(string); skipped(w.typ, name) {
				var skip json.RawMessage
				if w.dec.Decode(&skip) != nil {
					return true
				}
				continue
			}
		}
		if w.value(depth + 1) {
			return true
		}
	}
	_, err := w.dec.Token()
	return err != nil
}

// add appends a text, cut between characters if there is not enough room.
func (w *walker) add(s string) {
	if s == "" {
		return
	}
	if w.out.Len() > 0 {
		w.out.WriteByte('\n')
	}
	w.out.WriteString(clip(s, MaxText-w.out.Len()))
}

// clip cuts a text after at most size bytes, between characters.
func clip(s string, size int) string {
	if len(s) <= size {
		return s
	}
	size = max(size, 0)
	for size > 0 && !utf8.RuneStart(s[size]) {
		size--
	}
	return s[:size]
}
