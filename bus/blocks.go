package bus

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/minio/highwayhash"
	"github.com/nats-io/nats-server/v2/server"
)

// Layout of a record in a block file of the server (filestore.go of 2.15). The
// server truncates a block at the first record that it cannot read, so blocks
// are checked here before it starts.
const (
	recordHead    = 22 // length, sequence, time, length of the subject
	recordSum     = 8
	recordMost    = 32 << 20
	flagHeaders   = 1 << 31 // flag in the length
	flagErased    = 1 << 63 // flag in the sequence
	flagTombstone = 1 << 62 // flag in the sequence
	maxBlockGap   = 1 << 20 // sequences that one damaged place can hide
)

// streamScan describes the contents of a stream's block files.
type streamScan struct {
	last    uint64       // highest sequence, including deleted messages
	next    uint64       // the expected next sequence; 0 if unknown
	records int          // readable records, including tombstones
	bytes   int64        // size of the block files
	torn    bool         // the last record is incomplete or unreadable
	damage  *blockDamage // the first damaged place; records after it are not counted
	skipped []blockFile  // older blocks that were not read
}

// blockDamage is a place in a block file that cannot be read although readable
// records follow it, or at which a record is missing.
type blockDamage struct {
	file   string
	after  uint64 // the last readable sequence before the place
	behind uint64 // a readable sequence after it; 0 if unknown
}

func (d *blockDamage) String() string {
	if d.behind == 0 {
		return fmt.Sprintf("%s is unreadable after sequence %d", d.file, d.after)
	}
	return fmt.Sprintf("%s is unreadable or incomplete between sequences %d and %d", d.file, d.after, d.behind)
}

// blockFile is one file of a stream's messages.
type blockFile struct {
	path  string
	index int
}

// blockFiles lists the block files of a stream's folder in order.
func blockFiles(dir string) ([]blockFile, error) {
	entries, err := os.ReadDir(filepath.Join(dir, "msgs"))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	var out []blockFile
	for _, e := range entries {
		number, ok := strings.CutSuffix(e.Name(), ".blk")
		if index, err := strconv.Atoi(number); ok && err == nil {
			out = append(out, blockFile{filepath.Join(dir, "msgs", e.Name()), index})
		}
	}
	slices.SortFunc(out, func(a, b blockFile) int { return cmp.Compare(a.index, b.index) })
	return out, nil
}

// scanStream reads the block files of a stream: all of them, or only the newest one with records. The log must
// start at 1 and have no gaps; in other streams messages may have been deleted.
func scanStream(dir, name string, all bool) (streamScan, error) {
	var s streamScan
	files, err := blockFiles(dir)
	if err != nil {
		return s, err
	}
	first := 0
	for at := len(files) - 1; !all && at > 0; at-- {
		info, err := os.Stat(files[at].path)
		if err != nil {
			return s, err
		}
		if first = at; info.Size() > 0 {
			break
		}
	}
	if s.skipped = files[:first]; first == 0 {
		s.next = 1
	}
	for at, f := range files[first:] {
		body, err := os.ReadFile(f.path)
		if err != nil {
			return s, err
		}
		if s.scanBlock(f, name, body, first+at == len(files)-1); s.damage != nil {
			break
		}
	}
	return s, nil
}

// scanBlock reads one block.
func (s *streamScan) scanBlock(f blockFile, stream string, raw []byte, newest bool) {
	damaged := func(behind uint64) { s.damage = &blockDamage{filepath.Base(f.path), s.last, behind} }
	s.bytes += int64(len(raw))
	body, err := plainBlock(raw)
	if err != nil {
		damaged(0)
		return
	}
	sum := checksum(fmt.Sprintf("%s-%d", stream, f.index))
	for at := 0; at < len(body); {
		size, seq, ok := readRecord(body[at:], sum)
		if !ok {
			behind := nextRecord(body[at+1:], sum, s.last)
			if s.torn = behind == 0 && newest; !s.torn {
				damaged(behind)
			}
			return
		}
		if stream == StreamEvents && s.next != 0 && seq != s.next {
			damaged(seq)
			return
		}
		at += size
		s.records++
		s.last, s.next = max(s.last, seq), seq+1
	}
}

// plainBlock returns the content of a block file, which the server compresses
// once it has started the next one.
func plainBlock(raw []byte) ([]byte, error) {
	var how server.CompressionInfo
	n, err := how.UnmarshalMetadata(raw)
	if err != nil || n == 0 {
		return raw, err
	}
	return how.Algorithm.Decompress(raw[n:])
}

