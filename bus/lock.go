package bus

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/gofrs/flock"
)

// LockedError says which process serves a data folder.
type LockedError struct {
	Dir    string
	PID    int
	Serves string
	Since  time.Time
}

// Error names the process.
func (e *LockedError) Error() string {
	who := "another process"
	if e.PID != 0 {
		who = fmt.Sprintf("process %d", e.PID)
	}
	if e.Serves != "" {
		who += " (" + e.Serves + ")"
	}
	return fmt.Sprintf("%v: %s is served by %s", ErrLocked, e.Dir, who)
}

// Is makes the error match ErrLocked.
func (e *LockedError) Is(target error) bool { return target == ErrLocked }

// holder is what the lock file says about the process that holds it.
type holder struct {
	PID    int       `json:"pid"`
	Serves string    `json:"serves,omitempty"`
	Since  time.Time `json:"since"`
}

// lockFolder takes the data folder for this process. The operating system
// frees it when the process dies; the file stays and says who was last.
func lockFolder(dir, serves string) (*flock.Flock, error) {
	path := filepath.Join(dir, "bus.lock")
	lock := flock.New(path, flock.SetPermissions(0o600))
	ok, err := lock.TryLock()
	if err != nil {
		return nil, fmt.Errorf("lock %s: %w", dir, err)
	}
	if !ok {
		return nil, lockedBy(dir, path)
	}
	body, err := json.Marshal(holder{PID: os.Getpid(), Serves: serves, Since: time.Now().UTC()})
	if err == nil {
		err = os.WriteFile(path, body, 0o600)
	}
	if err != nil {
		return nil, fmt.Errorf("lock %s: %w", dir, joinUnlock(err, lock))
	}
	return lock, nil
}

func lockedBy(dir, path string) error {
	e := &LockedError{Dir: dir}
	var h holder
	// A holder that has not written its name yet stays unnamed.
	if body, err := os.ReadFile(path); err == nil && json.Unmarshal(body, &h) == nil {
		e.PID, e.Serves, e.Since = h.PID, h.Serves, h.Since
	}
	return e
}
