package repomap

import "sync"

// MaxCache limits the size of a [Cache] in bytes: enough for about 10,000 files of ordinary size.
const MaxCache = 32 << 20

// Cache stores the results of reading files. The zero value is an empty cache. It is safe for concurrent use.
type Cache struct {
	mu    sync.Mutex
	files map[place]*kept
	bytes int
	round int // number of maps
	swept int // the last round in which files of older rounds were dropped
}

// State identifies a file and its version without reading it.
type State struct {
	Folder, Path      string
	Size              int64
	Modified, Changed int64 // nanoseconds; Changed is the system's change time
}

type place struct{ folder, path string }

type kept struct {
	state State
	file  File
	round int // the round in which it was last used
}

// Begin begins a new map. Files that this map has not used may be dropped when the cache is full.
func (c *Cache) Begin() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.round++
}

// Get returns the result for a file in this state, or false if it is not cached.
func (c *Cache) Get(s State) (File, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	k := c.files[place{s.Folder, s.Path}]
	if k == nil || k.state != s {
		return File{}, false
	}
	k.round = c.round
	return k.file, true
}

// Put stores the result for a file in this state if there is room.
func (c *Cache) Put(s State, f File) {
	c.mu.Lock()
	defer c.mu.Unlock()
	at := place{s.Folder, s.Path}
	c.drop(at)
	k := &kept{state: s, file: f, round: c.round}
	if c.bytes+k.size() > MaxCache && c.swept < c.round {
		c.swept = c.round
		// order-independent: each is checked separately
		for old, o := range c.files {
			if o.round < c.round {
				c.drop(old)
			}
		}
	}
	if c.bytes+k.size() > MaxCache {
		return
	}
	if c.files == nil {
		c.files = map[place]*kept{}
	}
	c.files[at] = k
	c.bytes += k.size()
}

func (c *Cache) drop(at place) {
	if k := c.files[at]; k != nil {
		c.bytes -= k.size()
		delete(c.files, at)
	}
}

// size estimates the memory that an entry takes.
func (k *kept) size() int {
	const empty = 300 // bytes
	n := empty + len(k.state.Folder) + len(k.state.Path) + 8*len(k.file.Words)
	for _, name := range k.file.Names {
		n += 16 + len(name)
	}
	return n
}
