package git

import (
	"context"
	"strings"
)

// A file can differ from its blob only because of conversions that git would make when storing it, mainly of line
// ends in a repository whose attributes are newer than its files. Git reports such a file as changed right after
// checkout. Here it does not count as changed.

// entry is a file that differs between two states, as listed in git's raw format.
type entry struct {
	oldMode, newMode, oldHash, status, path string
}

// parseEntries parses the raw output of a diff command with -z.
func parseEntries(raw string) []entry {
	var out []entry
	fields := strings.Split(raw, "\x00") // alternately modes, hashes and status, and the path
	for i := 0; i+1 < len(fields); i += 2 {
		if parts := strings.Fields(strings.TrimPrefix(fields[i], ":")); len(parts) == 5 {
			out = append(out, entry{oldMode: parts[0], newMode: parts[1], oldHash: parts[2], status: parts[4],
				path: fields[i+1]})
		}
	}
	return out
}

// entries returns the files that a git diff command lists.
func (w *private) entries(ctx context.Context, args ...string) ([]entry, error) {
	out, failed, err := w.names(ctx, append([]string{args[0], "--raw", "--no-abbrev", "-z"}, args[1:]...)...)
	if err == nil && failed != "" {
		err = problem("git %s failed: %s", args[0], shown(failed))
	}
	return parseEntries(out), err
}

// asStored returns the entries whose files in the working tree equal the older state byte for byte.
func (w *private) asStored(ctx context.Context, entries []entry) ([]entry, error) {
	var files []entry
	for _, e := range entries {
		if e.status == "M" && strings.HasPrefix(e.oldMode, "100") && strings.HasPrefix(e.newMode, "100") {
			files = append(files, e)
		}
	}
	var same []entry
	for some := range batches(files) {
		args := []string{"hash-object", "--no-filters", "--"}
		for _, e := range some {
			args = append(args, e.path)
		}
		out, err := w.must(ctx, args...)
		if err != nil {
			return nil, err
		}
		for i, hash := range strings.Fields(out) {
			if i < len(some) && some[i].oldHash == hash {
				same = append(same, some[i])
			}
		}
	}
	return same, nil
}

// maxArguments limits the file names of one command, in bytes.
const maxArguments = 64 << 10

// batches splits the entries into parts that fit on a command line.
func batches(entries []entry) func(func([]entry) bool) {
	return func(yield func([]entry) bool) {
		for len(entries) > 0 {
			n, size := 1, len(entries[0].path)
			for n < len(entries) && size+len(entries[n].path) < maxArguments {
				size += len(entries[n].path) + 64 // plus room for mode and hash
				n++
			}
			if !yield(entries[:n]) {
				return
			}
			entries = entries[n:]
		}
	}
}

// keepStored sets files in the index to the tree's version if they are equal to it but git would store them
// differently. It reports whether there were any.
func (w *private) keepStored(ctx context.Context, changed []entry) (bool, error) {
	same, err := w.asStored(ctx, changed)
	if err != nil {
		return false, err
	}
	for some := range batches(same) {
		args := []string{"update-index"}
		for _, e := range some {
			args = append(args, "--cacheinfo", e.newMode+","+e.oldHash+","+e.path)
		}
		if _, err := w.must(ctx, args...); err != nil {
			return false, err
		}
	}
	return len(same) > 0, nil
}
