package replay

import (
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"manualslop/events"
)

// FormatVersion is the version of the file format that [Export] writes.
const FormatVersion = 1

// Limits of a file that is read. A file beyond them fails with ErrLimit.
const (
	// MaxLine limits one line in bytes, including its end.
	MaxLine = 2 << 20
	// MaxEvents limits the events of one file.
	MaxEvents = 1_000_000
	// MaxBlobs limits the blobs of one file.
	MaxBlobs = 100_000
	// MaxBlobBytes limits one blob.
	MaxBlobBytes = 64 << 20
	// MaxFileBytes limits events and blobs together, by their size in memory.
	MaxFileBytes = 1 << 30
)

// blobPiece is the number of bytes of a blob in one line.
const blobPiece = 1 << 20

// Errors in the form of a file. Each is wrapped in a [FileError].
var (
	// ErrFormat means that a line is not what is expected there.
	ErrFormat = errors.New("not a slop export")
	// ErrLimit means that a line, a blob or the whole file is too large.
	ErrLimit = errors.New("over the limit")
	// ErrTruncated means that the file ends before its footer.
	ErrTruncated = errors.New("the file is cut short")
	// ErrBlob means that a blob does not match its digest, or is missing.
	ErrBlob = errors.New("a blob is damaged or missing")
)

// FileError says which line of a file is wrong and why.
type FileError struct {
	Line int // 1-based
	Err  error
}

// Error returns the line number and the error.
func (e *FileError) Error() string { return fmt.Sprintf("line %d: %v", e.Line, e.Err) }

// Unwrap returns the error without its line.
func (e *FileError) Unwrap() error { return e.Err }

// Header is the first line of an exported file.
type Header struct {
	Version int    `json:"slop_export"`
	Project string `json:"project"`
	Session string `json:"session"`
}

// Summary counts the contents of a file. Chain is empty for plain JSON lines.
type Summary struct {
	Events  int    `json:"events"`
	Blobs   int    `json:"blobs"`
	Missing int    `json:"missing,omitempty"` // blobs that events name but the store did not have
	Chain   string `json:"chain"`
}

// stored is an event whose stored body was not an envelope, as it was received.
type stored struct {
	MsgID string    `json:"msg_id"`
	Time  time.Time `json:"time"`
	Body  []byte    `json:"body"`
}

// line is any line of a file after its header. Exactly one of event, stored, blob and end is set.
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
