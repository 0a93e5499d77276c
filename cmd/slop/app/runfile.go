package app

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
)

// engineInfo says where the engine of a data folder can be reached. It is
// written as run.json, 0600, while the engine runs.
type engineInfo struct {
	PID     int    `json:"pid"`
	Hooks   string `json:"hooks"`          // URL of the gateway
	NATS    string `json:"nats,omitempty"` // URL of the bus's listener, if it has one
	Session string `json:"session"`        // the session that was opened at the start
	Tokens  string `json:"tokens"`         // folder of human.token, ask.token, read.token
	Keys    string `json:"keys,omitempty"` // folder of credentials for the bus's listener
	Project string `json:"project"`
}

// errNoEngine says that no engine runs on a data folder.
var errNoEngine = errors.New("no engine runs here; start one with `slop serve`, or name a bus with --nats")

func runFile(data string) string { return filepath.Join(data, "run.json") }

// writeRunFile tells client commands where the engine is, until remove is called.
func writeRunFile(data string, info engineInfo) (remove func(), err error) {
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

// damagedRunFile says that run.json cannot be read and no engine runs. It
// counts as errNoEngine.
type damagedRunFile struct{ err error }

// Error is what errNoEngine says.
func (*damagedRunFile) Error() string { return errNoEngine.Error() }

// Is makes the error match errNoEngine.
func (*damagedRunFile) Is(target error) bool { return target == errNoEngine }

// damagedRun is the error for a run.json that cannot be read: what it means
// depends on whether an engine has the folder.
func damagedRun(data string, why error) error {
	why = fmt.Errorf("%s is damaged: %w", runFile(data), why)
	release, err := holdFolder(data)
	if err != nil {
		return errors.Join(why, err)
	}
	release()
	return &damagedRunFile{why}
}

// findEngine reads where the engine is; errNoEngine if none runs.
func findEngine(data string) (engineInfo, error) {
	b, err := os.ReadFile(runFile(data))
	if errors.Is(err, fs.ErrNotExist) {
		return engineInfo{}, errNoEngine
	}
	if err != nil {
		return engineInfo{}, err
	}
	var info engineInfo
	err = json.Unmarshal(b, &info)
	if err == nil && info.PID <= 0 {
		err = errors.New("it names no process")
	}
	if err != nil {
		return engineInfo{}, damagedRun(data, err)
	}
	if !alive(info.PID) {
		return engineInfo{}, errNoEngine
	}
	return info, nil
}

// alive tells whether a process of that number runs.
func alive(pid int) bool {
	p, err := os.FindProcess(pid)
	return err == nil && p.Signal(syscall.Signal(0)) == nil
}
