package sessionlog

import (
	"encoding/json"
	"fmt"
	"strings"

	"manualslop/events"
)

// MaxBody limits the size of a text within a record, in bytes. A longer text, or one that is a
// blob, has a file of its own in [Bodies].
const MaxBody = 16 << 10

// Bodies is the folder of texts that are too long for a record.
const Bodies = "outputs"

// bodyFile refers, in a record, to a text in a file of its own.
type bodyFile struct {
	Name   string `json:"name"` // relative to the session's folder
	Size   int64  `json:"size"`
	SHA256 string `json:"sha256"`
}

// String returns the reference as it is written in a line of text.
func (b *bodyFile) String() string { return fmt.Sprintf("file=%s size=%d", b.Name, b.Size) }

// body returns a text in the form for a record: the text itself, or the file that holds it. The
// file is also returned as a piece to write when it is first referred to. The same content has
// only one file in a session.
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

// jsonBody is like body for JSON; it returns nil if a file holds it.
func (r *Renderer) jsonBody(kind string, raw json.RawMessage) (json.RawMessage, *bodyFile, []Append) {
	if len(raw) <= MaxBody {
		return raw, nil, nil
	}
	_, file, pieces := r.body(kind, strings.TrimSuffix(string(line(raw)), "\n"), nil)
	if file == nil { // it fits without its white space
		return raw, nil, nil
	}
	return nil, file, pieces
}

// link returns a Markdown link to the file.
func (b *bodyFile) link(what string) string {
	return fmt.Sprintf("%s of %d bytes: [%[3]s](%[3]s)\n", what, b.Size, b.Name)
}

// absent returns the file content for a missing blob: the known beginning and a note.
func absent(head []byte, blob *events.BlobRef) []byte {
	return fmt.Appendf(head[:len(head):len(head)], "\n[the rest is missing: blob %s of %d bytes is not in the store]\n",
		inline(blob.SHA256), blob.Size)
}
