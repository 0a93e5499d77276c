package bus

import (
	"encoding/json"
	"errors"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"manualslop/bus/durable"
)

// outside remembers on disk which kinds of role were connected from another
// process. Such a process may outlive the server with work under way; every
// other holder of work ends with the server.
type outside struct {
	path string
	log  *slog.Logger

	mu      sync.Mutex
	kinds   []Kind // of this life of the server and of earlier ones
	now     []Kind // of this life
	unsaved bool
	said    bool // the log says that it is not stored
	closed  bool
}

// openOutside reads what earlier lives of the server left in dir. What cannot be
// read counts as every kind.
func openOutside(dir string, log *slog.Logger) *outside {
	o := &outside{path: filepath.Join(dir, "bus-outside.json"), log: log}
	body, err := os.ReadFile(o.path)
	if errors.Is(err, fs.ErrNotExist) {
		return o
	}
	if err == nil {
		err = json.Unmarshal(body, &o.kinds)
	}
	if err != nil {
		o.kinds = []Kind{Worker, Models}
	}
	return o
}

// has tells whether a role of a kind may be at work outside.
func (o *outside) has(kind Kind) bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	return slices.Contains(o.kinds, kind)
}

// add remembers a kind, durably where the disk has room. Without room no call can
// be claimed, and it is written as soon as there is some.
func (o *outside) add(kind Kind) {
	if kind != Worker && kind != Models {
		return
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	if !slices.Contains(o.now, kind) {
		o.now = append(o.now, kind)
	}
	if slices.Contains(o.kinds, kind) {
		return
	}
	o.kinds, o.unsaved = append(o.kinds, kind), true
	o.write()
}

// write stores what is not stored, now or later.
func (o *outside) write() {
	if !o.unsaved || o.closed {
		return
	}
	body, err := json.Marshal(o.kinds)
	if err == nil {
		err = durable.WriteFile(o.path, append(body, '\n'))
	}
	if o.unsaved = err != nil; !o.unsaved {
		return
	}
	if !o.said {
		o.said = true
		o.log.Warn("a process outside is not on record; a crash now could hand its work out beside it", "error", err)
	}
	time.AfterFunc(guardEvery, func() {
		o.mu.Lock()
		defer o.mu.Unlock()
		o.write()
	})
}

// close ends the attempts to write.
func (o *outside) close() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.closed = true
}

// forget is for a start that finds no work under way: only what connected since
// the start began is remembered, because it may have taken some meanwhile.
func (o *outside) forget() error {
	o.mu.Lock()
	defer o.mu.Unlock()
	if len(o.kinds) == len(o.now) {
		return nil
	}
	o.kinds, o.unsaved = slices.Clone(o.now), len(o.now) > 0
	if o.unsaved {
		o.write()
		return nil
	}
	if err := os.Remove(o.path); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}
