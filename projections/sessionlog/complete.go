package sessionlog

import (
	"bytes"
	"fmt"
	"maps"
	"os"
	"path"
	"slices"
	"strconv"
	"strings"
)

// completeMark is a file in the folder of a closed session. It is written once the logs are
// complete: a line with the sequence of the newest event in them, because a closed session may
// still get events, followed by one line with the size of each file.
const completeMark = ".complete"

// markHead starts the first line of a mark, before the sequence.
const markHead = "through "

// maxMark limits the size of a mark that is read, in bytes.
const maxMark = 16 << 20

// sync makes the files of a closed session durable and then writes the mark; without it the files
// are compared again at the next start. It returns errChanged if another program has changed a
// file.
func (d *folder) sync() error {
	names := slices.Sorted(maps.Keys(d.right))
	if !d.intact(names) {
		return errChanged
	}
	var mark bytes.Buffer
	fmt.Fprintf(&mark, "%s%d\n", markHead, d.seq)
	for _, file := range names {
		fmt.Fprintf(&mark, "%d %s\n", d.right[file], file)
		if !d.unsynced[file] {
			continue
		}
		if err := syncFile(d.held.disk, file); err != nil {
			return err
		}
		delete(d.unsynced, file)
	}
	if d.lacking {
		return nil
	}
	return writeWhole(d.held.disk, completeMark, mark.Bytes())
}

// complete reports whether the folder of a closed session has all of its files, up to the
// session's newest event.
func complete(root *os.Root, name string, newest uint64) bool {
	at := path.Join(Base, name, completeMark)
	info, err := root.Lstat(at)
	if err != nil || !info.Mode().IsRegular() || info.Size() > maxMark {
		return false
	}
	mark, err := root.ReadFile(at)
	if err != nil {
		return false
	}
	head, list, _ := strings.Cut(string(mark), "\n")
	if head != fmt.Sprintf("%s%d", markHead, newest) {
		return false
	}
	listed := 0
	for entry := range strings.Lines(list) {
		size, file, _ := strings.Cut(strings.TrimSuffix(entry, "\n"), " ")
		want, err := strconv.ParseInt(size, 10, 64)
		if err != nil || file == "" {
			return false
		}
		info, err := root.Lstat(path.Join(Base, name, file))
		if err != nil || !info.Mode().IsRegular() || info.Size() != want {
			return false
		}
		listed++
	}
	return listed >= len(Files())
}
