package cfamily

import (
	"context"
	"path"
	"strings"
)

// Limits of LearnIncluded.
const (
	maxIncluded     = 300
	maxIncludedSize = 16 << 20
)

// LearnIncluded learns the macros of the headers that a text includes, directly or indirectly. Headers are
// searched for next to the file, in the folders above it, in their "include" and "src" folders, and in roots.
// name is the file's own, with slashes. read returns the text of a file, or false. At most 300 headers and 16 MB
// are read, nearest first; the order depends on nothing else. It stops when ctx is done.
func LearnIncluded(ctx context.Context, name, text string, roots []string, read func(name string) (string,
	bool)) Macros {
	type wanted struct{ from, name string }
	seen := map[string]bool{path.Clean(name): true}
	var all []Macros
	var queue []wanted
	note := func(from, text string) {
		for _, include := range Includes(text) {
			queue = append(queue, wanted{from, include})
		}
	}
	note(name, text)
	size := 0
	for ; len(queue) > 0 && len(all) < maxIncluded && size < maxIncludedSize && ctx.Err() == nil; queue = queue[1:] {
		for _, candidate := range candidates(queue[0].from, queue[0].name, roots) {
			if seen[candidate] {
				break
			}
			header, ok := read(candidate)
			if !ok {
				continue
			}
			seen[candidate] = true
			size += len(header)
			all = append(all, Learn(header))
			note(candidate, header)
			break
		}
	}
	return Merge(all...)
}

// Includes lists the names in #include directives, in order and without duplicates.
func Includes(text string) []string {
	var out []string
	seen := map[string]bool{}
	for line := range strings.Lines(text) {
		line = strings.TrimLeft(line, " \t")
		if !strings.HasPrefix(line, "#") {
			continue
		}
		name, rest := directiveOf(line)
		if name != "include" || len(rest) < 3 {
			continue
		}
		closing := byte('"')
		if rest[0] == '<' {
			closing = '>'
		}
		if end := strings.IndexByte(rest[1:], closing); end > 0 && !seen[rest[1:1+end]] {
			seen[rest[1:1+end]] = true
			out = append(out, rest[1:1+end])
		}
	}
	return out
}

// candidates returns the possible paths of a header, nearest first.
func candidates(from, name string, roots []string) []string {
	var out []string
	dir := path.Dir(from)
	for range 12 {
		out = append(out, path.Join(dir, name), path.Join(dir, "include", name), path.Join(dir, "src", name))
		if dir == "." || dir == "/" {
			break
		}
		dir = path.Dir(dir)
	}
	for _, root := range roots {
		out = append(out, path.Join(root, name))
	}
	return out
}
