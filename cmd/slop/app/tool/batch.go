package tool

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"
	"runtime"
	"runtime/debug"
	"time"

	"github.com/spf13/cobra"

	"manualslop/cmd/slop/exit"
	"manualslop/cmd/slop/site"
	"manualslop/cmd/slop/term"
	"manualslop/tools"
	"manualslop/tools/builtin"
	"manualslop/tools/inorder"
)

func toolBatchCommand(g *site.Flags) *cobra.Command {
	var yes bool
	cmd := &cobra.Command{
		Use:   "batch",
		Short: "Make calls from standard input, one per line",
		Long: `Batch reads JSON lines {"tool","args"} from standard input, makes the calls on all
cores, and writes one line {"ok","text","data","error"} for each, in the order of
the input: text is what a model reads, data the same as structured data, error a
line that says why it failed, or null.

Calls of tools that neither write nor execute run at the same time. A call that
writes or executes waits until all calls before it are done, and all calls after it
wait for it; so a read after a write sees the new content. An answer is written as
soon as it and those before it are ready. If the output is read slowly, or no input
comes, the calls wait: memory stays bounded.

Every line gets an answer. Status 3: some calls needed approval and were refused; pass
--yes. Status 1: a line was not a call. A failed call is an answer and does not
change the status.`,
		Example: `  slop tool batch < calls.jsonl > answers.jsonl
  echo '{"tool": "read_file", "args": {"path": "go.mod"}}' | slop tool batch`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return batchTools(cmd.Context(), g, yes) },
	}
	cmd.Flags().BoolVar(&yes, "yes", false, "approve every call; rules that deny or ask still apply")
	return cmd
}

// batchCall is one line of the input while it is processed.
type batchCall struct {
	callLine
	problem string // why the line is not a call; empty if it is one
	waits   []*barrier
	ends    *barrier
}

// batchAnswer is one line of the output.
type batchAnswer struct {
	line    []byte
	refused bool  // the call needed approval
	broken  bool  // the line was not a call
	err     error // the batch cannot continue
}

// batchGCPercent lets the heap grow to five times the live data, which is about 15 MB besides long answers. It takes
// a third of the processor time of many short calls.
const batchGCPercent = 400

func batchTools(ctx context.Context, g *site.Flags, yes bool) error {
	caller, err := newToolCaller(g, builtin.Tools(), yes)
	if err != nil {
		return err
	}
	defer caller.Close()
	if os.Getenv("GOGC") == "" { // calls leave much garbage and little that lives
		defer debug.SetGCPercent(debug.SetGCPercent(batchGCPercent))
	}
	workers := runtime.GOMAXPROCS(0)
	refused, broken := 0, 0
	shown := &counter{g: g, every: time.Second, shows: term.IsTerminal(g.Err) && !term.IsTerminal(g.Out) && !g.Quiet}
	var unread error
	calls := batchCalls(bufio.NewReaderSize(g.In, 64<<10), caller.registry, &unread)
	err = inorder.Do(ctx, workers, calls, caller.answerCall, func(a batchAnswer) error {
		if a.err != nil {
			return a.err
		}
		if a.broken {
			broken++
		}
		if a.refused {
			refused++
		}
		shown.count()
		_, err := g.Out.Write(a.line)
		return err
	})
	shown.clear()
	switch {
	case ctx.Err() != nil:
		return exit.Errorf(exit.Failed, "stopped after %d answers", shown.n)
	case err != nil:
		return exit.Errorf(exit.Failed, "%w", err)
	case unread != nil:
		return exit.Errorf(exit.Failed, "read the calls: %w", unread)
	case refused > 0:
		return exit.Errorf(exit.Waiting, "%d calls were refused because they need approval; --yes approves "+
			"calls, except those that a rule asks about",
			refused)
	case broken > 0:
		return exit.Errorf(exit.Failed, "%d lines were not valid calls", broken)
	}
	return nil
}

// batchCalls reads the calls and determines what each has to wait for. It sets failed if reading the input fails.
func batchCalls(in *bufio.Reader, registry *tools.Registry, failed *error) iter.Seq[batchCall] {
	return func(yield func(batchCall) bool) {
		var turns turns
		for {
			line, err := readCallLine(in)
			if err != nil && !errors.Is(err, errCallTooLong) {
				if !errors.Is(err, io.EOF) {
					*failed = err
				}
				return
			}
			c := readBatchCall(line, err)
			c.waits, c.ends = turns.next(!changesNothing(registry, c))
			if !yield(c) {
				return
			}
		}
	}
}

func readBatchCall(line []byte, tooLong error) batchCall {
	if tooLong != nil {
		return batchCall{problem: tooLong.Error()}
	}
	call, ok := parseCall(line)
	if !ok {
		return batchCall{problem: `the line must be a call such as {"tool": "…", "args": {…}}`}
	}
	return batchCall{callLine: call}
}

// changesNothing reports whether a call only reads. A line that is not a call counts as one that only reads.
func changesNothing(registry *tools.Registry, c batchCall) bool {
	tool, known := registry.Lookup(c.Tool)
	return !known || !tool.Spec().Effect.Has(tools.Writes) && !tool.Spec().Effect.Has(tools.Executes)
}

// answerCall makes the call of one line when its turn comes.
func (c *toolCaller) answerCall(ctx context.Context, call batchCall) (out batchAnswer) {
	defer call.ends.done()
	for _, b := range call.waits {
		if err := b.wait(ctx); err != nil {
			return batchAnswer{err: err}
		}
	}
	answer := refusedAnswer(call.problem)
	if call.problem == "" {
		var err error
		if answer, err = c.call(ctx, call.Tool, call.Args); err != nil {
			return batchAnswer{err: err}
		}
	}
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	err := enc.Encode(answer)
	return batchAnswer{line: b.Bytes(), refused: answer.waits, broken: call.problem != "", err: err}
}

// counter shows the number of answers on the terminal.
type counter struct {
	g     *site.Flags
	every time.Duration
	shows bool
	n     int
	last  time.Time
	there bool
}

func (c *counter) count() {
	c.n++
	now := time.Now()
	if c.last.IsZero() {
		c.last = now
	}
	if c.shows && now.Sub(c.last) >= c.every {
		c.last, c.there = now, true
		fmt.Fprintf(c.g.Err, "\r\x1b[K%d calls answered", c.n)
	}
}

func (c *counter) clear() {
	if c.there {
		fmt.Fprint(c.g.Err, "\r\x1b[K")
	}
}
