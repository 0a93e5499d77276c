package app

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"manualslop/tools"
)

func toolBatchCommand(g *globals) *cobra.Command {
	var yes bool
	cmd := &cobra.Command{
		Use:   "batch",
		Short: "Make calls from standard input, one a line",
		Long: `Batch reads JSON lines {"tool","args"} from standard input, makes the calls one
after the other, and writes one line {"ok","text","data","error"} for each, in
the order of the input: text is what a model reads, data its structured twin,
error a line that says why it failed, or null.

Every line gets its answer. Status 3: some calls needed a yes and were refused;
give --yes. Status 1: some line was no call. A call that failed is an answer and
does not change the status.`,
		Example: `  slop tool batch < calls.jsonl > answers.jsonl
  echo '{"tool": "read_file", "args": {"path": "go.mod"}}' | slop tool batch`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return g.batchTools(cmd.Context(), yes) },
	}
	cmd.Flags().BoolVar(&yes, "yes", false, "say yes to every call; rules that deny or ask stay")
	return cmd
}

func (g *globals) batchTools(ctx context.Context, yes bool) error {
	caller, err := g.newToolCaller(yes)
	if err != nil {
		return err
	}
	defer caller.close()
	lines := bufio.NewReaderSize(g.in, 64<<10)
	refused, broken := 0, 0
	for ctx.Err() == nil {
		line, err := readCallLine(lines)
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil && !errors.Is(err, errCallTooLong) {
			return failed(exitFailed, "read the calls: %w", err)
		}
		answer, ok, err := caller.callLine(ctx, line, err)
		if err != nil {
			return failed(exitFailed, "%w", err)
		}
		if !ok {
			broken++
		}
		if answer.waits {
			refused++
		}
		if err := g.printLine(answer); err != nil {
			return err
		}
	}
	switch {
	case ctx.Err() != nil:
		return failed(exitFailed, "stopped")
	case refused > 0:
		return failed(exitWaiting, "%d calls needed a yes and were refused; --yes gives it, but not where a rule asks", refused)
	case broken > 0:
		return failed(exitFailed, "%d lines were no calls", broken)
	}
	return nil
}

// callLine makes the call of one line; ok says that the line was one.
func (c *toolCaller) callLine(ctx context.Context, line []byte, tooLong error) (answer toolAnswer, ok bool, err error) {
	if tooLong != nil {
		return refusedAnswer(tooLong.Error()), false, nil
	}
	var call struct {
		Tool string          `json:"tool"`
		Args json.RawMessage `json:"args"`
	}
	dec := json.NewDecoder(bytes.NewReader(line))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&call); err != nil || call.Tool == "" || dec.More() {
		return refusedAnswer(`the line is no call; write {"tool": "…", "args": {…}}`), false, nil
	}
	answer, err = c.call(ctx, call.Tool, call.Args)
	return answer, true, err
}

// errCallTooLong says that a line of a batch is over the limit of arguments.
var errCallTooLong = fmt.Errorf("the line is over the limit of %d bytes", tools.MaxArguments)

// readCallLine reads the next line that is not blank. A line over the limit is
// passed over and reported as errCallTooLong.
func readCallLine(r *bufio.Reader) ([]byte, error) {
	for {
		var line []byte
		over := false
		var err error
		for more := true; more; {
			var part []byte
			part, err = r.ReadSlice('\n')
			more = errors.Is(err, bufio.ErrBufferFull)
			if over = over || len(line)+len(part) > tools.MaxArguments; !over {
				line = append(line, part...)
			}
		}
		switch {
		case over:
			return nil, errCallTooLong
		case len(bytes.TrimSpace(line)) > 0:
			return line, nil
		case err != nil:
			return nil, err
		}
	}
}
