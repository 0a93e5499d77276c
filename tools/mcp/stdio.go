package mcp

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"regexp"
	"strconv"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// Limits of the stdio transport.
const (
	maxMessage   = 8 << 20  // size of one message in bytes; only the call of a longer answer fails
	maxStderr    = 64 << 10 // bytes kept from the end of standard error
	probeTimeout = 5 * time.Second
	grace        = 2 * time.Second // wait after closing stdin, and again after SIGTERM
	maxJunk      = 3               // lines that are not messages and are logged
)

// codeTooLarge is the error code for an answer larger than maxMessage.
const codeTooLarge = -32099

// process is a running stdio server. It is a transport of the SDK and also the transport's only connection.
type process struct {
	cmd    *exec.Cmd
	stdin  io.WriteCloser
	stderr *tail
	in     chan jsonrpc.Message
	done   chan struct{} // closed when the program has ended and its output was read
	closed chan struct{} // closed by Close
	stop   sync.Once
	log    io.Writer
	mark   string                     // value of markName in the environment of the program and its children
	junk   int                        // lines of output that were not messages
	take   func(jsonrpc.Message) bool // takes some messages in place of the SDK

	mu     sync.Mutex
	probe  jsonrpc.ID // id of the outstanding server/discover
	probes *time.Timer
	ended  error // how the program ended; readable after done
}

// startProcess starts a program in its own process group. It writes the program's error output to log, and closes
// log when the program has ended. take is called with each message, in order; what it returns true for goes no further.
func startProcess(argv, env []string, dir string, log io.WriteCloser,
	take func(jsonrpc.Message) bool) (_ *process, err error) {
	defer func() {
		if err != nil {
			err = errors.Join(err, log.Close())
		}
	}()
	p := &process{cmd: exec.Command(argv[0], argv[1:]...), stderr: &tail{}, in: make(chan jsonrpc.Message),
		done: make(chan struct{}), closed: make(chan struct{}), log: log, mark: newMark(), take: take}
	p.cmd.Env, p.cmd.Dir = append(env, markName+"="+p.mark), dir
	ownGroup(p.cmd)
	if p.stdin, err = p.cmd.StdinPipe(); err != nil {
		return nil, err
	}
	out, stdout, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	said, stderr, err := os.Pipe()
	if err != nil {
		return nil, errors.Join(err, out.Close(), stdout.Close())
	}
	p.cmd.Stdout, p.cmd.Stderr = stdout, stderr
	err = p.cmd.Start()
	_, _ = stdout.Close(), stderr.Close()
	if err != nil {
		return nil, errors.Join(err, out.Close(), said.Close())
	}
	var drained sync.WaitGroup
	drained.Go(func() { p.readAll(out); _ = out.Close() })
	drained.Go(func() { _, _ = io.Copy(io.MultiWriter(p.stderr, keepGoing{log}), said); _ = said.Close() })
	go func() {
		p.ended = p.cmd.Wait()
		kill(p.cmd) // otherwise grandchildren would keep the output open
		killMarked(func(mark string) bool { return mark == p.mark })
		drained.Wait()
		_ = log.Close()
		close(p.done)
	}()
	return p, nil
}

// Connect returns the process itself.
func (p *process) Connect(context.Context) (sdk.Connection, error) { return p, nil }

// SessionID returns "", because stdio has no sessions.
func (p *process) SessionID() string { return "" }

