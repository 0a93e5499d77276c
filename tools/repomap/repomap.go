// Package repomap ranks the definitions of a project by how much its files use them, for a model that plans and
// cannot search by itself.
//
// # Contract
//
//   - A map contains only names and counts, no file text. Files whose definitions are mentioned by most other
//     files come first, each with its definitions.
//   - [Read] gets definitions from the readers of packages python, cfamily and syntax. If a reader fails, panics
//     or takes too long, definitions are found by the keywords that begin them. A mention is the same word in
//     another file. Both may be wrong; the map only ranks.
//   - A map stays within its budget of bytes and says what it leaves out.
//   - A [Cache] keeps results of reading files, up to a limit in bytes.
package repomap

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
)

// File is the information that a map needs about one source file.
type File struct {
	Path  string
	Names []string // names that it defines, each once, in file order
	Words []uint64 // digests of the words in it, each once
}

// Limits for one file in a map.
const (
	// MaxNames limits the definitions that are shown next to a file.
	MaxNames = 12
	// MaxDefinitions limits the definitions that are read from a file.
	MaxDefinitions = 1000
	// commonNames is the number of files that may define a name before it is ignored as too common.
	commonNames = 5
	shortest    = 3 // minimum length of a name in bytes
)

// entry is a file with its definitions.
type entry struct {
	path  string
	names []use
	score float64
}

// use is a definition and the number of other files that mention its name.
type use struct {
	name  string
	files int
}

// Map returns the map of the files in at most budget bytes.
func Map(files []File, budget int) string {
	entries := rank(files)
	if len(entries) == 0 {
		return ""
	}
	var out strings.Builder
	fmt.Fprintf(&out, "Definitions of %d source files, the ones that other files use most first; after a name, the "+
		"number of other files that contain it:\n", len(files))
	const forRest = 200 // bytes reserved for the last line
	shown := 0
	for _, e := range entries {
		line := e.line()
		if out.Len()+len(line) > budget-forRest {
			break
		}
		out.WriteString(line)
		shown++
	}
	if left := len(files) - shown; left > 0 {
		fmt.Fprintf(&out, "… %d more source files are not listed here: they define nothing that other files use, or the "+
			"list is full\n", left)
	}
	return out.String()
}

func (e entry) line() string {
	var names []string
	for _, u := range e.names[:min(len(e.names), MaxNames)] {
		if u.files > 0 {
			names = append(names, fmt.Sprintf("%s %d", u.name, u.files))
		} else {
			names = append(names, u.name)
		}
	}
	if more := len(e.names) - MaxNames; more > 0 {
		names = append(names, fmt.Sprintf("%d more", more))
	}
	return fmt.Sprintf("%q: %s\n", e.path, strings.Join(names, ", "))
}

// rank returns the files with definitions, most used first.
func rank(files []File) []entry {
	defined, mentioned := map[string]int{}, map[uint64]int{}
	for _, f := range files {
		for _, name := range f.Names {
			defined[name]++
			mentioned[digest(name)] = 0
		}
	}
	for _, f := range files {
		for _, word := range f.Words {
			if n, wanted := mentioned[word]; wanted {
				mentioned[word] = n + 1
			}
		}
	}
	var out []entry
	for _, f := range files {
		e := entry{path: f.Path}
		for _, name := range f.Names {
			u := use{name: name}
			if defined[name] <= commonNames {
				u.files = max(mentioned[digest(name)]-defined[name], 0)
			}
			e.score += math.Log2(1 + float64(u.files)/float64(defined[name]))
			e.names = append(e.names, u)
		}
		slices.SortStableFunc(e.names, func(a, b use) int { return b.files - a.files })
		if len(e.names) > 0 {
			out = append(out, e)
		}
	}
	slices.SortStableFunc(out, func(a, b entry) int {
		return cmp.Or(cmp.Compare(b.score, a.score), strings.Compare(a.path, b.path))
	})
	return out
}
