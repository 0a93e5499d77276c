// Package repomap ranks the definitions of a project by how much its files use
// them, for a model that plans and cannot look for itself.
//
// # Contract
//
//   - A map holds names and counts only, no text of a file: the files that define
//     what most other files mention stand first, each with what it defines.
//   - [Read] takes definitions from the readers of packages python, cfamily and
//     syntax. Where a reader fails, panics or takes too long, the words that begin
//     definitions show them. A mention is the same word in another file. Both may
//     be wrong; the map only ranks.
//   - A map keeps within its budget of bytes and says what it leaves out.
//   - A [Cache] keeps what was read, within a bound of bytes.
package repomap

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
)

// File is what a map needs of one source file.
type File struct {
	Path  string
	Names []string // of what it defines, each once, in their order
	Words []uint64 // digests of the words in it, each once
}

// Bounds of what a map shows of one file, and takes from it.
const (
	// MaxNames limits the definitions that stand beside a file.
	MaxNames = 12
	// MaxDefinitions limits the definitions that are taken from a file.
	MaxDefinitions = 1000
	// commonNames is in how many files a name is defined at most to say anything.
	commonNames = 5
	shortest    = 3 // bytes of a name
)

// entry is a file with what it defines.
type entry struct {
	path  string
	names []use
	score float64
}

// use is a definition and in how many other files its name stands.
type use struct {
	name  string
	files int
}

// Map returns the map of these files in at most the given number of bytes.
func Map(files []File, budget int) string {
	entries := rank(files)
	if len(entries) == 0 {
		return ""
	}
	var out strings.Builder
	fmt.Fprintf(&out, "Definitions of %d source files, those first that other files use most; behind a name in how many "+
		"other files it stands:\n", len(files))
	const forRest = 200 // bytes of the last line
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
		fmt.Fprintf(&out, "… %d more source files are not listed here: they define nothing that others use, or there is no "+
			"room\n", left)
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

// rank returns the files that define something, the most used first.
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
