package replay

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"

	"manualslop/events"
)

// chain is the running hash of an exported file. It starts with the SHA-256 of the header line. Each event
// changes it to the SHA-256 of the previous value, the event's sequence as eight bytes, and the event's bytes as
// they are in the file. Each blob adds its size and its name, which is the digest of its bytes.
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

// addBlob continues the chain with a blob that is included or missing.
func (c *chain) addBlob(ref events.BlobRef, missing bool) {
	name := "blob "
	if missing {
		name = "missing "
	}
	c.add(uint64(ref.Size), []byte(name+ref.SHA256+" "+ref.MediaType))
}

func (c chain) String() string { return hex.EncodeToString(c[:]) }