// Read returns the next message. It returns io.EOF after Close. When the program has ended, it returns an error
// with the exit status and the end of standard error.
func (p *process) Read(ctx context.Context) (jsonrpc.Message, error) {
	select {
	case m := <-p.in:
		return m, nil
	case <-p.done:
		return nil, p.exit()
	case <-p.closed:
		return nil, io.EOF
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// exit returns an error that says how the program ended.
func (p *process) exit() error {
	status := "exit status 0"
	if p.ended != nil {
		status = p.ended.Error()
	}
	if said := p.stderr.String(); said != "" {
		return fmt.Errorf("the server ended: %s; its last error output: %s", status, said)
	}
	return fmt.Errorf("the server ended: %s", status)
}

// Write sends one message as one line. If the server does not answer server/discover in time, the transport answers
// it with "method not found", so that the SDK continues with initialize.
func (p *process) Write(_ context.Context, m jsonrpc.Message) error {
	data, err := jsonrpc.EncodeMessage(m)
	if err != nil {
		return err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if req, ok := m.(*jsonrpc.Request); ok && req.Method == "server/discover" {
		p.probe = req.ID
		p.probes = time.AfterFunc(probeTimeout, func() { p.endProbe(req.ID) })
	}
	_, err = p.stdin.Write(append(data, '\n'))
	return err
}

// endProbe answers the probe if it has not been answered yet.
func (p *process) endProbe(id jsonrpc.ID) {
	p.mu.Lock()
	waits := p.probe == id
	p.probe = jsonrpc.ID{}
	p.mu.Unlock()
	if waits {
		p.deliver(&jsonrpc.Response{ID: id, Error: &jsonrpc.Error{Code: jsonrpc.CodeMethodNotFound,
			Message: "server/discover was not answered"}})
	}
}

// probed records an answer to the probe.
func (p *process) probed(m jsonrpc.Message) {
	answer, ok := m.(*jsonrpc.Response)
	if !ok {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.probe.IsValid() || answer.ID != p.probe {
		return
	}
	p.probes.Stop()
	p.probe = jsonrpc.ID{}
}

// probing reports whether the program has not yet answered server/discover.
func (p *process) probing() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.probe.IsValid()
}

func (p *process) deliver(m jsonrpc.Message) {
	select {
	case p.in <- m:
	case <-p.closed:
	}
}

// readAll reads messages up to the end of the output. Lines that are not messages are skipped.
func (p *process) readAll(from io.Reader) {
	r := bufio.NewReaderSize(from, 64<<10)
	for {
		line, whole, err := readLine(r)
		line = bytes.TrimSpace(bytes.TrimPrefix(line, []byte("\xef\xbb\xbf")))
		switch m, decoded := jsonrpc.DecodeMessage(line); {
		case !whole:
			if id, ok := idOf(line); ok {
				p.deliver(&jsonrpc.Response{ID: id, Error: &jsonrpc.Error{Code: codeTooLarge,
					Message: fmt.Sprintf("the answer is larger than %d bytes", maxMessage)}})
			}
		case decoded == nil:
			p.probed(m)
			if !p.take(m) {
				p.deliver(m)
			}
		case len(line) > 0:
			if p.junk++; p.junk <= maxJunk {
				_, _ = fmt.Fprintf(p.log, "not a message on standard output: %s\n", clean(string(line), 200))
			}
		}
		if err != nil {
			return
		}
	}
}

// edge is the number of bytes at the beginning and the end of an oversized line that are searched for its id.
const edge = 512

// readLine reads a line of at most maxMessage bytes. For a longer line it returns both edges.
func readLine(r *bufio.Reader) (line []byte, whole bool, err error) {
	var last []byte
	whole = true
	for {
		piece, err := r.ReadSlice('\n')
		if whole && len(line)+len(piece) <= maxMessage {
			line = append(line, piece...)
		} else {
			if whole {
				whole, last = false, bytes.Clone(line[max(0, len(line)-edge):])
				line = line[:min(len(line), edge)]
			}
			last = append(last, piece...)
			last = bytes.Clone(last[max(0, len(last)-edge):])
		}
		if !errors.Is(err, bufio.ErrBufferFull) {
			return append(line, last...), whole, err
		}
	}
}

var (
	idFirst = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^\s*\{\s*(?:"jsonrpc"\s*:\s*"2\.0"\s*,\s*)?"id"\s*:\s*(\d+)`)
	})
	idLast = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`"id"\s*:\s*(\d+)\s*(?:,\s*"jsonrpc"\s*:\s*"2\.0"\s*)?\}\s*$`)
	})
)

// idOf finds the id at either edge of an oversized answer.
func idOf(edges []byte) (jsonrpc.ID, bool) {
	m := idFirst().FindSubmatch(edges)
	if m == nil {
		m = idLast().FindSubmatch(edges)
	}
	if m == nil {
		return jsonrpc.ID{}, false
	}
	n, err := strconv.ParseInt(string(m[1]), 10, 64)
	if err != nil {
		return jsonrpc.ID{}, false
	}
	id, err := jsonrpc.MakeID(float64(n))
	return id, err == nil
}

// Close closes standard input, and ends the process group with SIGTERM and then SIGKILL, after a grace period
// each. It returns when the program and the processes in its group have ended.
func (p *process) Close() error {
	p.stop.Do(func() {
		close(p.closed)
		_ = p.stdin.Close()
		for _, end := range []func(*exec.Cmd){terminate, kill} {
			select {
			case <-p.done:
				return
			case <-time.After(grace):
				end(p.cmd)
			}
		}
	})
	<-p.done
	return nil
}

// keepGoing ignores write errors, because a full disk must not stop a server.
type keepGoing struct{ io.Writer }

func (k keepGoing) Write(data []byte) (int, error) {
	_, _ = k.Writer.Write(data)
	return len(data), nil
}

// tail keeps the last maxStderr bytes written.
type tail struct {
	mu   sync.Mutex
	kept []byte
}

func (t *tail) Write(data []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.kept = append(t.kept, data...)
	if over := len(t.kept) - maxStderr; over > 0 {
		t.kept = append(t.kept[:0], t.kept[over:]...)
	}
	return len(data), nil
}

func (t *tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return string(bytes.TrimSpace(t.kept))
}
