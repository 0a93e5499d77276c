package sandbox

import (
	"context"
	"crypto/rand"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"
	"unicode/utf8"
)

const (
	// DefaultTimeout is the time limit if Command.Timeout is zero.
	DefaultTimeout = 60 * time.Second
	// DefaultMaxOutput is the number of bytes kept of each output stream if Command.MaxOutput is zero.
	DefaultMaxOutput = 256 << 10
	// MaxWhole limits the bytes of each stream that KeepWhole keeps.
	MaxWhole = 16 << 20
	// CallVariable is the environment variable that marks every process of one run.
	CallVariable = "SLOP_CALL"
	// drainWait is how long to wait for a pipe to close after everything was killed.
	drainWait = 250 * time.Millisecond
)

// Command is one program to run.
type Command struct {
	Path  string   // absolute path of the program
	Args  []string // without the program's own name
	Dir   string   // working directory
	Env   []string // the whole environment; see Environment
	Input []byte   // standard input of the program; nil means empty
	// Talk, if not nil, replaces Input. It is called on its own goroutine with the program's standard input,
	// which it must close when done. Writing fails once the program has ended; Run does not wait for Talk to
	// return.
	Talk      func(io.WriteCloser)
	Timeout   time.Duration // zero means DefaultTimeout
	MaxOutput int           // bytes kept per stream, half from each end; zero means DefaultMaxOutput
	KeepWhole bool          // also keep the streams from their beginning, up to MaxWhole bytes
	Follow    func([]byte)  // if not nil, is called with standard output as it arrives
	// FollowErrors is like Follow for standard error. The two may be called at the same time.
	FollowErrors func([]byte)
}

// Outcome is the result of a run.
type Outcome struct {
	Stdout        string // valid UTF-8, with a marker where bytes are missing
	Stderr        string
	StdoutDropped int64 // bytes not in Stdout
	StderrDropped int64
	StdoutWhole   Stream // empty unless KeepWhole is set
	StderrWhole   Stream
	Exit          int  // exit code; 128 + signal number if a signal ended the program
	TimedOut      bool // the program was ended at the time limit
	Killed        int  // number of processes that were killed after leaving the program's group
	Duration      time.Duration
}

// Stream is an output stream, byte for byte from its beginning.
type Stream struct {
	Data []byte
	All  bool // false if there were more than MaxWhole bytes
}

// Run runs a program to its end and leaves none of its processes running; see the package comment for how, and for
// the one kind of process that it misses. The program has no terminal, and no input except Command.Input or what
// Command.Talk writes. An error means that the program could not be started or that the context ended; the outcome
// then holds the output up to that point. Follow is not called after Run has returned, unless a process that was not
// found still holds the output.
func Run(ctx context.Context, c Command) (Outcome, error) {
	if err := ctx.Err(); err != nil {
		return Outcome{}, err
	}
	// The death of the thread that started a child counts as the death of its parent, so the thread has to live
	// as long as the child.
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	r, err := start(c)
	if err != nil {
		return Outcome{}, err
	}
	return r.wait(ctx)
}

// running is a program that was started and has not ended yet.
type running struct {
	cmd     *exec.Cmd
	mark    string
	out     *pipe
	errs    *pipe
	began   time.Time
	timeout time.Duration
}

func start(c Command) (*running, error) {
	r := &running{mark: CallVariable + "=" + rand.Text(), began: time.Now(), timeout: c.Timeout}
	if r.timeout <= 0 {
		r.timeout = DefaultTimeout
	}
	limit := c.MaxOutput
	if limit <= 0 {
		limit = DefaultMaxOutput
	}
	whole := 0
	if c.KeepWhole {
		whole = MaxWhole
	}
	var err error
	if r.out, err = newPipe(limit, whole); err != nil {
		return nil, err
	}
	if r.errs, err = newPipe(limit, whole); err != nil {
		r.out.abandon()
		return nil, err
	}
	r.cmd = exec.Command(c.Path, c.Args...)
	r.cmd.Dir = c.Dir
	r.cmd.Env = append(slices.Clone(c.Env), r.mark)
	r.cmd.Stdout, r.cmd.Stderr = r.out.write, r.errs.write
	r.cmd.SysProcAttr = isolated()
	if err := r.launch(c); err != nil {
		r.out.abandon()
		r.errs.abandon()
		return nil, fmt.Errorf("start %s: %w", c.Path, err)
	}
	r.out.listen(c.Follow)
	r.errs.listen(c.FollowErrors)
	return r, nil
}

// launch starts the program and writes its standard input in the background, because a process that was not found
// may hold the other end, and nothing may wait for that.
func (r *running) launch(c Command) error {
	talk := c.Talk
	switch {
	case talk != nil:
	case c.Input == nil:
		return r.cmd.Start()
	default:
		talk = func(in io.WriteCloser) {
			_, _ = in.Write(c.Input) // the program need not read its input
			_ = in.Close()
		}
	}
	in, err := r.cmd.StdinPipe()
	if err != nil {
		return err
	}
	if err := r.cmd.Start(); err != nil {
		return err // Start closed the pipe
	}
	go talk(in)
	return nil
}

