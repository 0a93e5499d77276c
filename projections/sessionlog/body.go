package sessionlog

import (
	"encoding/json"
	"fmt"
	"strings"

	"manualslop/events"
)

// MaxBody is the maximum size in bytes of a body within a record. A longer
// body, or one that is a blob, has its own file in [Bodies].
const MaxBody = 16 << 10

// Bodies is the folder of bodies that are too long for a record.
const Bodies = "outputs"

// bodyFile represents a body with its own file in a record.
type bodyFile struct {
	Name   string `json:"name"` // relative to the session's folder
	Size   int64  `json:"size"`
	SHA256 string `json:"sha256"`
}

// String returns the file as named in a line of text.
func (b *bodyFile) String() string { return fmt.Sprintf("file=%s size=%d", b.Name, b.Size) }

// body returns the form of a text in a record: the text itself, or the file
// that holds it, which is also returned as a piece the first time it is named.
// The same content has one file in a session.
func (r *Renderer) body(kind, text string, blob *events.BlobRef) (inline string, file *bodyFile, pieces []Append) {
	if blob == nil && len(text) <= MaxBody {
		return text, nil, nil
	}
	digest, size := "", int64(len(text))
	if blob != nil {
		digest, size = blob.SHA256, blob.Size
	} else {
		digest = events.Digest([]byte(text))
	}
	if known := r.bodies[digest]; known != nil {
		return "", known, nil
	}
	name := fmt.Sprintf("%s/%04d_%s.txt", Bodies, len(r.bodies)+1, kind)
	file = &bodyFile{Name: name, Size: size, SHA256: digest}
	r.bodies[digest] = file
	return "", file, []Append{{File: name, Bytes: []byte(text), Blob: blob}}
}

// jsonBody is like body for JSON; nil if a file holds it.
func (r *Renderer) jsonBody(kind string, raw json.RawMessage) (json.RawMessage, *bodyFile, []Append) {
	if len(raw) <= MaxBody {
		return raw, nil, nil
	}
	_, file, pieces := r.body(kind, strings.TrimSuffix(string(line(raw)), "\n"), nil)
	if file == nil { // shorter without its blanks
		return raw, nil, nil
	}
	return nil, file, pieces
}

// link returns the Markdown link to a file.
func (b *bodyFile) link(what string) string {
	return fmt.Sprintf("%s of %d bytes: [%[3]s](%[3]s)\n", what, b.Size, b.Name)
}

// absent returns the file content for a missing blob: what is known about it.
func absent(head []byte, blob *events.BlobRef) []byte {
	return fmt.Appendf(head[:len(head):len(head)], "\n[the rest is missing: blob %s of %d bytes is not in the store]\n",
		inline(blob.SHA256), blob.Size)
}
