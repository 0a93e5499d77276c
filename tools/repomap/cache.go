package repomap

import "sync"

// MaxCache limits what a [Cache] holds, in bytes: 10,000 files of ordinary
// size.
const MaxCache = 32 << 20

// Cache keeps what was read of files. The zero value is empty and ready, and
// several goroutines may use it.
type Cache struct {
	mu    sync.Mutex
	files map[place]*kept
	bytes int
	round int // counts maps
	swept int // the round in which files of older rounds were dropped last
}

// State tells a file, and whether it changed, without reading it.
type State struct {
	Folder, Path      string
	Size              int64
	Modified, Changed int64 // nanoseconds; Changed by the system's own clock
}

type place struct{ folder, path string }

type kept struct {
	state State
	file  File
	round int // in which it was used last
}

// Begin begins a map. Without room, files go that no map has used since.
func (c *Cache) Begin() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.round++
}

// Get returns what was read of a file in this state, false if that is not kept.
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

// Put keeps what was read of a file in this state if there is room.
func (c *Cache) Put(s State, f File) {
	c.mu.Lock()
	defer c.mu.Unlock()
	at := place{s.Folder, s.Path}
	c.drop(at)
	k := &kept{state: s, file: f, round: c.round}
	if c.bytes+k.size() > MaxCache && c.swept < c.round {
		c.swept = c.round
		// order-independent: each is looked at by itself
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

// size is about what a file takes in memory.
func (k *kept) size() int {
	const empty = 300 // bytes
	n := empty + len(k.state.Folder) + len(k.state.Path) + 8*len(k.file.Words)
	for _, name := range k.file.Names {
		n += 16 + len(name)
	}
	return n
}
