package site

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/gofrs/flock"

	"manualslop/bus/durable"
	"manualslop/cmd/slop/exit"
	"manualslop/events"
)

// A data folder can come with somebody else's project, and what is in it can hold approved calls and tokens. It is
// used only if two files agree: one in the folder, and one in this user's state folder, which no project can bring.

// OwnerFile is the name of the file in a data folder that names its owner.
const OwnerFile = "owner.json"

// ignoreFile keeps a data folder out of commits.
const (
	ignoreFile = ".gitignore"
	ignoreAll  = "*\n"
)

// maxOwnerFile limits how much of either file is read, in bytes.
const maxOwnerFile = 16 << 10

// Owner is the content of owner.json.
type Owner struct {
	ID      string `json:"id"`      // of the folder, the same as in the binding
	Project string `json:"project"` // subject token of its sessions
}

// binding is the entry of this user's state folder for a data folder.
type binding struct {
	ID     string `json:"id"`
	Path   string `json:"path"`   // the data folder
	Folder string `json:"folder"` // the project that it was created or adopted for
}

var (
	// ErrForeign means that a data folder is not bound to this user and place.
	ErrForeign = errors.New("slop did not create this data folder here for you")
	// ErrNoState means that there is no state folder to record the owner of a data folder in.
	ErrNoState = errors.New("slop records your data folders in your state folder, which cannot be used; set " +
		"XDG_STATE_HOME to the absolute path of a folder that you own")
)

// userStateDir returns slop's state folder of this user: slop below $XDG_STATE_HOME, or below ~/.local/state. It is
// empty if neither variable is set.
func userStateDir(getenv func(string) string) string {
	if dir := getenv("XDG_STATE_HOME"); filepath.IsAbs(dir) {
		return filepath.Join(dir, "slop")
	}
	if home := getenv("HOME"); filepath.IsAbs(home) {
		return filepath.Join(home, ".local", "state", "slop")
	}
	if dir := getenv("LocalAppData"); filepath.IsAbs(dir) {
		return filepath.Join(dir, "slop", "state")
	}
	return ""
}

// Claim ensures that the data folder may be written: it belongs to this user, or it is missing or empty and is
// claimed now. It returns ErrForeign or ErrNoState.
func (p Place) Claim() error {
	unlock, err := p.LockBindings()
	if err != nil {
		return err
	}
	defer unlock()
	free, err := Unused(p.Data)
	if err != nil {
		return exit.Errorf(exit.Failed, "%w", err)
	}
	if !free {
		_, _, err := p.Ownership()
		return err
	}
	return p.Bind(p.Name)
}

// CheckOwner checks that the contents of the data folder may be used. A missing or empty folder is fine. Errors:
// ErrForeign, ErrNoState.
func (p Place) CheckOwner() error {
	if free, err := Unused(p.Data); err != nil || free {
		return err
	}
	unlock, err := p.LockBindings()
	if err != nil {
		return err
	}
	defer unlock()
	_, _, err = p.Ownership()
	return err
}

// Ownership returns the owner of the data folder; ErrForeign unless both files agree.
func (p Place) Ownership() (Owner, binding, error) {
	var own Owner
	var bound binding
	if p.State == "" {
		return own, bound, &exit.Error{Code: exit.Failed, Err: ErrNoState}
	}
	if info, err := os.Lstat(p.Data); err == nil && !info.IsDir() {
		return own, bound, p.foreign("it is a link")
	}
	if err := ReadSmall(p.bindingFile(), &bound); err != nil {
		return own, bound, p.foreign("your state folder has no entry for it")
	}
	if err := ReadSmall(filepath.Join(p.Data, OwnerFile), &own); err != nil {
		return own, bound, p.foreign("its " + OwnerFile + " cannot be read")
	}
	if own.ID == "" || own.ID != bound.ID || bound.Path != p.Data || events.Token(own.Project) != own.Project {
		return own, bound, p.foreign("its " + OwnerFile + " belongs to another folder")
	}
	return own, bound, nil
}

// foreign returns the error that rejects the data folder and says what to do.
func (p Place) foreign(why string) error {
	return exit.Errorf(exit.Failed, `%w: %s
%s. It came with the project, was copied or moved, or was created by an older slop. Nothing in it was used: its record can hold calls that somebody else approved.
If you know where it comes from, inspect it and take it over with `+"`slop adopt`"+`; otherwise move it away, and slop makes a new one`, ErrForeign, p.Data, why)
}

