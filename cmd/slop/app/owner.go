package app

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
	"manualslop/events"
)

// A data folder can come with somebody else's project, and what is in it can
// hold approved calls and tokens. It is used only where two files agree: one in
// the folder, and one of this user's own that no project can bring.

// ownerFile is the name of the file in a data folder that says whose it is.
const ownerFile = "owner.json"

// ignoreFile keeps a data folder out of commits.
const (
	ignoreFile = ".gitignore"
	ignoreAll  = "*\n"
)

// maxOwnerFile bounds what is read of either file, in bytes.
const maxOwnerFile = 16 << 10

// owner is what stands in owner.json.
type owner struct {
	ID      string `json:"id"`      // of the folder, as in the binding
	Project string `json:"project"` // subject token under which its sessions are
}

// binding is what this user's state folder knows of a data folder.
type binding struct {
	ID     string `json:"id"`
	Path   string `json:"path"`   // the data folder
	Folder string `json:"folder"` // the project that it was made or adopted for
}

var (
	// errForeign says that a data folder is not bound to this user and place.
	errForeign = errors.New("this data folder is not one that slop made for you here")
	// errNoState says that there is nowhere to note whose a data folder is.
	errNoState = errors.New("slop keeps in your state folder which data folders are yours, and it cannot be used; set XDG_STATE_HOME to a folder of yours, as an absolute path")
)

// userStateDir is the folder of what slop remembers for this user: slop below
// $XDG_STATE_HOME, or below ~/.local/state. It is empty where neither is set.
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

// claim makes sure that the data folder may be written: it is this user's, or
// it is not there or empty and becomes this user's now. Errors: errForeign, errNoState.
func (p place) claim() error {
	unlock, err := p.lockBindings()
	if err != nil {
		return err
	}
	defer unlock()
	free, err := unused(p.data)
	if err != nil {
		return failed(exitFailed, "%w", err)
	}
	if !free {
		_, _, err := p.ownership()
		return err
	}
	return p.bind(p.name)
}

// checkOwner makes sure that what is in the data folder may be used. A folder
// that is not there or empty holds nothing. Errors: errForeign, errNoState.
func (p place) checkOwner() error {
	if free, err := unused(p.data); err != nil || free {
		return err
	}
	unlock, err := p.lockBindings()
	if err != nil {
		return err
	}
	defer unlock()
	_, _, err = p.ownership()
	return err
}

// ownership reads whose the data folder is; errForeign unless both sides agree.
func (p place) ownership() (owner, binding, error) {
	var own owner
	var bound binding
	if p.state == "" {
		return own, bound, &exitError{code: exitFailed, err: errNoState}
	}
	if info, err := os.Lstat(p.data); err == nil && !info.IsDir() {
		return own, bound, p.foreign("it is a link")
	}
	if err := readSmall(p.bindingFile(), &bound); err != nil {
		return own, bound, p.foreign("nothing of yours says that you made it")
	}
	if err := readSmall(filepath.Join(p.data, ownerFile), &own); err != nil {
		return own, bound, p.foreign("its " + ownerFile + " cannot be read")
	}
	if own.ID == "" || own.ID != bound.ID || bound.Path != p.data || events.Token(own.Project) != own.Project {
		return own, bound, p.foreign("its " + ownerFile + " is of another folder")
	}
	return own, bound, nil
}

// foreign refuses the data folder and says what to do.
func (p place) foreign(why string) error {
	return failed(exitFailed, `%w: %s
%s. It came with the project, was copied or moved, or is of an older slop. Nothing in it was used: its record can hold calls that somebody else approved.
If you know where it is from, look at it and take it over with `+"`slop adopt`"+`; otherwise move it away, and slop makes a new one`, errForeign, p.data, why)
}

// bind makes the data folder this user's, for the project at this place. Each
// step is durable before the next one, and owner.json comes last: a folder
// without it was not finished, and nothing else is in it.
func (p place) bind(project string) error {
	id := rand.Text()
	err := writeJSON(p.bindingFile(), binding{ID: id, Path: p.data, Folder: p.project})
	if err == nil {
		err = durable.MakeFolder(p.data)
	}
	if err == nil { // a log is nothing to commit: it holds what models read and said
		err = durable.WriteFile(filepath.Join(p.data, ignoreFile), []byte(ignoreAll))
	}
	if err == nil {
		err = writeJSON(filepath.Join(p.data, ownerFile), owner{ID: id, Project: project})
	}
	if err != nil {
		return failed(exitFailed, "bind %s to you: %w", p.data, err)
	}
	return nil
}

// bindingFile is where this user's side of the data folder is.
func (p place) bindingFile() string {
	sum := sha256.Sum256([]byte(p.data))
	return filepath.Join(p.state, "folders", hex.EncodeToString(sum[:])+".json")
}

// lockBindings keeps other processes of this user from binding folders.
func (p place) lockBindings() (unlock func(), err error) {
	if p.state == "" {
		return nil, &exitError{code: exitFailed, err: errNoState}
	}
	folders := filepath.Join(p.state, "folders")
	if err := durable.MakeFolder(folders); err != nil {
		return nil, failed(exitFailed, "%w: %w", errNoState, err)
	}
	lock := flock.New(filepath.Join(folders, "lock"), flock.SetPermissions(0o600))
	if err := lock.Lock(); err != nil {
		return nil, failed(exitFailed, "%w: %w", errNoState, err)
	}
	return func() { _ = lock.Unlock() }, nil
}

// unused tells whether a folder is not there, or holds nothing but what making
// it leaves when it is cut off: the files that come before owner.json.
func unused(folder string) (bool, error) {
	info, err := os.Lstat(folder)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return true, nil
	case err != nil:
		return false, err
	case !info.IsDir():
		return false, nil // ownership says what it is
	}
	entries, err := os.ReadDir(folder)
	if err != nil {
		return false, err
	}
	for _, e := range entries {
		name := e.Name()
		begun := name == ignoreFile || strings.HasPrefix(name, "."+ownerFile+"-") || strings.HasPrefix(name, "."+ignoreFile+"-")
		if !begun || !e.Type().IsRegular() {
			return false, nil
		}
	}
	return true, nil
}

// readSmall reads a regular file of JSON that slop wrote.
func readSmall(path string, into any) error {
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
