package repomap

// Of the readers and the cache, for tests.
var ReadWith = read

const MaxRead = maxRead

func (c *Cache) Bytes() int { return c.bytes }

func SizeOf(s State, f File) int { return (&kept{state: s, file: f}).size() }
