package sandbox

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io/fs"
	"os"
	"path"
	"path/filepath"
)

// The temporary file of a target is named after it, so that the next write of the same file removes what a crash
// left behind. The name is protected, so no tool shows or opens it.
const (
	tempPrefix = ".slop-"
	tempSuffix = ".tmp"
)

func tempName(target string) string {
	sum := sha256.Sum256([]byte(target))
	return tempPrefix + hex.EncodeToString(sum[:8]) + tempSuffix
}

// staged is one file of a transaction that was checked and whose new content is in a temporary file, not yet renamed.
type staged struct {
	w      *Workspace
	p      place
	write  Write
	root   *os.Root // the parent directory, which can no longer be swapped
	dir    *os.File // the same, for fsync
	target string   // name inside root
	temp   string
	old    File        // as found; zero if absent
	info   fs.FileInfo // of the old file
	done   bool        // the change is in place
}

// stage opens the parent directory of p and checks that the file is as expected.
func (w *Workspace) stage(ctx context.Context, p place, write Write) (*staged, error) {
	s := &staged{w: w, p: p, write: write, target: path.Base(p.rel), temp: tempName(path.Base(p.rel))}
	up := w.parent(p)
	dir, dirInfo, err := w.open(up, wantDirectory)
	if err != nil {
		return nil, err
	}
	s.dir = dir
	s.root, err = up.base.root.OpenRoot(filepath.FromSlash(up.rel))
	if err != nil {
		return nil, errors.Join(fileError(p.show, err), dir.Close())
	}
	if info, err := s.root.Stat("."); err != nil || !os.SameFile(info, dirInfo) {
		s.close()
		return nil, w.deny(p.show, "the folder was replaced while it was being opened; try again")
	}
	if err := s.check(ctx); err != nil {
		s.close()
		return nil, err
	}
	return s, nil
}

// check compares the file on disk with what the write expects.
func (s *staged) check(ctx context.Context) error {
	info, err := s.root.Lstat(s.target)
	if errors.Is(err, fs.ErrNotExist) {
		if s.write.Before != "" {
			return s.conflict("is gone")
		}
		return nil
	}
	if err != nil {
		return fileError(s.p.show, err)
	}
	if err := s.w.checkKind(s.p, info, wantFile); err != nil {
		return err
	}
	if s.write.Before == "" {
		return s.conflict("exists already")
	}
	if links := identityOf(info).links; links > 1 {
		return s.w.deny(s.p.show, "this file has several hard links and will not be written")
	}
	if info.Mode().Perm()&0o222 == 0 {
		return &FileError{Path: s.p.show, Problem: "is read-only", Err: fs.ErrPermission}
	}
	if s.old, err = s.w.read(ctx, s.p); err != nil {
		return err
	}
	if s.old.SHA256 != s.write.Before {
		return s.conflict("has changed")
	}
	s.info = info
	return nil
}

func (s *staged) conflict(what string) error {
	return &FileError{
		Path: s.p.show, Err: ErrConflict,
		Problem: what + " since it was read; nothing was written; read it again",
	}
}

// writeTemp writes the new content durably to a temporary file next to the target.
func (s *staged) writeTemp(write Write) error {
	if err := s.root.Remove(s.temp); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fileError(s.p.show, err)
	}
	mode := write.Mode.Perm()
	if mode == 0 {
		mode = DefaultMode
	}
	f, err := s.root.OpenFile(s.temp, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	if err != nil {
		return fileError(s.p.show, err)
	}
	err = s.fill(f, write)
	return fileError(s.p.show, errors.Join(err, f.Close()))
}

func (s *staged) fill(f *os.File, write Write) error {
	if s.info != nil {
		keepOwner(f, s.info)
	}
	var err error
	switch {
	case write.SetMode:
		err = f.Chmod(write.Mode.Perm())
	case s.info != nil:
		err = f.Chmod(s.info.Mode().Perm())
	}
	if err != nil {
		return err
	}
	if _, err := f.Write(write.After); err != nil {
		return err
	}
	return f.Sync()
}

// commit puts the change in place after a last check of the file.
func (s *staged) commit(ctx context.Context) error {
	if err := s.check(ctx); err != nil {
		return err
	}
	var err error
	switch {
	case s.write.After == nil && s.write.Before != "":
		err = s.root.Remove(s.target)
	case s.write.After == nil:
	case s.write.Before == "":
		err = s.create()
	default:
		err = s.root.Rename(s.temp, s.target)
	}
	if err == nil {
		s.done = true
	}
	return fileError(s.p.show, err)
}

// create gives the new file its name without replacing one that was created in the meantime. If the system cannot
// do that atomically, it checks once more and renames.
func (s *staged) create() error {
	err := renameNew(s.dir, s.temp, s.target)
	switch {
	case errors.Is(err, fs.ErrExist):
		return s.conflict("exists already")
	case !errors.Is(err, errors.ErrUnsupported):
		return err
	}
	if _, err := s.root.Lstat(s.target); err == nil {
		return s.conflict("exists already")
	}
	return s.root.Rename(s.temp, s.target)
}

// undo removes the temporary file and, if the change is in place, restores the old content.
func (s *staged) undo() error {
	err := s.restore()
	if gone := s.root.Remove(s.temp); gone != nil && !errors.Is(gone, fs.ErrNotExist) {
		err = errors.Join(err, gone)
	}
	return fileError(s.p.show, err)
}

func (s *staged) restore() error {
	switch {
	case !s.done || s.write.After == nil && s.write.Before == "":
		return nil
	case s.write.Before == "":
		return s.root.Remove(s.target)
	}
	if err := s.writeTemp(Write{After: s.old.Data, Mode: s.old.Mode}); err != nil {
		return err
	}
	return s.root.Rename(s.temp, s.target)
}

func (s *staged) close() {
	_ = s.dir.Close()
	_ = s.root.Close()
}
