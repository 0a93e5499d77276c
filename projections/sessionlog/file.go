package sessionlog

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
)

const (
	filePerm   = 0o600
	folderPerm = 0o700
	bufferSize = 64 << 10
)

// errChanged means that another program has changed a file.
var errChanged = errors.New("changed by another program")

// repair makes a log file equal to the rendered content. While the file matches, it is only read.
// If it is too short, the rest is appended; if it differs, it is replaced by a new file.
type repair struct {
	root  *disk
	name  string
	f     *os.File
	right int64         // number of correct bytes
	old   *bufio.Reader // the unread rest of the file; nil once all of it is correct
	fresh *os.File      // the replacement of f; nil while f is correct
	w     *bufio.Writer // writes to the end of fresh or f; nil while comparing
}

// beginRepair opens or creates a log file.
func beginRepair(root *disk, name string) (*repair, error) {
	if err := root.Remove(scratch(name)); err != nil && !errors.Is(err, os.ErrNotExist) {
		return nil, fmt.Errorf("clean up after a crash: %w", err)
	}
	if err := dropLink(root, name); err != nil {
		return nil, err
	}
	f, err := root.OpenFile(name, os.O_RDWR|os.O_CREATE, filePerm)
	if err != nil {
		return nil, err
	}
	return &repair{root: root, name: name, f: f, old: bufio.NewReaderSize(f, bufferSize)}, nil
}

// dropLink removes a link that is in the place of a file; the link's target does not change.
func dropLink(root *disk, name string) error {
	info, err := root.Lstat(name)
	if err != nil || info.Mode()&os.ModeSymlink == 0 {
		return nil
	}
	if err := root.Remove(name); err != nil {
		return fmt.Errorf("remove a link: %w", err)
	}
	return nil
}

// scratch returns the path at which the replacement of a file is built.
func scratch(name string) string { return name + ".rebuild" }

// write compares or writes the next expected bytes.
func (r *repair) write(b []byte) error {
	if r.old == nil {
		_, err := r.w.Write(b)
		r.right += int64(len(b))
		return err
	}
	have := make([]byte, len(b))
	n, err := io.ReadFull(r.old, have)
	if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
		return err
	}
	switch {
	case !bytes.Equal(have[:n], b[:n]):
		err = r.replace()
	case n == len(b):
		r.right += int64(n)
		return nil
	default:
		r.right += int64(n)
		b = b[n:]
		err = r.continueFile()
	}
	if err != nil {
		return err
	}
	return r.write(b)
}

// continueFile switches from comparing to writing after the correct bytes.
func (r *repair) continueFile() error {
	if _, err := r.f.Seek(r.right, io.SeekStart); err != nil {
		return err
	}
	r.old, r.w = nil, bufio.NewWriterSize(r.f, bufferSize)
	return nil
}

// replace starts a new file with a copy of the correct bytes.
func (r *repair) replace() error {
	fresh, err := r.root.OpenFile(scratch(r.name), os.O_RDWR|os.O_CREATE|os.O_TRUNC, filePerm)
	if err != nil {
		return err
	}
	r.fresh, r.old, r.w = fresh, nil, bufio.NewWriterSize(fresh, bufferSize)
	_, err = io.Copy(r.w, io.NewSectionReader(r.f, 0, r.right))
	return err
}

// finish makes the file equal to what was written.
func (r *repair) finish() error {
	if r.old != nil {
		return r.cut()
	}
	if err := r.w.Flush(); err != nil || r.fresh == nil {
		return err
	}
	if err := r.fresh.Sync(); err != nil {
		return err
	}
	return r.root.Rename(scratch(r.name), r.name)
}

// cut truncates the file after the correct bytes.
func (r *repair) cut() error {
	info, err := r.f.Stat()
	if err != nil || info.Size() == r.right {
		return err
	}
	return r.f.Truncate(r.right)
}

func (r *repair) close() error {
	err := r.f.Close()
	if r.fresh != nil {
		err = errors.Join(err, r.fresh.Close())
	}
	return err
}

// syncFile makes a file durable.
func syncFile(root *disk, name string) error {
	f, err := root.OpenFile(name, os.O_WRONLY, filePerm)
	if err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Close())
}

// writeWhole atomically writes b as a file. It returns errChanged if the file's folder is gone.
func writeWhole(root *disk, name string, b []byte) error {
	if info, err := root.Lstat(name); err == nil && info.Mode().IsRegular() && info.Size() == int64(len(b)) {
		if have, err := root.ReadFile(name); err == nil && bytes.Equal(have, b) {
			return nil
		}
	}
	if err := root.Remove(scratch(name)); err != nil && !errors.Is(err, os.ErrNotExist) {
		return fmt.Errorf("clean up after a crash: %w", err)
	}
	err := root.WriteFile(scratch(name), b, filePerm)
	if errors.Is(err, os.ErrNotExist) {
		return errChanged
	}
	if err != nil {
		return err
	}
	return root.Rename(scratch(name), name)
}
