package llm

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"manualslop/events"
	"manualslop/tiers/fence"
)

// Resolve returns the content that a part refers to: the text that its digest covers and, for an
// assistant part, the calls and the raw block of the reply. It is called only for parts that refer
// to bytes, and need not check digests.
type Resolve func(p events.Part) (text string, calls []events.ToolCall, raw json.RawMessage, err error)

// content is what a part adds to a prompt.
type content struct {
	text  string // including prefix and suffix
	image *Image // follows the text
	calls []events.ToolCall
	raw   json.RawMessage
}

func (c content) size() int {
	n := len(c.text) + len(c.raw)
	for _, call := range c.calls {
		n += len(call.Name) + len(call.Args)
	}
	return n
}

// read returns the checked content of the part at position i, counted from 0.
func read(i int, p events.Part, resolve Resolve) (content, error) {
	if (p.Origin == "") != (p.Fence == "") {
		return content{}, refuse(i, "has an origin without a fence, or a fence without an origin")
	}
	if p.SHA256 == "" {
		if p.From != "" || p.Size != 0 {
			return content{}, refuse(i, "has bytes without a digest")
		}
		return content{text: p.Prefix + shown(p, p.Text) + p.Suffix}, nil
	}
	if p.Text != "" {
		return content{}, refuse(i, "has both a text and a digest")
	}
	text, calls, raw, err := resolve(p)
	if err != nil {
		return content{}, fmt.Errorf("prompt part %d: %w", i+1, err)
	}
	if int64(len(text)) != p.Size || events.Digest([]byte(text)) != p.SHA256 {
		return content{}, refuse(i, "has %d bytes with digest %s, but %d with %s are recorded", len(text),
			events.Digest([]byte(text)), p.Size, p.SHA256)
	}
	if p.Kind == events.PartImage {
		image := Image{Media: MediaOf([]byte(text)), SHA256: p.SHA256, Data: []byte(text)}
		if image.Media == "" {
			return content{}, refuse(i, "is not a PNG, JPEG or WebP image")
		}
		return content{text: p.Prefix, image: &image}, nil
	}
	if p.Kind == events.PartEntry {
		calls, raw = nil, nil
	}
	return content{text: p.Prefix + shown(p, beginning(text, p.Head)) + p.Suffix, calls: calls, raw: raw}, nil
}

// shown returns a part's text as a model reads it: fenced, unless the engine wrote it. Entries are
// neutralised, because a user may have pasted anything into one.
func shown(p events.Part, text string) string {
	switch {
	case p.Origin != "":
		return fence.Wrap(p.Origin, p.Fence, text, !p.Failed)
	case p.Kind == events.PartEntry && p.Role != RoleAssistant:
		return fence.Neutralise(text)
	}
	return text
}

// beginning returns the first n characters of a text, or all of it if n is 0.
func beginning(s string, n int) string {
	if n <= 0 {
		return s
	}
	for at := range s {
		if n == 0 {
			return s[:at]
		}
		n--
	}
	return s
}

func refuse(i int, format string, args ...any) error {
	return Unsendable("prompt part %d "+format, append([]any{i + 1}, args...)...)
}

// Newest returns the text of a manifest's newest message: its last part and the preceding parts
// that [Assemble] puts into the same message (the results of a round, the block of changed files),
// joined by line breaks. Bytes are checked as in Assemble.
func Newest(manifest []events.Part, resolve Resolve) (string, error) {
	var texts []string
	for i := newestFrom(manifest); i < len(manifest); i++ {
		got, err := read(i, manifest[i], resolve)
		if err != nil {
			return "", err
		}
		texts = append(texts, got.text)
	}
	return strings.Join(texts, "\n"), nil
}

// newestParts returns the parts of a manifest's newest message.
func newestParts(manifest []events.Part) []events.Part {
	return slices.Clone(manifest[newestFrom(manifest):])
}

// newestFrom returns the position of the newest message's first part.
func newestFrom(manifest []events.Part) int {
	i := len(manifest)
	for i > 0 && manifest[i-1].Kind == events.PartRefresh {
		i--
	}
	if i == 0 {
		return 0
	}
	role := manifest[i-1].Role
	i--
	for role != RoleAssistant && i > 0 && manifest[i-1].Role == role {
		i--
	}
	return i
}
