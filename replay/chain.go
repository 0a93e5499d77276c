package replay

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
)

// chain is the running hash of an exported file. It starts with the SHA-256 of
// the header's line; each event turns it into the SHA-256 of what it was, the
// event's sequence as eight bytes, and the event's bytes as they stand in the file.
type chain [sha256.Size]byte

func startChain(header []byte) chain { return sha256.Sum256(header) }

func (c *chain) add(seq uint64, event []byte) {
	h := sha256.New()
	h.Write(c[:])
	var n [8]byte
	binary.BigEndian.PutUint64(n[:], seq)
	h.Write(n[:])
	h.Write(event)
	h.Sum(c[:0])
}

func (c chain) String() string { return hex.EncodeToString(c[:]) }
