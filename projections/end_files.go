package projections

// recordedFile is a file's digest as last recorded, and all that it had before.
type recordedFile struct {
	SHA256 string          `json:"sha256"`
	Known  map[string]bool `json:"known"`
}

func (c *comparison) file(path string) *recordedFile {
	f := c.Files[path]
	if f == nil {
		f = &recordedFile{Known: map[string]bool{}}
		c.Files[path] = f
	}
	return f
}

// written takes what a tool left.
func (f *recordedFile) written(sha256 string) {
	f.SHA256 = sha256
	f.Known[sha256] = true
}

// reread takes what a refresh saw. A digest that is known already may come
// from before a write that was recorded meanwhile, so it changes nothing:
// tickets run side by side, and which is recorded first is chance.
func (f *recordedFile) reread(sha256 string) {
	if !f.Known[sha256] {
		f.written(sha256)
	}
}
