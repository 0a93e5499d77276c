package mcp

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
)

// markName is the variable that each server and what it starts has in its environment. Its value is
// "PID:START:NAMESPACE:NUMBER": the process that started the server, the time when that began, in ticks
// since the machine started, the namespace in which PID counts, and a number that no other server of the
// process has.
const markName = "SLOP_MCP_OWNER"

var marks atomic.Int64

// newMark is a mark of this process that no server has yet.
func newMark() string {
	pid := os.Getpid()
	return fmt.Sprintf("%d:%s:%s:%d", pid, startOf(pid), namespace(), marks.Add(1))
}

// namespace names the namespace in which process ids of this process count.
func namespace() string {
	name, err := os.Readlink("/proc/self/ns/pid")
	if err != nil {
		return ""
	}
	return strings.Trim(strings.TrimPrefix(name, "pid:"), "[]")
}

// startOf is when a process began, empty where it is gone or a zombie.
func startOf(pid int) string {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return ""
	}
	fields := bytes.Fields(stat[bytes.LastIndexByte(stat, ')')+1:])
	const state, start = 0, 19
	if len(fields) <= start || fields[state][0] == 'Z' || fields[state][0] == 'X' {
		return ""
	}
	return string(fields[start])
}

// killMarked kills the processes whose mark fits, until none is left; a killed one may have started
// another a moment before.
func killMarked(fits func(mark string) bool) (killed int) {
	const rounds = 10
	for range rounds {
		found := marked(fits)
		if len(found) == 0 {
			return killed
		}
		for _, pid := range found {
			if syscall.Kill(pid, syscall.SIGKILL) == nil {
				killed++
			}
		}
	}
	return killed
}

// marked lists living processes whose mark fits. Processes of other users cannot be read.
func marked(fits func(mark string) bool) (pids []int) {
	files, _ := filepath.Glob("/proc/[0-9]*/environ")
	for _, file := range files {
		env, err := os.ReadFile(file)
		if err != nil {
			continue
		}
		for entry := range bytes.SplitSeq(env, []byte{0}) {
			mark, ok := strings.CutPrefix(string(entry), markName+"=")
			if !ok || !fits(mark) {
				continue
			}
			pid, err := strconv.Atoi(filepath.Base(filepath.Dir(file)))
			if err == nil && pid != os.Getpid() && startOf(pid) != "" {
				pids = append(pids, pid)
			}
		}
	}
	return pids
}

// KillOrphans kills the servers, and what they started, of processes that ended without stopping them.
// It returns how many processes it killed.
func KillOrphans() int {
	own := namespace()
	return killMarked(func(mark string) bool {
		part := strings.Split(mark, ":")
		if len(part) != 4 || part[2] != own {
			return false
		}
		pid, err := strconv.Atoi(part[0])
		return err == nil && startOf(pid) != part[1]
	})
}
