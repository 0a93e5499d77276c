package engine

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// unmapProgram drops the mapped pages of the program file. They stay in the
// system's cache of files, from where the next touch maps them again.
func unmapProgram() error {
	program, err := os.Readlink("/proc/self/exe")
	if err != nil {
		return fmt.Errorf("find the program: %w", err)
	}
	smaps, err := os.Open("/proc/self/smaps")
	if err != nil {
		return fmt.Errorf("read what is mapped: %w", err)
	}
	defer smaps.Close()
	all, err := unchanged(smaps, program)
	if err != nil {
		return fmt.Errorf("read what is mapped: %w", err)
	}
	for _, m := range all {
		if _, _, errno := unix.Syscall(unix.SYS_MADVISE, m.from, m.to-m.from, unix.MADV_DONTNEED); errno != 0 {
			err = errors.Join(err, fmt.Errorf("unmap %x-%x: %w", m.from, m.to, errno))
		}
	}
	return err
}

// mapping is a part of the address space.
type mapping struct{ from, to uintptr }

// unchanged are the mappings of a file that nobody can write and nobody has
// written: a page of one is what the file holds. The loader changes pages and
// makes them read-only then, and a debugger changes code; such a change is an
// anonymous page, in memory or swapped out, and would be lost.
func unchanged(smaps io.Reader, file string) ([]mapping, error) {
	var out []mapping
	var at mapping
	ours, same := false, 0
	lines := bufio.NewScanner(smaps)
	for lines.Scan() {
		name, value, _ := strings.Cut(lines.Text(), ":")
		switch {
		case strings.Contains(name, "-"): // the first line of a mapping; its device has the colon
			at, ours = mappingOf(lines.Text(), file)
			same = 0
		case name == "Anonymous" || name == "Swap":
			if strings.TrimSpace(value) == "0 kB" {
				same++
			}
			if ours && same == 2 {
				out, ours = append(out, at), false
			}
		}
	}
	return out, lines.Err()
}

// mappingOf reads the first line of a mapping; false unless it is of the file
// and read-only.
func mappingOf(line, file string) (mapping, bool) {
	fields := strings.Fields(line)
	if len(fields) < 6 || !strings.HasSuffix(line, " "+file) || fields[1] != "r-xp" && fields[1] != "r--p" {
		return mapping{}, false
	}
	from, to, _ := strings.Cut(fields[0], "-")
	begin, err1 := strconv.ParseUint(from, 16, 64)
	end, err2 := strconv.ParseUint(to, 16, 64)
	return mapping{uintptr(begin), uintptr(end)}, err1 == nil && err2 == nil && begin < end
}
