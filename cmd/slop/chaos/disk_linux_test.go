package chaos

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"syscall"
)

// diskSize is the room of the project's disk.
const diskSize = "256m"

// mountDisk gives a folder a small disk of its own.
func mountDisk(dir string) error {
	if os.Geteuid() != 0 {
		return errors.New("only root may mount a small disk")
	}
	if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, "size="+diskSize); err != nil {
		return fmt.Errorf("mount a small disk: %w", err)
	}
	return nil
}

func unmountDisk(dir string) error { return syscall.Unmount(dir, syscall.MNT_DETACH) }

// fillDisk takes all room of the disk until undo is called.
func fillDisk(dir string) (undo func(), err error) {
	path := filepath.Join(dir, "filling")
	f, err := os.Create(path)
	if err != nil {
		return nil, err
	}
	block := make([]byte, 1<<20)
	for err == nil {
		_, err = f.Write(block)
	}
	for err = nil; err == nil; {
		_, err = f.Write(block[:1])
	}
	_ = f.Close()
	return func() { _ = os.Remove(path) }, nil
}
