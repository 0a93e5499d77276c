package mcpfixture

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/spf13/cobra"

	"manualslop/cmd/slop/exit"
	"manualslop/events"
	"manualslop/tiers/llm/mcptools"
)

// formatVersion is the version of recordings. A file with another version is refused.
const formatVersion = 1

// maxLine bounds a line of a recording in bytes: a message of a server has at most
// 8 MiB, and its JSON may be escaped otherwise.
const maxLine = 16 << 20

// header is the first line of a recording.
type header struct {
	Version int        `json:"mcp_record"`
	Server  string     `json:"server"`
	Tools   []toolLine `json:"tools"`
}

type toolLine struct {
	Name        string          `json:"name"`
	Description string          `json:"description"`
	InputSchema json.RawMessage `json:"inputSchema"`
}

// callLine is each further line: a call with its result or its error.
type callLine struct {
	Tool   string              `json:"tool"`
	Args   json.RawMessage     `json:"arguments"`
	Result *sdk.CallToolResult `json:"result,omitempty"`
	Error  *jsonrpc.Error      `json:"error,omitempty"`
}

// ReplayCommand is `slop mcp replay`.
func ReplayCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "replay FILE",
		Short: "Serve what slop mcp record wrote, without the server",
		Long: `Replay offers the recorded tools on standard input and output. The nth call of a
tool with the same arguments gets the answer of the nth such call in the recording; a
call that is not in the recording fails. It starts no other program.`,
		Example: `  slop mcp replay filesystem.jsonl`,
		Args:    cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			file, err := os.Open(args[0])
			if err != nil {
				return exit.Errorf(exit.Usage, "%w", err)
			}
			defer file.Close()
			head, t, err := load(file)
			if err != nil {
				return exit.Errorf(exit.Failed, "%s: %w", args[0], err)
			}
			return run(cmd.Context(), head, t.call)
		},
	}
}

// tape holds recorded answers by tool and canonical arguments, in their order.
type tape struct {
	mu      sync.Mutex
	answers map[string][]callLine
}

// load reads a recording. Errors name the line.
func load(from io.Reader) (header, *tape, error) {
	var head header
	t := &tape{answers: map[string][]callLine{}}
	lines := bufio.NewScanner(from)
	lines.Buffer(nil, maxLine)
	n := 0
	for lines.Scan() {
		n++
		if n == 1 {
			if err := headOf(lines.Bytes(), &head); err != nil {
				return head, nil, err
			}
			continue
		}
		var call callLine
		if err := json.Unmarshal(lines.Bytes(), &call); err != nil {
			return head, nil, fmt.Errorf("line %d: %w", n, err)
		}
		if (call.Result == nil) == (call.Error == nil) {
			return head, nil, fmt.Errorf("line %d: exactly one of result and error must be set", n)
		}
		key, err := keyOf(call.Tool, call.Args)
		if err != nil {
			return head, nil, fmt.Errorf("line %d: %w", n, err)
		}
		t.answers[key] = append(t.answers[key], call)
	}
	if err := lines.Err(); err != nil {
		return head, nil, fmt.Errorf("line %d: %w", n+1, err)
	}
	if n == 0 {
		return head, nil, fmt.Errorf("the file is empty; make it with slop mcp record")
	}
	return head, t, nil
}

func headOf(line []byte, head *header) error {
	if err := json.Unmarshal(line, head); err != nil {
		return fmt.Errorf("line 1: %w", err)
	}
	if head.Version != formatVersion {
		return fmt.Errorf("line 1: mcp_record must be %d, got %d", formatVersion, head.Version)
	}
	for _, t := range head.Tools {
		if _, err := mcptools.Object(t.InputSchema); err != nil {
			return fmt.Errorf("line 1: tool %.80q: %w", t.Name, err)
		}
		if t.Name == "" {
			return fmt.Errorf("line 1: a tool has no name")
		}
	}
	return nil
}

func keyOf(tool string, args json.RawMessage) (string, error) {
	canonical, err := events.Canonical(args)
	if err != nil {
		return "", fmt.Errorf("arguments: %w", err)
	}
	return tool + "\x00" + string(bytes.TrimSpace(canonical)), nil
}

func (t *tape) call(_ context.Context, tool string, args json.RawMessage) (*sdk.CallToolResult, error) {
	key, err := keyOf(tool, args)
	if err != nil {
		return nil, &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: err.Error()}
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(t.answers[key]) == 0 {
		return nil, &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams,
			Message: fmt.Sprintf("the recording has no further call of %s with these arguments; record it with slop "+
				"mcp record", tool)}
	}
	next := t.answers[key][0]
	t.answers[key] = t.answers[key][1:]
	if next.Error != nil {
		return nil, next.Error
	}
	return next.Result, nil
}