// readRecord reads the record at the beginning of b. ok is false if there is no record with a valid checksum.
func readRecord(b []byte, sum hash.Hash64) (size int, seq uint64, ok bool) {
	if len(b) < recordHead+recordSum {
		return 0, 0, false
	}
	length := binary.LittleEndian.Uint32(b)
	size = int(length &^ flagHeaders)
	seq = binary.LittleEndian.Uint64(b[4:]) &^ (flagErased | flagTombstone)
	subject := int(binary.LittleEndian.Uint16(b[20:]))
	body := recordHead + subject
	headers := length&flagHeaders != 0
	if headers {
		body += 4
	}
	if size > recordMost || size > len(b) || body > size-recordSum || headers && !headersHold(b[body-4:size-recordSum]) {
		return 0, 0, false
	}
	sum.Reset()
	for _, part := range [][]byte{b[4:20], b[recordHead : recordHead+subject], b[body : size-recordSum]} {
		_, _ = sum.Write(part) // writing to a hash never fails
	}
	return size, seq, bytes.Equal(sum.Sum(nil), b[size-recordSum:size])
}

// headersHold reports whether the length before a record's headers is correct;
// the checksum does not cover it.
func headersHold(b []byte) bool {
	n, b := binary.LittleEndian.Uint32(b), b[4:]
	return uint64(n) <= uint64(len(b)) && bytes.HasPrefix(b, []byte("NATS/1.0")) &&
		bytes.HasSuffix(b[:n], []byte("\r\n\r\n"))
}

// nextRecord searches for a readable record after a damaged place and returns its sequence, or 0 if there is none.
func nextRecord(b []byte, sum hash.Hash64, last uint64) uint64 {
	for ; len(b) >= recordHead+recordSum; b = b[1:] {
		seq := binary.LittleEndian.Uint64(b[4:]) &^ (flagErased | flagTombstone)
		if seq > last+maxBlockGap {
			continue
		}
		if _, _, ok := readRecord(b, sum); ok {
			return max(seq, 1)
		}
	}
	return 0
}

// checksum returns the server's checksum hash, which is keyed by the name of the checked item.
func checksum(of string) hash.Hash64 {
	key := sha256.Sum256([]byte(of))
	h, err := highwayhash.NewDigest64(key[:])
	if err != nil {
		panic(err) // fails only for a key of the wrong length
	}
	return h
}

// indexHolds reports whether the server will accept its index of a stream's
// blocks. Without an index it reads every block and truncates damaged ones.
func indexHolds(dir, stream string) bool {
	body, err := os.ReadFile(filepath.Join(dir, "msgs", "index.db"))
	if err != nil || len(body) < 32 {
		return false
	}
	sum := checksum(stream)
	_, _ = sum.Write(body[:len(body)-recordSum]) // writing to a hash never fails
	return bytes.Equal(sum.Sum(nil), body[len(body)-recordSum:])
}

// metaHolds reports whether the metadata file of a stream or pool is intact.
func metaHolds(dir, of string) bool {
	body, err := os.ReadFile(filepath.Join(dir, "meta.inf"))
	if err != nil {
		return false
	}
	want, err := os.ReadFile(filepath.Join(dir, "meta.sum"))
	if err != nil {
		return false
	}
	sum := checksum(of)
	_, _ = sum.Write(body) // writing to a hash never fails
	return hex.EncodeToString(sum.Sum(nil)) == string(want)
}

// poolState is the position of a pool as recorded in its file.
type poolState struct{ floor, delivered uint64 }

// readPoolState reads the file of a pool's position. A pool that has delivered
// nothing has no file.
func readPoolState(dir string) (poolState, bool) {
	body, err := os.ReadFile(filepath.Join(dir, "o.dat"))
	if errors.Is(err, fs.ErrNotExist) {
		return poolState{}, true
	}
	if err != nil || len(body) < 2 || body[0] != 22 || body[1] != 2 {
		return poolState{}, false
	}
	var numbers [4]uint64 // delivery and sequence of the last acknowledged message, then of the last delivered one
	at := 2
	for i := range numbers {
		n, size := binary.Uvarint(body[at:])
		if size <= 0 {
			return poolState{}, false
		}
		numbers[i], at = n, at+size
	}
	s := poolState{numbers[1], numbers[3]}
	return s, s.floor <= s.delivered
}