// wait waits until the program and everything that it started have ended.
func (r *running) wait(ctx context.Context) (Outcome, error) {
	exited := make(chan struct{})
	go func() {
		defer close(exited)
		awaitExit(r.cmd)
	}()
	limit := time.NewTimer(r.timeout)
	defer limit.Stop()
	var o Outcome
	var ended error
	select {
	case <-exited:
	case <-limit.C:
		o.TimedOut = true
	case <-ctx.Done():
		ended = ctx.Err()
	}
	o.Killed = killTree(r.cmd, r.mark, r.out.id, r.errs.id)
	<-exited
	_ = r.cmd.Wait() // the exit code is read below
	o.Exit = exitCode(r.cmd.ProcessState)
	o.Stdout, o.StdoutDropped = r.out.finish()
	o.Stderr, o.StderrDropped = r.errs.finish()
	o.StdoutWhole.Data, o.StdoutWhole.All = r.out.kept.beginning()
	o.StderrWhole.Data, o.StderrWhole.All = r.errs.kept.beginning()
	o.Duration = time.Since(r.began)
	return o, ended
}

// pipe copies one output stream into a ring.
type pipe struct {
	read, write *os.File
	id          string // the kernel's name for the pipe; empty if it has none
	kept        *ring
	follow      func([]byte)
	ended       chan struct{}
}

func newPipe(limit, whole int) (*pipe, error) {
	read, write, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	return &pipe{
		read: read, write: write, id: pipeName(read), kept: newRing(limit, whole), ended: make(chan struct{}),
	}, nil
}

// abandon closes both ends of an unused pipe.
func (p *pipe) abandon() {
	_ = p.read.Close()
	_ = p.write.Close()
}

// Write stores b and passes it to the follower, which must not retain it.
func (p *pipe) Write(b []byte) (int, error) {
	if p.follow != nil {
		p.follow(b)
	}
	return p.kept.Write(b)
}

// listen closes the writing end, which the child now holds, and collects the output.
func (p *pipe) listen(follow func([]byte)) {
	p.follow = follow
	_ = p.write.Close()
	go func() {
		defer close(p.ended)
		_, _ = io.Copy(p, p.read) // a broken pipe is the end of the stream
	}()
}

// finish waits briefly for the end of the stream and returns what was kept.
func (p *pipe) finish() (string, int64) {
	_ = p.read.SetReadDeadline(time.Now().Add(drainWait)) // not supported everywhere
	select {
	case <-p.ended:
	case <-time.After(2 * drainWait):
	}
	_ = p.read.Close()
	return p.kept.text()
}

// ring keeps the head and the tail of a stream and counts the bytes dropped in between. It also keeps the stream
// from its beginning, up to a larger limit.
type ring struct {
	mu    sync.Mutex
	half  int
	head  []byte
	tail  []byte // circular once full
	next  int    // index of the oldest byte of a full tail
	total int64
	whole []byte // the stream, up to room bytes
	room  int
}

func newRing(limit, whole int) *ring { return &ring{half: max(limit/2, 1), room: whole} }

// Write never fails and accepts everything.
func (r *ring) Write(p []byte) (int, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	n := len(p)
	r.total += int64(n)
	r.whole = append(r.whole, p[:min(n, r.room-len(r.whole))]...)
	if room := r.half - len(r.head); room > 0 {
		take := min(room, len(p))
		r.head = append(r.head, p[:take]...)
		p = p[take:]
	}
	if over := len(p) - r.half; over > 0 {
		p = p[over:]
	}
	if room := r.half - len(r.tail); room > 0 {
		take := min(room, len(p))
		r.tail = append(r.tail, p[:take]...)
		p = p[take:]
	}
	for len(p) > 0 {
		n := copy(r.tail[r.next:], p)
		p = p[n:]
		r.next = (r.next + n) % r.half
	}
	return n, nil
}

// beginning returns the beginning of the stream, and reports whether that is all of it.
func (r *ring) beginning() (stream []byte, all bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.whole, int64(len(r.whole)) == r.total
}

// text returns what was kept as valid UTF-8, with a marker where bytes are missing, and their number.
func (r *ring) text() (string, int64) {
	r.mu.Lock()
	defer r.mu.Unlock()
	dropped := r.total - int64(len(r.head)+len(r.tail))
	tail := string(r.tail[r.next:]) + string(r.tail[:r.next])
	if dropped == 0 {
		return strings.ToValidUTF8(string(r.head)+tail, "\uFFFD"), 0
	}
	head := trimPartialEnd(string(r.head))
	for len(tail) > 0 && !utf8.RuneStart(tail[0]) {
		tail = tail[1:]
	}
	dropped = r.total - int64(len(head)+len(tail))
	marker := fmt.Sprintf("\n… %d bytes of output not shown …\n", dropped)
	return strings.ToValidUTF8(head, "\uFFFD") + marker + strings.ToValidUTF8(tail, "\uFFFD"), dropped
}

// trimPartialEnd drops an incomplete character at the end.
func trimPartialEnd(s string) string {
	for back := 1; back < utf8.UTFMax && back <= len(s); back++ {
		if first := s[len(s)-back]; utf8.RuneStart(first) {
			if !utf8.FullRuneInString(s[len(s)-back:]) {
				return s[:len(s)-back]
			}
			return s
		}
	}
	return s
}
