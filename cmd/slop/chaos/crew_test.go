package chaos

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"time"

	"manualslop/events/eventstest"
)

// member is one process of an arrangement, which is started again whenever it
// ends, until it is dismissed.
type member struct {
	run   *run
	name  string
	args  func() []string // of its next life
	link  *proxy          // to the bus; nil: it is the bus
	ready func(line string)

	turn sync.Mutex // one fault at a time

	mu        sync.Mutex
	cmd       *exec.Cmd
	expected  bool // its end
	ends      bool // by itself, when its work is done
	dismissed bool
	hold      chan struct{} // closed: it may start again; nil: it may
	answers   bool          // it said that it is ready
	over      chan struct{} // closed when it is dismissed and has ended
}

// hire starts a member.
func (r *run) hire(name string, link *proxy, ready func(string), args ...string) *member {
	return r.hireAnew(name, link, ready, func() []string { return args })
}

// hireAnew is like hire, with other arguments in each life.
func (r *run) hireAnew(name string, link *proxy, ready func(string), args func() []string) *member {
	m := &member{run: r, name: name, args: args, link: link, ready: ready, over: make(chan struct{})}
	go m.live()
	return m
}

// live starts the process again and again.
func (m *member) live() {
	defer close(m.over)
	for m.once() {
		pause(100 * time.Millisecond) // as a supervisor would, so that a process that cannot start does not spin
	}
}

// once is one life of the process; false when there is to be no other.
func (m *member) once() bool {
	m.mu.Lock()
	hold := m.hold
	m.mu.Unlock()
	if hold != nil {
		<-hold
	}
	m.mu.Lock()
	if m.dismissed {
		m.mu.Unlock()
		return false
	}
	cmd, out, file, err := m.run.command(fmt.Sprintf("%s-%d", strings.ReplaceAll(m.name, " ", "-"), m.run.number()),
		m.args()...)
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		m.mu.Unlock()
		m.run.violate("process-not-started", "%s: %v", m.name, err)
		return false
	}
	m.cmd, m.expected, m.answers = cmd, false, false
	m.mu.Unlock()
	m.run.born(cmd.Process.Pid, m.name)
	m.listen(out)
	err = cmd.Wait()
	_ = file.Close()
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.answers && !m.expected && !m.dismissed && !m.ends {
		m.run.ended(m.name, file.Name(), err)
	}
	m.cmd = nil
	return !m.dismissed
}

// listen waits for the line that says that the process answers, and reads on.
func (m *member) listen(out io.Reader) {
	lines := bufio.NewReader(out)
	if line, err := lines.ReadString('\n'); err == nil {
		m.mu.Lock()
		m.answers = true
		m.mu.Unlock()
		if m.ready != nil {
			m.ready(line)
		}
	}
	_, _ = io.Copy(io.Discard, lines)
}

// isReady tells whether the process answers.
func (m *member) isReady() bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.cmd != nil && m.answers
}

// signal sends a signal that is not meant to end the process.
func (m *member) signal(s os.Signal) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.cmd != nil {
		_ = m.cmd.Process.Signal(s)
	}
}

// end sends a signal that ends the process, and returns what waits for its end.
func (m *member) end(s os.Signal, hold chan struct{}) (pid int, gone func()) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.hold = hold
	if m.cmd == nil {
		return 0, func() {}
	}
	m.expected = true
	cmd := m.cmd
	_ = cmd.Process.Signal(s)
	return cmd.Process.Pid, func() {
		for m.is(cmd) {
			pause(2 * time.Millisecond)
		}
	}
}

func (m *member) is(cmd *exec.Cmd) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.cmd == cmd
}

// away ends the process by a signal and lets it start again after a time.
func (m *member) away(s os.Signal, lasts time.Duration) {
	hold := make(chan struct{})
	pid, gone := m.end(s, hold)
	defer close(hold)
	if pid != 0 && s != os.Kill {
		m.run.mustEnd(m.name, pid, gone)
	} else {
		gone()
	}
	m.run.rest(lasts)
}

// dismiss ends the process for good.
func (m *member) dismiss(s os.Signal) {
	m.mu.Lock()
	m.dismissed = true
	m.mu.Unlock()
	m.signal(syscall.SIGCONT)
	pid, gone := m.end(s, nil)
	if pid != 0 && s != os.Kill {
		m.run.mustEnd(m.name, pid, gone)
	}
	<-m.over
}

// mustEnd waits for the end of a process that was asked to end. One that does
// not is asked for its goroutines, and killed.
func (r *run) mustEnd(name string, pid int, gone func()) {
	done := make(chan struct{})
	go func() { gone(); close(done) }()
	select {
	case <-done:
	case <-time.After(eventstest.Patience):
		r.violate("process-hung", "%s (pid %d) does not end; its goroutines are in %s", name, pid, r.stderrDir())
		_ = syscall.Kill(pid, syscall.SIGCONT)
		_ = syscall.Kill(pid, syscall.SIGQUIT)
		select {
		case <-done:
		case <-time.After(eventstest.Patience):
			_ = syscall.Kill(pid, syscall.SIGKILL)
			<-done
		}
	}
}

func (r *run) stderrDir() string { return filepath.Join(r.dir, "stderr") }

// command is slop with arguments, in the run's environment, with its standard
// error in a file of its own.
func (r *run) command(name string, args ...string) (*exec.Cmd, io.Reader, *os.File, error) {
	cmd := exec.Command("slop", args...)
	cmd.Env, cmd.Dir = r.environment(), r.project
	file, err := os.Create(filepath.Join(r.stderrDir(), name+".log"))
	if err != nil {
		return nil, nil, nil, err
	}
	cmd.Stderr = file
	out, err := cmd.StdoutPipe()
	return cmd, out, file, err
}

// slop runs a command to its end and returns its output and status.
func (r *run) slop(name string, args ...string) (out string, status int) {
	ctx, cancel := context.WithTimeout(context.Background(), eventstest.Patience)
	defer cancel()
	cmd := exec.CommandContext(ctx, "slop", args...)
	cmd.Env, cmd.Dir = r.environment(), r.project
	file, err := os.Create(filepath.Join(r.stderrDir(), name+".log"))
	if err != nil {
		r.violate("process-not-started", "%s: %v", name, err)
		return "", -1
	}
	defer file.Close()
	cmd.Stderr = file
	said, err := cmd.Output()
	if ctx.Err() != nil {
		r.violate("process-hung", "slop %s did not end", strings.Join(args, " "))
	}
	if cmd.ProcessState == nil {
		r.violate("process-not-started", "%s: %v", name, err)
		return "", -1
	}
	return string(said), cmd.ProcessState.ExitCode()
}
