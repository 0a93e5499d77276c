package sandbox

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// sweepLimit bounds the search for processes that left their group; each round that finds some
// is followed by another, because a process may fork while it is being ended.
const sweepLimit = 2 * time.Second

// isolated puts the child into a session of its own, without a terminal, and ends it when this
// process dies.
func isolated() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setsid: true, Pdeathsig: syscall.SIGKILL}
}

// awaitExit returns when the program has ended, and leaves it to be waited for: as long as it is
// not, no other process can get its number, so killing its group cannot hit a stranger.
func awaitExit(cmd *exec.Cmd) {
	for {
		err := unix.Waitid(unix.P_PID, cmd.Process.Pid, nil, unix.WEXITED|unix.WNOWAIT, nil)
		if !errors.Is(err, unix.EINTR) {
			return
		}
	}
}

// pipeName is "pipe:[inode]", the same for both ends.
func pipeName(f *os.File) string {
	raw, err := f.SyscallConn()
	if err != nil {
		return ""
	}
	var name string
	err = raw.Control(func(fd uintptr) {
		name, _ = os.Readlink("/proc/self/fd/" + strconv.Itoa(int(fd)))
	})
	if err != nil || !strings.HasPrefix(name, "pipe:") {
		return ""
	}
	return name
}

// killTree ends the program's group and whatever left it, and counts the latter.
func killTree(cmd *exec.Cmd, mark string, pipes ...string) int {
	leader := cmd.Process.Pid
	strays := descendants(leader)
	_ = syscall.Kill(-leader, syscall.SIGKILL)
	killed := map[int]bool{}
	for _, pid := range strays {
		if group, err := syscall.Getpgid(pid); err == nil && group != leader {
			killed[pid] = true
			_ = syscall.Kill(pid, syscall.SIGKILL)
		}
	}
	for deadline := time.Now().Add(sweepLimit); time.Now().Before(deadline); time.Sleep(time.Millisecond) {
		found := marked(leader, mark, pipes)
		if len(found) == 0 {
			break
		}
		for _, pid := range found {
			if group, err := syscall.Getpgid(pid); err == nil && group != leader {
				killed[pid] = true
			}
			_ = syscall.Kill(pid, syscall.SIGKILL)
		}
	}
	return len(killed)
}

// processes lists the numbers of all processes but this one.
func processes() []int {
	dir, err := os.Open("/proc")
	if err != nil {
		return nil
	}
	defer dir.Close()
	names, err := dir.Readdirnames(-1)
	if err != nil {
		return nil
	}
	var out []int
	for _, name := range names {
		if pid, err := strconv.Atoi(name); err == nil && pid != os.Getpid() {
			out = append(out, pid)
		}
	}
	return out
}

// marked finds the living processes of one run by their environment or by an output pipe. Only
// the standard streams are compared: a process being forked by another goroutine briefly holds all
// our files, but has the engine's own streams.
func marked(leader int, mark string, pipes []string) []int {
	var out []int
	for _, pid := range processes() {
		if pid == leader {
			continue
		}
		proc := "/proc/" + strconv.Itoa(pid)
		env, err := os.ReadFile(proc + "/environ")
		if err == nil && bytes.Contains(env, []byte(mark)) || holds(proc, pipes) {
			out = append(out, pid)
		}
	}
	return out
}

func holds(proc string, pipes []string) bool {
	for _, fd := range []string{"/fd/1", "/fd/2"} {
		name, err := os.Readlink(proc + fd)
		if err != nil {
			continue
		}
		for _, pipe := range pipes {
			if pipe != "" && name == pipe {
				return true
			}
		}
	}
	return false
}

// descendants lists the children of leader, their children and so on.
func descendants(leader int) []int {
	children := map[int][]int{}
	for _, pid := range processes() {
		if parent, ok := parentOf(pid); ok {
			children[parent] = append(children[parent], pid)
		}
	}
	var out []int
	for next := children[leader]; len(next) > 0; {
		pid := next[0]
		out = append(out, pid)
		next = append(next[1:], children[pid]...)
	}
	return out
}

// parentOf reads the fourth field of the status line; the second may contain anything, but ends
// at the last closing bracket.
func parentOf(pid int) (int, bool) {
	stat, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		return 0, false
	}
	fields := strings.Fields(string(stat[bytes.LastIndexByte(stat, ')')+1:]))
	if len(fields) < 2 {
		return 0, false
	}
	parent, err := strconv.Atoi(fields[1])
	return parent, err == nil
}

func exitCode(state *os.ProcessState) int {
	if status, ok := state.Sys().(syscall.WaitStatus); ok && status.Signaled() {
		return 128 + int(status.Signal())
	}
	return state.ExitCode()
}