// Bind claims the data folder for this user and for the project at this place. Each step is durable before the next
// one, and owner.json is written last: a folder without it is unfinished and holds nothing else.
func (p Place) Bind(project string) error {
	id := rand.Text()
	err := writeJSON(p.bindingFile(), binding{ID: id, Path: p.Data, Folder: p.Project})
	if err == nil {
		err = durable.MakeFolder(p.Data)
	}
	if err == nil { // keeps the log out of commits: it holds what models read and said
		err = durable.WriteFile(filepath.Join(p.Data, ignoreFile), []byte(ignoreAll))
	}
	if err == nil {
		err = writeJSON(filepath.Join(p.Data, OwnerFile), Owner{ID: id, Project: project})
	}
	if err != nil {
		return exit.Errorf(exit.Failed, "bind %s to you: %w", p.Data, err)
	}
	return nil
}

// bindingFile returns the path of this user's entry for the data folder.
func (p Place) bindingFile() string {
	sum := sha256.Sum256([]byte(p.Data))
	return filepath.Join(p.State, "folders", hex.EncodeToString(sum[:])+".json")
}

// LockBindings keeps other processes of this user from binding folders.
func (p Place) LockBindings() (unlock func(), err error) {
	if p.State == "" {
		return nil, &exit.Error{Code: exit.Failed, Err: ErrNoState}
	}
	folders := filepath.Join(p.State, "folders")
	if err := durable.MakeFolder(folders); err != nil {
		return nil, exit.Errorf(exit.Failed, "%w: %w", ErrNoState, err)
	}
	lock := flock.New(filepath.Join(folders, "lock"), flock.SetPermissions(0o600))
	if err := lock.Lock(); err != nil {
		return nil, exit.Errorf(exit.Failed, "%w: %w", ErrNoState, err)
	}
	return func() { _ = lock.Unlock() }, nil
}

// Unused reports whether a folder is missing, or holds only what an interrupted Bind leaves behind: the files that
// are written before owner.json.
func Unused(folder string) (bool, error) {
	info, err := os.Lstat(folder)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return true, nil
	case err != nil:
		return false, err
	case !info.IsDir():
		return false, nil // Ownership reports what it is
	}
	entries, err := os.ReadDir(folder)
	if err != nil {
		return false, err
	}
	for _, e := range entries {
		name := e.Name()
		begun := name == ignoreFile || strings.HasPrefix(name, "."+OwnerFile+"-") || strings.HasPrefix(name, "."+ignoreFile+
			"-")
		if !begun || !e.Type().IsRegular() {
			return false, nil
		}
	}
	return true, nil
}

// ReadSmall reads a regular file of JSON that slop wrote.
func ReadSmall(path string, into any) error {
	info, err := os.Lstat(path)
	if err != nil {
		return err
	}
	if !info.Mode().IsRegular() || info.Size() > maxOwnerFile {
		return fmt.Errorf("%s: %w", path, fs.ErrInvalid)
	}
	b, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	return json.Unmarshal(b, into)
}

// writeJSON writes a small file for this user only, whole or not at all.
func writeJSON(path string, v any) error {
	b, err := json.Marshal(v)
	if err != nil {
		return err
	}
	return durable.WriteFile(path, append(b, '\n'))
}

// HoldFolder keeps engines from using a data folder until release is called. It creates no file.
func HoldFolder(data string) (release func(), err error) {
	path := filepath.Join(data, "bus.lock")
	if _, err := os.Lstat(path); errors.Is(err, fs.ErrNotExist) {
		return func() {}, nil
	}
	lock := flock.New(path, flock.SetPermissions(0o600))
	held, err := lock.TryLock()
	switch {
	case err != nil:
		return nil, exit.Errorf(exit.Failed, "lock %s: %w", data, err)
	case !held:
		return nil, exit.Errorf(exit.Failed, "%s: %w", data, errFolderInUse)
	}
	return func() { _ = lock.Unlock() }, nil
}

// errFolderInUse means that a process uses a data folder.
var errFolderInUse = errors.New("an engine is using it; stop the engine first")
