package retrieval

import (
	"bufio"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"math"
	"os"
	"path/filepath"
	"time"

	"github.com/gofrs/flock"
)

// store keeps the vectors of one model in one file: a header, and then records of a key, the vector and
// a checksum. Records are only appended. A record that is incomplete after a kill or is damaged is cut off with
// everything after it, and those passages are embedded again.
type store struct {
	file       *os.File
	lock       *flock.Flock
	dimensions int // 0: the file is empty
	records    int
	known      map[[sha256.Size]byte]bool
}

const (
	storeMagic = "slop vectors 1\n"
	headerSize = len(storeMagic) + 4
	// maxDimensions limits what a header can make the program read at once.
	maxDimensions = 4_096
	// lockPause is how long a process waits before it looks again whether another one has released the
	// store.
	lockPause = 50 * time.Millisecond
)

func recordSize(dimensions int) int { return sha256.Size + 4*dimensions + 4 }

// openStore opens the store of a model, or creates it, once no other process uses it.
func openStore(ctx context.Context, folder, model string) (*store, error) {
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return nil, fmt.Errorf("vectors: %w", err)
	}
	sum := sha256.Sum256([]byte(model))
	name := filepath.Join(folder, hex.EncodeToString(sum[:8])+".vectors")
	lock := flock.New(name + ".lock")
	if _, err := lock.TryLockContext(ctx, lockPause); err != nil {
		return nil, fmt.Errorf("vectors: wait for another process: %w", err)
	}
	file, err := os.OpenFile(name, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("vectors: %w", err), lock.Unlock())
	}
	s := &store{file: file, lock: lock}
	if err := s.load(); err != nil {
		return nil, errors.Join(fmt.Errorf("vectors: %w", err), s.close())
	}
	return s, nil
}

// close releases the store.
func (s *store) close() error { return errors.Join(s.file.Close(), s.lock.Unlock()) }

// load reads which keys the file has, and cuts off what is damaged.
func (s *store) load() error {
	s.known = map[[sha256.Size]byte]bool{}
	if !s.readHeader() {
		s.dimensions = 0
		return s.file.Truncate(0)
	}
	err := s.each(func(k [sha256.Size]byte, _ []byte) { s.known[k] = true; s.records++ })
	if err != nil {
		return err
	}
	return s.file.Truncate(int64(headerSize + s.records*recordSize(s.dimensions)))
}

func (s *store) readHeader() bool {
	head := make([]byte, headerSize)
	if _, err := s.file.ReadAt(head, 0); err != nil || string(head[:len(storeMagic)]) != storeMagic {
		return false
	}
	s.dimensions = int(binary.LittleEndian.Uint32(head[len(storeMagic):]))
	return s.dimensions > 0 && s.dimensions <= maxDimensions
}

// each calls f with each record up to the first one that is incomplete or damaged.
func (s *store) each(f func(k [sha256.Size]byte, vector []byte)) error {
	if s.dimensions == 0 {
		return nil
	}
	size := recordSize(s.dimensions)
	in := bufio.NewReaderSize(io.NewSectionReader(s.file, int64(headerSize), math.MaxInt64-int64(headerSize)), 1<<20)
	record := make([]byte, size)
	for {
		switch _, err := io.ReadFull(in, record); {
		case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
			return nil
		case err != nil:
			return err
		}
		if binary.LittleEndian.Uint32(record[size-4:]) != checksum(record[:size-4]) {
			return nil
		}
		f([sha256.Size]byte(record), record[sha256.Size:size-4])
	}
}

func checksum(b []byte) uint32 { return crc32.Checksum(b, crc32.MakeTable(crc32.Castagnoli)) }

// add appends vectors, which must be as long as those of the file.
func (s *store) add(keys [][sha256.Size]byte, vectors [][]float32) error {
	var out []byte
	for i, k := range keys {
		if len(vectors[i]) != s.dimensions {
			return fmt.Errorf("vectors: a passage has %d dimensions, the question has %d", len(vectors[i]), s.dimensions)
		}
		from := len(out)
		out = append(out, k[:]...)
		for _, x := range vectors[i] {
			out = binary.LittleEndian.AppendUint32(out, math.Float32bits(x))
		}
		out = binary.LittleEndian.AppendUint32(out, checksum(out[from:]))
	}
	if _, err := s.file.WriteAt(out, int64(headerSize+s.records*recordSize(s.dimensions))); err != nil {
		return fmt.Errorf("vectors: %w", err)
	}
	for _, k := range keys {
		s.known[k] = true
	}
	s.records += len(keys)
	return nil
}

// begin empties the file for vectors of a length.
func (s *store) begin(dimensions int) error {
	if err := s.file.Truncate(0); err != nil {
		return fmt.Errorf("vectors: %w", err)
	}
	s.dimensions, s.records, s.known = dimensions, 0, map[[sha256.Size]byte]bool{}
	head := binary.LittleEndian.AppendUint32([]byte(storeMagic), uint32(dimensions))
	if _, err := s.file.WriteAt(head, 0); err != nil {
		return fmt.Errorf("vectors: %w", err)
	}
	return nil
}

// drop removes the records whose keys are not wanted. A kill meanwhile leaves a damaged file, which loses
// records and no more.
func (s *store) drop(wanted func([sha256.Size]byte) bool) error {
	size := recordSize(s.dimensions)
	kept, known := 0, map[[sha256.Size]byte]bool{}
	record := make([]byte, size)
	for i := range s.records {
		if _, err := s.file.ReadAt(record, int64(headerSize+i*size)); err != nil {
			return fmt.Errorf("vectors: %w", err)
		}
		k := [sha256.Size]byte(record)
		if !wanted(k) || known[k] {
			continue
		}
		if kept < i {
			if _, err := s.file.WriteAt(record, int64(headerSize+kept*size)); err != nil {
				return fmt.Errorf("vectors: %w", err)
			}
		}
		known[k] = true
		kept++
	}
	s.records, s.known = kept, known
	return s.file.Truncate(int64(headerSize + kept*size))
}

// score calls f with the key of each vector and its dot product with query, which must be as long.
func (s *store) score(query []float32, f func(k [sha256.Size]byte, score float64)) error {
	return s.each(func(k [sha256.Size]byte, vector []byte) {
		var sum float32
		for i, x := range query {
			sum += x * math.Float32frombits(binary.LittleEndian.Uint32(vector[4*i:]))
		}
		f(k, float64(sum))
	})
}
