package runtime

import "sync"

// Bounds of the texts that are kept in memory: those of some bases.
const (
	maxWords     = 64
	maxWordsText = 16 << 10
)

// words keeps short blobs that prompts begin with, which every request names.
// The zero value has none.
type words struct {
	mu   sync.Mutex
	text map[string][]byte
}

// get is a kept blob; nil where there is none. Nobody may change it.
func (w *words) get(sha256 string) []byte {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.text[sha256]
}

// keep keeps a blob that is short enough. Where there are too many it begins anew.
func (w *words) keep(sha256 string, b []byte) {
	if len(b) == 0 || len(b) > maxWordsText {
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.text == nil || len(w.text) >= maxWords {
		w.text = map[string][]byte{}
	}
	w.text[sha256] = b
}
