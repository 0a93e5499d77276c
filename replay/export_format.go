package replay

import (
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"manualslop/events"
)

// FormatVersion is the version of the file that [Export] writes.
const FormatVersion = 1

// Limits of a file that is read. More is ErrLimit.
const (
	// MaxLine limits one line in bytes, its end included.
	MaxLine = 2 << 20
	// MaxEvents limits the events of one file.
	MaxEvents = 1_000_000
	// MaxBlobs limits the blobs of one file.
	MaxBlobs = 100_000
	// MaxBlobBytes limits one blob.
	MaxBlobBytes = 64 << 20
	// MaxFileBytes bounds events and blobs together, as they are in memory.
	MaxFileBytes = 1 << 30
)

// blobPiece is how many bytes of a blob one line carries.
const blobPiece = 1 << 20

// Errors in the form of a file. Each comes inside a [FileError].
var (
	// ErrFormat means that a line is not what it must be there.
	ErrFormat = errors.New("not a slop export")
	// ErrLimit means that a line, a blob or the whole file is too large.
	ErrLimit = errors.New("over the limit")
	// ErrTruncated means that the file ends before its footer.
	ErrTruncated = errors.New("the file is cut short")
	// ErrBlob means that a blob is not what its digest names, or is missing.
	ErrBlob = errors.New("a blob is damaged or missing")
)

// FileError says in which line of a file something is wrong.
type FileError struct {
	Line int // from 1
	Err  error
}

// Error returns the error with its line.
func (e *FileError) Error() string { return fmt.Sprintf("line %d: %v", e.Line, e.Err) }

// Unwrap returns the error without its line.
func (e *FileError) Unwrap() error { return e.Err }

// Header is the first line of an exported file.
type Header struct {
	Version int    `json:"slop_export"`
	Project string `json:"project"`
	Session string `json:"session"`
}

// Summary counts what a file holds. Chain is empty for plain JSON lines.
type Summary struct {
	Events  int    `json:"events"`
	Blobs   int    `json:"blobs"`
	Missing int    `json:"missing,omitempty"` // blobs that events name and the store did not have
	Chain   string `json:"chain"`
}

// stored is an event whose body on the stream was no envelope, as it came.
type stored struct {
	MsgID string    `json:"msg_id"`
	Time  time.Time `json:"time"`
	Body  []byte    `json:"body"`
}

// line is any line of a file after its header; exactly one of event, stored,
// blob and end is set.
type line struct {
	Seq     uint64          `json:"seq,omitempty"`
	Subject string          `json:"subject,omitempty"`
	Chain   string          `json:"chain,omitempty"`
	Event   json.RawMessage `json:"event,omitempty"`
	Stored  json.RawMessage `json:"stored,omitempty"`

	Blob    *events.BlobRef `json:"blob,omitempty"`
	Part    int             `json:"part,omitempty"`
	Data    []byte          `json:"data,omitempty"`
	Missing bool            `json:"missing,omitempty"`

	End *Summary `json:"end,omitempty"`
}
