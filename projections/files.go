package projections

import (
	"time"

	"manualslop/events"
)

// FileRecord is the last recorded state of a file.
type FileRecord struct {
	SHA256   string     `json:"sha256"` // empty if the file does not exist
	Size     int64      `json:"size"`
	Seen     time.Time  `json:"seen"`
	SeenSeq  uint64     `json:"seen_seq"`
	Written  *time.Time `json:"written,omitempty"` // newest write by a tool
	WrittenN int        `json:"written_count,omitempty"`
	Call     string     `json:"call,omitempty"`   // the call that wrote it last
	Ticket   string     `json:"ticket,omitempty"` // ticket of that call
	Error    string     `json:"error,omitempty"`  // why it could not be read
}

type fileTable struct {
	Calls calls                  `json:"calls"`
	Files map[string]*FileRecord `json:"files"`
}

var files = Fold[*fileTable]{
	Name: "files", Version: 1,
	Takes: ofTheWork,
	New:   func() *fileTable { return &fileTable{Calls: calls{}, Files: map[string]*FileRecord{}} },
	Apply: (*fileTable).apply,
	View: func(t *fileTable) any {
		return struct {
			Files map[string]*FileRecord `json:"files"`
		}{t.Files}
	},
}

func (t *fileTable) apply(e *events.Event) *fileTable {
	switch p := e.Payload.(type) {
	case events.ContextBuilt:
		for _, v := range p.Views {
			if v.File != nil {
				t.see(e, v.File.Path, v.File.SHA256, v.File.Size)
			}
		}
	case events.FilesUpdated:
		for _, f := range p.Files {
			if r := t.see(e, f.Path, f.After, f.Size); f.Error != "" {
				r.Error = f.Error
			}
		}
	default:
		k, counts := t.Calls.take(e)
		if settled, ok := e.Payload.(events.ToolSettled); ok && counts {
			t.settled(e, k, &settled)
		}
	}
	return t
}

func (t *fileTable) see(e *events.Event, path, sha256 string, size int64) *FileRecord {
	r := t.Files[path]
	if r == nil {
		r = &FileRecord{}
		t.Files[path] = r
	}
	r.SHA256, r.Size, r.Seen, r.SeenSeq, r.Error = sha256, size, e.Time, e.Seq, ""
	return r
}

func (t *fileTable) settled(e *events.Event, k *call, p *events.ToolSettled) {
	for _, f := range p.Files {
		r := t.see(e, f.Path, f.SHA256, f.Size)
		if f.Written {
			at := e.Time
			r.Written, r.Call, r.Ticket = &at, p.Call, k.Ticket
			r.WrittenN++
		}
	}
}

// Files returns all recorded files by path. The result is shared and must not be modified.
func (s *Set) Files() map[string]*FileRecord { return stateOf(s, files).Files }
