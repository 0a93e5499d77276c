package sandbox

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// sweepLimit limits the search for processes that left their group. Each round that finds some is followed by
// another, because a process may fork while it is being killed.
const sweepLimit = 2 * time.Second

// isolated puts the child into its own session without a terminal, and kills it when this process dies.
func isolated() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setsid: true, Pdeathsig: syscall.SIGKILL}
}

// awaitExit returns when the program has ended, but does not reap it. Until it is reaped, its process number is
// not reused, so killing its group cannot hit an unrelated process.
func awaitExit(cmd *exec.Cmd) {
	for {
		err := unix.Waitid(unix.P_PID, cmd.Process.Pid, nil, unix.WEXITED|unix.WNOWAIT, nil)
		if !errors.Is(err, unix.EINTR) {
			return
		}
	}
}

// pipeName returns "pipe:[inode]", which is the same for both ends.
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

// killTree kills the program's group and the processes that left it, and returns the number of the latter. It
// returns after two rounds in a row find nothing alive, because a process cannot be recognised at the moment of
// an exec.
func killTree(cmd *exec.Cmd, mark string, pipes ...string) int {
	leader := cmd.Process.Pid
	h := &hunt{leader: leader, mark: []byte(mark), pipes: pipes, targets: map[int]string{}, strays: map[int]bool{}}
	h.addDescendants()
	_ = syscall.Kill(-leader, syscall.SIGKILL)
	clean := 0
	for deadline := time.Now().Add(sweepLimit); clean < 2 && time.Now().Before(deadline); time.Sleep(time.Millisecond) {
		if h.round() {
			clean++
		} else {
			clean = 0
		}
	}
	return len(h.strays)
}

// hunt is the state of the search for the processes of one run.
type hunt struct {
	leader  int
	mark    []byte
	pipes   []string
	targets map[int]string // known processes and their start times
	strays  map[int]bool   // the ones that had left the group
}

// round examines all processes, kills those of this run, and reports whether there were none.
func (h *hunt) round() bool {
	none := true
	for _, p := range processes() {
		if p.pid == h.leader || p.dead() {
			continue
		}
		known := h.targets[p.pid] == p.start
		if !known && p.group != h.leader && p.session != h.leader && !h.marked(p) {
			continue
		}
		none = false
		h.targets[p.pid] = p.start
		if p.group != h.leader {
			h.strays[p.pid] = true
		}
		_ = syscall.Kill(p.pid, syscall.SIGKILL)
	}
	return none
}

// addDescendants adds the children of the leader, their children and so on to the targets.
func (h *hunt) addDescendants() {
	children := map[int][]process{}
	for _, p := range processes() {
		children[p.parent] = append(children[p.parent], p)
	}
	for next := children[h.leader]; len(next) > 0; {
		p := next[0]
		h.targets[p.pid] = p.start
		next = append(next[1:len(next):len(next)], children[p.pid]...)
	}
}

// marked recognises a process by its environment or by an output pipe. Only the standard streams are compared: a
// process that another goroutine is forking briefly holds all our files, but it has the engine's own standard
// streams.
func (h *hunt) marked(p process) bool {
	dir := "/proc/" + strconv.Itoa(p.pid)
	if env, err := os.ReadFile(dir + "/environ"); err == nil && bytes.Contains(env, h.mark) {
		return true
	}
	for _, fd := range []string{"/fd/1", "/fd/2"} {
		if name, err := os.Readlink(dir + fd); err == nil && strings.HasPrefix(name, "pipe:") &&
			slices.Contains(h.pipes, name) {
			return true
		}
	}
	return false
}

// process holds the fields of /proc/PID/stat that are needed.
type process struct {
	pid, parent, group, session int
	state                       string
	start                       string // ticks since boot, which identifies a reused process number
}

// dead reports whether the process has ended and only waits to be reaped.
func (p process) dead() bool { return p.state == "Z" || p.state == "X" }

// processes lists all processes except this one.
func processes() []process {
	dir, err := os.Open("/proc")
	if err != nil {
		return nil
	}
	defer dir.Close()
	names, err := dir.Readdirnames(-1)
	if err != nil {
		return nil
	}
	var out []process
	for _, name := range names {
		pid, err := strconv.Atoi(name)
		if err != nil || pid == os.Getpid() {
			continue
		}
		if p, ok := look(pid); ok {
			out = append(out, p)
		}
	}
	return out
}

// look reads the status line of a process. Its second field may contain any text, but ends at the last closing
// parenthesis.
func look(pid int) (process, bool) {
	stat, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		return process{}, false
	}
	fields := strings.Fields(string(stat[bytes.LastIndexByte(stat, ')')+1:]))
	if len(fields) < 20 {
		return process{}, false
	}
	p := process{pid: pid, state: fields[0], start: fields[19]}
	for i, into := range []*int{&p.parent, &p.group, &p.session} {
		if *into, err = strconv.Atoi(fields[i+1]); err != nil {
			return process{}, false
		}
	}
	return p, true
}

func exitCode(state *os.ProcessState) int {
	if status, ok := state.Sys().(syscall.WaitStatus); ok && status.Signaled() {
		return 128 + int(status.Signal())
	}
	return state.ExitCode()
}
