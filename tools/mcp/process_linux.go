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

// markName is the environment variable that marks each server and the processes that it starts. Its value is
// "PID:START:NAMESPACE:NUMBER": the process that started the server, when that process started, in ticks since
// boot, the namespace of PID, and a number that is unique in the process.
const markName = "SLOP_MCP_OWNER"

var marks atomic.Int64

// newMark returns an unused mark of this process.
func newMark() string {
	pid := os.Getpid()
	return fmt.Sprintf("%d:%s:%s:%d", pid, startOf(pid), namespace(), marks.Add(1))
}

// namespace returns the name of this process's PID namespace.
func namespace() string {
	name, err := os.Readlink("/proc/self/ns/pid")
	if err != nil {
		return ""
	}
	return strings.Trim(strings.TrimPrefix(name, "pid:"), "[]")
}

// startOf returns when a process started, or "" if it is gone or a zombie.
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

// killMarked kills the processes whose mark fits, until none is left, because a killed process may have just
// started another one.
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

// marked lists running processes whose mark fits. Processes of other users cannot be read.
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

// KillOrphans kills servers, and the processes that they started, whose owner ended without stopping them. It
// returns the number of killed processes.
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
