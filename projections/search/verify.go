package search

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"os"
	"path/filepath"
)

// verify checks each segment of a stored index against the checksum at its end, because the
// library maps segments into memory and trusts them.
func verify(path string) error {
	segments, err := filepath.Glob(filepath.Join(path, "store", "*.zap"))
	if err != nil {
		return fmt.Errorf("%w: %w", ErrDamaged, err)
	}
	for _, name := range segments {
		if err := verifySegment(name); err != nil {
			return fmt.Errorf("%w: %s: %w", ErrDamaged, filepath.Base(name), err)
		}
	}
	return nil
}

var errChecksum = errors.New("its checksum does not match")

// verifySegment checks one file, whose last four bytes are the CRC-32 of the rest.
func verifySegment(name string) error {
	f, err := os.Open(name)
	if err != nil {
		return err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return err
	}
	if info.Size() < crc32.Size {
		return errChecksum
	}
	sum, r := crc32.NewIEEE(), bufio.NewReaderSize(f, 1<<20)
	if _, err := io.CopyN(sum, r, info.Size()-crc32.Size); err != nil {
		return err
	}
	var want [crc32.Size]byte
	if _, err := io.ReadFull(r, want[:]); err != nil {
		return err
	}
	if binary.BigEndian.Uint32(want[:]) != sum.Sum32() {
		return errChecksum
	}
	return nil
}
