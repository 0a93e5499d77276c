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

// errChanged says that a file is not what this process left.
var errChanged = errors.New("changed by somebody else")

// repair makes a log file be what is rendered. While the file agrees it is only
// read. Where it ends early, the rest is appended; where it differs, a new file
// takes its place.
type repair struct {
	root  *disk
	name  string
	f     *os.File
	right int64         // bytes that are as they should be
	old   *bufio.Reader // the rest of what is there; nil: all of it is right
	fresh *os.File      // what takes the place of f; nil: f is good so far
	w     *bufio.Writer // to the end of fresh or f; nil while only comparing
}

// beginRepair opens or makes a log file.
func beginRepair(root *disk, name string) (*repair, error) {
	if err := root.Remove(scratch(name)); err != nil && !errors.Is(err, os.ErrNotExist) {
		return nil, fmt.Errorf("remove what a crash left: %w", err)
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

// dropLink removes a link that stands where a file should be; what it leads to
// stays as it is.
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

// scratch is where a file is built that takes another's place.
func scratch(name string) string { return name + ".rebuild" }

// write takes the next bytes that should be there.
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

// continueFile goes on writing behind the bytes that are right.
func (r *repair) continueFile() error {
	if _, err := r.f.Seek(r.right, io.SeekStart); err != nil {
		return err
	}
	r.old, r.w = nil, bufio.NewWriterSize(r.f, bufferSize)
	return nil
}

// replace begins a new file with the bytes that are right.
func (r *repair) replace() error {
	fresh, err := r.root.OpenFile(scratch(r.name), os.O_RDWR|os.O_CREATE|os.O_TRUNC, filePerm)
	if err != nil {
		return err
	}
	r.fresh, r.old, r.w = fresh, nil, bufio.NewWriterSize(fresh, bufferSize)
	_, err = io.Copy(r.w, io.NewSectionReader(r.f, 0, r.right))
	return err
}

// finish makes the file be what was written and nothing more.
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

// cut takes off what stands behind the bytes that are right.
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

// syncFile makes a file survive a loss of power.
func syncFile(root *disk, name string) error {
	f, err := root.OpenFile(name, os.O_WRONLY, filePerm)
	if err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Close())
}

// writeWhole makes a file of one piece be b, in one step; errChanged if its
// folder is gone.
func writeWhole(root *disk, name string, b []byte) error {
	if info, err := root.Lstat(name); err == nil && info.Mode().IsRegular() && info.Size() == int64(len(b)) {
		if have, err := root.ReadFile(name); err == nil && bytes.Equal(have, b) {
			return nil
		}
	}
	if err := root.Remove(scratch(name)); err != nil && !errors.Is(err, os.ErrNotExist) {
		return fmt.Errorf("remove what a crash left: %w", err)
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
