package search

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"os"
	"path/filepath"
	"strconv"
)

// rootFile returns the path of the file that lists the segments. The library maps it into memory
// and trusts it without a checksum.
func rootFile(path string) string { return filepath.Join(path, "store", "root.bolt") }

// sealFile returns the path of the file with the CRC-32 of a closed index's root file. It does not
// exist while the index is open, or after a kill.
func sealFile(path string) string { return filepath.Join(path, "slop.crc") }

// positionFile returns the path of the file with the sequence up to which a closed index is
// complete, so that a start can tell how much is missing without opening the index. It is used for
// nothing else.
func positionFile(path string) string { return filepath.Join(path, "slop.seq") }

// sealedAt returns the sequence in positionFile; 0 if unknown.
func (x *Index) sealedAt() uint64 {
	if x.opts.Dir == "" {
		return 0
	}
	raw, _ := os.ReadFile(positionFile(x.path()))
	seq, _ := strconv.ParseUint(string(raw), 10, 64)
	return seq
}

// seal stores the checksum of a closed index's root file and the position of the index.
func seal(path string, at uint64) error {
	root, err := os.ReadFile(rootFile(path))
	if errors.Is(err, os.ErrNotExist) {
		return nil // the index was removed
	}
	if err == nil {
		err = os.WriteFile(sealFile(path), binary.BigEndian.AppendUint32(nil, crc32.ChecksumIEEE(root)), 0o600)
	}
	if err == nil {
		err = os.WriteFile(positionFile(path), strconv.AppendUint(nil, at, 10), 0o600)
	}
	if err != nil {
		return fmt.Errorf("search index: %w", err)
	}
	return nil
}

// unseal checks the root file against its seal, if there is one, and removes the seal.
func unseal(path string) error {
	want, err := os.ReadFile(sealFile(path))
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err == nil {
		err = os.Remove(sealFile(path))
	}
	if err != nil {
		return fmt.Errorf("%w: %w", ErrDamaged, err)
	}
	root, err := os.ReadFile(rootFile(path))
	switch {
	case err != nil:
		return fmt.Errorf("%w: %w", ErrDamaged, err)
	case len(want) != crc32.Size || binary.BigEndian.Uint32(want) != crc32.ChecksumIEEE(root):
		return fmt.Errorf("%w: %s: %w", ErrDamaged, filepath.Base(rootFile(path)), errChecksum)
	}
	return nil
}
