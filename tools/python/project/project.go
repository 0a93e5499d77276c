package project

import (
	"bytes"
	"context"
	"encoding/binary"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"golang.org/x/text/unicode/norm"
)

// File is one source file as it was read.
type File struct {
	Path string // slash separated; all files of a project are named from one folder
	Data []byte
}

// Project is a set of Python files that may import each other. Its questions are asked one at a
// time; each of them uses all cores where it pays.
type Project struct {
	units   []*Unit // by path
	byPath  map[string]*Unit
	modules *modules
}

// New makes a project of files. Nothing is parsed before it is needed. Of files with one path the
// first counts.
func New(files []File) *Project {
	p := &Project{byPath: make(map[string]*Unit, len(files))}
	for _, f := range files {
		if p.byPath[f.Path] == nil {
			u := &Unit{Path: f.Path, data: f.Data}
			p.byPath[f.Path] = u
			p.units = append(p.units, u)
		}
	}
	slices.SortFunc(p.units, func(a, b *Unit) int { return strings.Compare(a.Path, b.Path) })
	p.modules = newModules(p.units)
	return p
}

// Unit returns the file of that path, nil if the project has none.
func (p *Project) Unit(path string) *Unit { return p.byPath[path] }

// IsSource tells by its name whether a file is Python source.
func IsSource(path string) bool {
	return strings.HasSuffix(path, ".py") || strings.HasSuffix(path, ".pyi") || strings.HasSuffix(path, ".pyw")
}

// mentioning returns the units whose source holds one of the names as a word
// anywhere, in order. It looks at bytes and parses nothing.
func (p *Project) mentioning(ctx context.Context, names ...string) ([]*Unit, error) {
	found := make([]bool, len(p.units))
	err := parallel(ctx, len(p.units), func(i int) { found[i] = p.units[i].mentions(names) })
	var out []*Unit
	for i, u := range p.units {
		if found[i] {
			out = append(out, u)
		}
	}
	return out, err
}

// mentions reports whether one of the names, which are in NFKC, can occur in
// the unit.
func (u *Unit) mentions(names []string) bool {
	if slices.ContainsFunc(names, func(name string) bool { return hasWord(u.data, name) }) {
		return true
	}
	text, other := u.otherSpelling()
	return other && slices.ContainsFunc(names, func(name string) bool { return strings.Contains(text, name) })
}

// otherSpelling returns the text in NFKC where its names may not be spelled as
// in the bytes: where it is not normal or not in UTF-8.
func (u *Unit) otherSpelling() (string, bool) {
	if isASCII(u.data) || !u.Readable() || norm.NFKC.IsNormalString(u.Text()) && len(u.Text()) == len(u.data) {
		return "", false
	}
	return norm.NFKC.String(u.Text()), true
}

// mentioningEach gives for each of the names the units that hold it as a word, in order. It passes
// over all bytes once, so that it is better than mentioning for many names.
func (p *Project) mentioningEach(ctx context.Context, names []string) (map[string][]*Unit, error) {
	wanted := make(map[string]bool, len(names))
	for _, name := range names {
		wanted[name] = true
	}
	found := make([]map[string]bool, len(p.units))
	err := parallel(ctx, len(p.units), func(i int) { found[i] = p.units[i].holds(wanted) })
	out := make(map[string][]*Unit, len(names))
	for i, u := range p.units {
		for name := range found[i] {
			out[name] = append(out[name], u)
		}
	}
	return out, err
}

// holds returns those of the names that the unit mentions.
func (u *Unit) holds(names map[string]bool) map[string]bool {
	var out map[string]bool
	add := func(word []byte) {
		if names[string(word)] {
			if out == nil {
				out = map[string]bool{}
			}
			out[string(word)] = true
		}
	}
	eachWord(u.data, add)
	if text, other := u.otherSpelling(); other {
		eachWord([]byte(text), add)
	}
	return out
}

// eachWord visits the longest pieces of data that consist of letters, digits and underscores.
func eachWord(data []byte, visit func([]byte)) {
	start := -1
	for i, c := range data {
		switch {
		case isWordByte(c):
			if start < 0 {
				start = i
			}
		case start >= 0:
			visit(data[start:i])
			start = -1
		}
	}
	if start >= 0 {
		visit(data[start:])
	}
}

// hasWord reports whether data holds a name with no letter, digit or underscore
// of ASCII beside it.
func hasWord(data []byte, name string) bool {
	word := []byte(name)
	for from := 0; len(word) > 0; {
		i := bytes.Index(data[from:], word)
		if i < 0 {
			return false
		}
		at, end := from+i, from+i+len(word)
		if !(at > 0 && isWordByte(data[at-1]) && data[at-1] < 0x80) && !(end < len(data) && isWordByte(data[end]) &&
			data[end] < 0x80) {
			return true
		}
		from = end
	}
	return false
}

func isASCII(data []byte) bool {
	for len(data) >= 8 {
		if binary.NativeEndian.Uint64(data)&0x8080_8080_8080_8080 != 0 {
			return false
		}
		data = data[8:]
	}
	for _, c := range data {
		if c >= 0x80 {
			return false
		}
	}
	return true
}

// mostAnalysed limits the bytes of source of which one question analyses the
// names, which take many times as much memory.
const mostAnalysed = 64 << 20

// prepare parses units on all cores, so that what follows finds them parsed. It gives those that the
// bound allows, and the number of those left out.
func prepare(ctx context.Context, units []*Unit) ([]*Unit, int, error) {
	size, n := 0, 0
	for n < len(units) && size+len(units[n].data) <= mostAnalysed {
		size += len(units[n].data)
		n++
	}
	return units[:n], len(units) - n, parallel(ctx, n, func(i int) { units[i].Names() })
}

// parallel calls do for 0 to n-1 on all cores and returns early, with the context's error, when the
// context ends.
func parallel(ctx context.Context, n int, do func(int)) error {
	var next atomic.Int64
	var wg sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), n) {
		wg.Go(func() {
			for ctx.Err() == nil {
				i := int(next.Add(1)) - 1
				if i >= n {
					return
				}
				do(i)
			}
		})
	}
	wg.Wait()
	return ctx.Err()
}
