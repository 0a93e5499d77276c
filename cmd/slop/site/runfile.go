package site

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/gofrs/flock"
)

// EngineInfo says how to reach the engine of a data folder. It is written to run.json, mode 0600, while the engine
// runs.
type EngineInfo struct {
	PID     int    `json:"pid"`
	Hooks   string `json:"hooks"`            // URL of the gateway
	NATS    string `json:"nats,omitempty"`   // URL of the bus's listener, if it has one
	Socket  string `json:"socket,omitempty"` // of the bus, in the data folder; for slop mcp serve
	Session string `json:"session"`          // the session that was opened at the start
	Tokens  string `json:"tokens"`           // folder of human.token, ask.token, read.token
	Keys    string `json:"keys,omitempty"`   // folder of credentials for the bus's listener
	Project string `json:"project"`
}

// ErrNoEngine means that no engine is running on a data folder.
var ErrNoEngine = errors.New("no engine is running here; start one with `slop serve`, or name a bus with --nats")

func runFile(data string) string { return filepath.Join(data, "run.json") }

// lockWait is how long an engine waits for its lock: a client that checks holds it for a moment, an engine in another
// container as long as it runs.
const lockWait = time.Second

// WriteRunFile tells client commands where the engine is, until remove is called.
func WriteRunFile(data string, info EngineInfo) (remove func(), err error) {
	b, err := json.MarshalIndent(info, "", "  ")
	if err != nil {
		return nil, err
	}
	alive := lifeLock(data, info.PID)
	ctx, cancel := context.WithTimeout(context.Background(), lockWait)
	defer cancel()
	if _, err := alive.TryLockContext(ctx, lockWait/100); err != nil {
		return nil, fmt.Errorf("lock %s, which another engine with this process number may hold: %w", alive.Path(), err)
	}
	release := func() { _, _ = os.Remove(alive.Path()), alive.Unlock() }
	path := runFile(data)
	before, _ := readRunFile(data) // a damaged file names no process
	if err := os.WriteFile(path+".new", append(b, '\n'), 0o600); err != nil {
		release()
		return nil, fmt.Errorf("write %s: %w", path, err)
	}
	if err := os.Rename(path+".new", path); err != nil {
		release()
		return nil, fmt.Errorf("write %s: %w", path, err)
	}
	if before.PID > 0 && before.PID != info.PID {
		_ = os.Remove(lifeLock(data, before.PID).Path()) // its process has ended
	}
	return func() {
		if now, err := readRunFile(data); err != nil || now.PID == info.PID { // unless a gateway began meanwhile
			_ = os.Remove(path)
		}
		release()
	}, nil
}

// lifeLock returns the lock that the process with this number holds as long as it lives and its run.json is valid.
// The number alone may belong to another process by now. Only engines remove the file, because another process can
// take a lock that a client found free.
func lifeLock(data string, pid int, options ...flock.Option) *flock.Flock {
	options = append(options, flock.SetPermissions(0o600))
	return flock.New(filepath.Join(data, fmt.Sprintf("run-%d.lock", pid)), options...)
}

// DamagedRunFile means that run.json cannot be read and no engine is running. It counts as ErrNoEngine.
type DamagedRunFile struct{ Err error }

// Error returns the text of ErrNoEngine.
func (*DamagedRunFile) Error() string { return ErrNoEngine.Error() }

// Is makes the error match ErrNoEngine.
func (*DamagedRunFile) Is(target error) bool { return target == ErrNoEngine }

// damagedRun returns the error for a run.json that cannot be read: its meaning depends on whether an engine holds the
// folder.
func damagedRun(data string, why error) error {
	why = fmt.Errorf("%s is damaged: %w", runFile(data), why)
	release, err := HoldFolder(data)
	if err != nil {
		return errors.Join(why, err)
	}
	release()
	return &DamagedRunFile{why}
}

// FindEngine returns where the engine is, or ErrNoEngine if none is running.
func FindEngine(data string) (EngineInfo, error) {
	info, err := readRunFile(data)
	var path *fs.PathError
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return EngineInfo{}, ErrNoEngine
	case errors.As(err, &path):
		return EngineInfo{}, err
	case err != nil:
		return EngineInfo{}, damagedRun(data, err)
	}
	if running, err := alive(data, info.PID); err != nil {
		return EngineInfo{}, err
	} else if !running {
		return EngineInfo{}, ErrNoEngine
	}
	return info, nil
}

// readRunFile reads run.json. For a damaged file the error is not a file system error.
func readRunFile(data string) (EngineInfo, error) {
	b, err := os.ReadFile(runFile(data))
	if err != nil {
		return EngineInfo{}, err
	}
	var info EngineInfo
	if err := json.Unmarshal(b, &info); err != nil {
		return EngineInfo{}, err
	}
	if info.PID <= 0 {
		return EngineInfo{}, errors.New("it names no process")
	}
	return info, nil
}

// alive reports whether the process that wrote run.json still holds its lock.
func alive(data string, pid int) (bool, error) {
	lock := lifeLock(data, pid, flock.SetFlag(os.O_RDONLY))
	free, err := lock.TryRLock() // many clients may look at once
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("lock %s: %w", lock.Path(), err)
	}
	if free {
		_ = lock.Unlock()
	}
	return !free, nil
}
