package site

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
)

// EngineInfo says where the engine of a data folder can be reached. It is
// written as run.json, 0600, while the engine runs.
type EngineInfo struct {
	PID     int    `json:"pid"`
	Hooks   string `json:"hooks"`          // URL of the gateway
	NATS    string `json:"nats,omitempty"` // URL of the bus's listener, if it has one
	Session string `json:"session"`        // the session that was opened at the start
	Tokens  string `json:"tokens"`         // folder of human.token, ask.token, read.token
	Keys    string `json:"keys,omitempty"` // folder of credentials for the bus's listener
	Project string `json:"project"`
}

// ErrNoEngine says that no engine runs on a data folder.
var ErrNoEngine = errors.New("no engine runs here; start one with `slop serve`, or name a bus with --nats")

func runFile(data string) string { return filepath.Join(data, "run.json") }

// WriteRunFile tells client commands where the engine is, until remove is called.
func WriteRunFile(data string, info EngineInfo) (remove func(), err error) {
	b, err := json.MarshalIndent(info, "", "  ")
	if err != nil {
		return nil, err
	}
	path := runFile(data)
	if err := os.WriteFile(path+".new", append(b, '\n'), 0o600); err != nil {
		return nil, fmt.Errorf("write %s: %w", path, err)
	}
	if err := os.Rename(path+".new", path); err != nil {
		return nil, fmt.Errorf("write %s: %w", path, err)
	}
	return func() { _ = os.Remove(path) }, nil
}

// DamagedRunFile says that run.json cannot be read and no engine runs. It
// counts as ErrNoEngine.
type DamagedRunFile struct{ Err error }

// Error is what ErrNoEngine says.
func (*DamagedRunFile) Error() string { return ErrNoEngine.Error() }

// Is makes the error match ErrNoEngine.
func (*DamagedRunFile) Is(target error) bool { return target == ErrNoEngine }

// damagedRun is the error for a run.json that cannot be read: what it means
// depends on whether an engine has the folder.
func damagedRun(data string, why error) error {
	why = fmt.Errorf("%s is damaged: %w", runFile(data), why)
	release, err := HoldFolder(data)
	if err != nil {
		return errors.Join(why, err)
	}
	release()
	return &DamagedRunFile{why}
}

// FindEngine reads where the engine is; ErrNoEngine if none runs.
func FindEngine(data string) (EngineInfo, error) {
	b, err := os.ReadFile(runFile(data))
	if errors.Is(err, fs.ErrNotExist) {
		return EngineInfo{}, ErrNoEngine
	}
	if err != nil {
		return EngineInfo{}, err
	}
	var info EngineInfo
	err = json.Unmarshal(b, &info)
	if err == nil && info.PID <= 0 {
		err = errors.New("it names no process")
	}
	if err != nil {
		return EngineInfo{}, damagedRun(data, err)
	}
	if !alive(info.PID) {
		return EngineInfo{}, ErrNoEngine
	}
	return info, nil
}

// alive tells whether a process of that number runs.
func alive(pid int) bool {
	p, err := os.FindProcess(pid)
	return err == nil && p.Signal(syscall.Signal(0)) == nil
}
