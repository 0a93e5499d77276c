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

// File is a source file with its content.
type File struct {
	Path string // slash separated, relative to the same folder for all files
	Data []byte
}

// Project is a set of Python files that may import each other. Queries run one at a time; each uses several cores
// if that is faster.
type Project struct {
	units   []*Unit // sorted by path
	byPath  map[string]*Unit
	modules *modules
}

// New makes a project from files. Nothing is parsed until needed. If several files have the same path, the first
// is used.
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

// Unit returns the file with the given path, or nil if the project does not contain it.
func (p *Project) Unit(path string) *Unit { return p.byPath[path] }

// IsSource reports whether a path has the extension of a Python source file.
func IsSource(path string) bool {
	return strings.HasSuffix(path, ".py") || strings.HasSuffix(path, ".pyi") || strings.HasSuffix(path, ".pyw")
}

// mentioning returns the units whose source contains one of the names as a word, in order. It scans bytes and
// parses nothing.
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

// mentions reports whether one of the names, given in NFKC, may occur in the unit.
func (u *Unit) mentions(names []string) bool {
	if slices.ContainsFunc(names, func(name string) bool { return hasWord(u.data, name) }) {
		return true
	}
	text, other := u.otherSpelling()
	return other && slices.ContainsFunc(names, func(name string) bool { return strings.Contains(text, name) })
}

// otherSpelling returns the text in NFKC if its names may be spelled differently in the bytes: if it is not
// normalised or not UTF-8.
func (u *Unit) otherSpelling() (string, bool) {
	if isASCII(u.data) || !u.Readable() || norm.NFKC.IsNormalString(u.Text()) && len(u.Text()) == len(u.data) {
		return "", false
	}
	return norm.NFKC.String(u.Text()), true
}

// mentioningEach returns for each name the units that contain it as a word, in order. It scans all bytes only
// once, so it is faster than mentioning for many names.
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

// holds returns the names that the unit mentions.
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

// eachWord visits the maximal runs of letters, digits and underscores in data.
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

// hasWord reports whether data contains a name that has no ASCII letter, digit or underscore next to it.
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

// mostAnalysed limits the bytes of source whose names one query analyses. The names take many times as much memory.
const mostAnalysed = 64 << 20

// prepare parses units on all cores in advance. It returns the units within the size limit, and the number of
// units left out.
func prepare(ctx context.Context, units []*Unit) ([]*Unit, int, error) {
	size, n := 0, 0
	for n < len(units) && size+len(units[n].data) <= mostAnalysed {
		size += len(units[n].data)
		n++
	}
	return units[:n], len(units) - n, parallel(ctx, n, func(i int) { units[i].Names() })
}

// parallel calls do for 0 to n-1 on all cores. It returns early, with the context's error, when the context ends.
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
