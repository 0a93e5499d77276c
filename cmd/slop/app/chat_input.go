package app

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"

	xterm "golang.org/x/term"

	"manualslop/cmd/slop/site"
	"manualslop/cmd/slop/term"
)

// interrupts delivers the user's Ctrl-C, which stops a turn but not the program. A second one before the first is
// handled, or SIGTERM, ends the program.
type interrupts struct {
	ctx  context.Context
	stop chan struct{}
	end  func()
}

// newInterrupts replaces the signals that end ctx.
func newInterrupts(ctx context.Context) interrupts {
	own, cancel := context.WithCancel(context.WithoutCancel(ctx))
	signals := make(chan os.Signal, 4)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	stop := make(chan struct{}, 1)
	done := make(chan struct{})
	go func() {
		for {
			select {
			case <-done:
				return
			case s := <-signals:
				select {
				case stop <- struct{}{}:
					if s == os.Interrupt {
						continue
					}
				default:
				}
				cancel()
			}
		}
	}()
	return interrupts{own, stop, func() { signal.Stop(signals); close(done); cancel() }}
}

// errInterrupted means that a user typed Ctrl-C instead of ending the line. The unfinished line is returned with it.
var errInterrupted = errors.New("interrupted")

// keys passes on typed bytes. It turns Ctrl-C into the end of a line, because the editor would otherwise end its input.
type keys struct {
	io.Reader
	interrupted atomic.Bool
}

// Read reads the next typed bytes.
func (k *keys) Read(b []byte) (int, error) {
	const ctrlC = 3
	n, err := k.Reader.Read(b)
	for i := range b[:n] {
		if b[i] == ctrlC {
			b[i] = '\r'
			k.interrupted.Store(true)
		}
	}
	return n, err
}

// chatInput reads lines: on a terminal with editing, a history and completion.
type chatInput struct {
	g      *site.Flags
	plain  *bufio.Reader
	editor *xterm.Terminal // nil without a terminal
	file   *os.File
	typed  *keys
	raw    atomic.Pointer[xterm.State] // how the terminal was before it was read; nil: nobody reads

	mu    sync.Mutex
	above string // stands above the prompt of the next line
	next  string // that prompt
	asked bool   // that line answers a question: nothing typed before counts
}

// Write prints output above the line that is being typed.
func (in *chatInput) Write(b []byte) (int, error) {
	if in.raw.Load() != nil {
		return in.editor.Write(b)
	}
	return in.g.Err.Write(b)
}

// Under returns the underlying writer.
func (in *chatInput) Under() any { return in.g.Err }

// close restores the state of the terminal.
func (in *chatInput) close() {
	if in.editor != nil {
		in.editor.SetBracketedPasteMode(false)
		in.restore()
	}
}

func (in *chatInput) restore() {
	if before := in.raw.Swap(nil); before != nil {
		_ = xterm.Restore(int(in.file.Fd()), before)
	}
}

// newChatInput returns the input; on a terminal, complete completes words.
func newChatInput(g *site.Flags, complete func(line string) string) *chatInput {
	in := &chatInput{g: g, plain: bufio.NewReader(g.In)}
	file, is := g.In.(*os.File)
	if !is || !term.IsTerminal(g.In) || !term.IsTerminal(g.Err) {
		return in
	}
	in.file, in.typed = file, &keys{Reader: g.In}
	in.editor = xterm.NewTerminal(struct {
		io.Reader
		io.Writer
	}{in.typed, g.Err}, "")
	go in.follow(resizes())
	in.editor.SetBracketedPasteMode(true)
	in.editor.AutoCompleteCallback = func(line string, pos int, key rune) (string, int, bool) {
		if key != '\t' || pos != len(line) {
			return "", 0, false
		}
		whole := complete(line)
		return whole, len(whole), true
	}
	return in
}

// prompt sets the prompt, which names the discussion that the next line belongs to.
func (in *chatInput) prompt(discussion string) { in.set(term.Visible(discussion)+"> ", false) }

// ask sets the prompt for a question. If a line is being typed already, it returns what the caller must print above
// the prompt.
func (in *chatInput) ask(prompt string) (above string) { return in.set(prompt, true) }

func (in *chatInput) set(prompt string, asked bool) (above string) {
	in.mu.Lock()
	defer in.mu.Unlock()
	in.above, in.next = term.SplitPrompt(in.g.Err, prompt)
	in.asked = asked
	if in.raw.Load() == nil {
		return ""
	}
	in.editor.SetPrompt(in.next)
	above, in.above = in.above, ""
	return above
}

// begin records that a line is being read, and sets the current prompt.
func (in *chatInput) begin(before *xterm.State) {
	in.mu.Lock()
	defer in.mu.Unlock()
	in.raw.Store(before)
	if in.asked {
		term.FlushTyped(in.g.In)
	}
	in.editor.SetPrompt("")
	_, _ = in.editor.Write([]byte(in.above))
	in.above = ""
	in.editor.SetPrompt(in.next)
}

// fit sets the size of the terminal in the editor.
func (in *chatInput) fit() error {
	width, height, err := xterm.GetSize(int(in.file.Fd()))
	if err != nil || width <= 0 {
		return nil // it stays as it was
	}
	return in.editor.SetSize(width, height)
}

// follow redraws the line that is being typed when the size of the terminal changes.
func (in *chatInput) follow(resized <-chan os.Signal) {
	for range resized {
		if in.raw.Load() != nil {
			_ = in.fit() // the next line tries again
		}
	}
}

// read reads a line, or what was pasted together with the line after it. On a
// terminal it is edited only while it is read, so that Ctrl-C is a signal at all
// other times.
func (in *chatInput) read() (string, error) {
	if in.editor == nil {
		return in.plain.ReadString('\n')
	}
	if err := in.fit(); err != nil {
		return "", err
	}
	before, err := xterm.MakeRaw(int(in.file.Fd()))
	if err != nil {
		return "", fmt.Errorf("read from the terminal: %w", err)
	}
	defer in.restore()
	in.begin(before)
	var lines []string
	for {
		line, err := in.editor.ReadLine()
		lines = append(lines, line)
		if errors.Is(err, xterm.ErrPasteIndicator) {
			in.editor.SetPrompt("")
			continue
		}
		if err == nil && in.typed.interrupted.Swap(false) {
			err = errInterrupted
		}
		return strings.Join(lines, "\n"), err
	}
}
