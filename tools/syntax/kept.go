package syntax

import (
	"crypto/sha256"
	"slices"
	"sync"
)

// Limits of kept structures.
const (
	maxKept        = 256     // texts
	maxKeptSymbols = 20_000  // symbols and damage of all texts
	maxKeptSize    = 1 << 20 // bytes of one text, because hashing takes time, too
)

// digest identifies a language and a text.
type digest [sha256.Size]byte

func digestOf(g *grammar, src []byte) digest {
	h := sha256.New()
	h.Write([]byte(g.name + "\x00"))
	h.Write(src)
	return digest(h.Sum(nil))
}

// keeper holds the structures of the texts that were parsed last. A model asks for the outline of a file, then for a
// definition and for a skeleton, and a parse takes a hundred times as long as a digest.
type keeper struct {
	mu    sync.Mutex
	found map[digest]Structure
	order []digest // oldest first
	size  int      // symbols and damage
}

var kept keeper

func (k *keeper) get(at digest) (Structure, bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	s, ok := k.found[at]
	return s.clone(), ok
}

func (k *keeper) put(at digest, s Structure) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if _, has := k.found[at]; has || s.size() > maxKeptSymbols {
		return
	}
	for len(k.order) >= maxKept || k.size+s.size() > maxKeptSymbols {
		k.size -= k.found[k.order[0]].size()
		delete(k.found, k.order[0])
		k.order = slices.Delete(k.order, 0, 1)
	}
	if k.found == nil {
		k.found = map[digest]Structure{}
	}
	k.found[at] = s.clone()
	k.order = append(k.order, at)
	k.size += s.size()
}

// clone copies what callers change.
func (s Structure) clone() Structure {
	return Structure{Symbols: slices.Clone(s.Symbols), Damage: slices.Clone(s.Damage)}
}

func (s Structure) size() int { return len(s.Symbols) + len(s.Damage) }
