// Package mcpfixture records the answers of an external MCP server, and serves them again without the server.
package mcpfixture

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/spf13/cobra"

	"manualslop/cmd/slop/exit"
	"manualslop/cmd/slop/site"
	"manualslop/cmd/slop/term"
	"manualslop/cmd/slop/version"
	"manualslop/tiers/llm/mcptools"
	"manualslop/tools/mcp"
)

// RecordCommand is `slop mcp record`.
func RecordCommand(g *site.Flags) *cobra.Command {
	var file string
	cmd := &cobra.Command{
		Use:   "record NAME",
		Short: "Offer a trusted server to an MCP client and record its answers",
		Long: `Record starts a trusted server and offers its approved tools on standard input and
output. Each call goes to the server without asking, and is written with its answer
as a line of the file; secrets are masked. It ends when the client closes standard
input. slop mcp replay serves the file without the server.`,
		Example: `  slop mcp record filesystem -o filesystem.jsonl`,
		Args:    cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if file == "" {
				return exit.Errorf(exit.Usage, "--output must name a file: standard output belongs to the client")
			}
			return record(cmd.Context(), g, args[0], file)
		},
	}
	cmd.Flags().StringVarP(&file, "output", "o", "", "write to the new `FILE`")
	return cmd
}

func record(ctx context.Context, g *site.Flags, name, file string) (err error) {
	p, err := g.Place()
	if err != nil {
		return err
	}
	servers, err := p.ExternalServers(nil)
	if servers == nil {
		return err // the others of a file that cannot be read whole are there
	}
	found, ok := servers.Find(name)
	switch {
	case !ok:
		return exit.Errorf(exit.Usage, "server %q not found; list the servers with slop mcp list", name)
	case !found.Trusted:
		return exit.Errorf(exit.Failed, "server %s is not trusted; run \"slop mcp trust %s\"", name, name)
	}
	secrets, err := p.Secrets()
	if err != nil {
		return err
	}
	server, err := mcp.NewServer(found, p.Project, mcp.Surroundings{})
	if err != nil {
		return exit.Errorf(exit.Failed, "%w", err)
	}
	defer func() { err = errors.Join(err, server.Stop()) }()
	now, err := server.ListTools(ctx)
	if err != nil {
		return exit.Errorf(exit.Failed, "start server %s: %w", name, err)
	}
	for _, c := range mcp.Compare(found.Pins, now) {
		if c.Operation {
			continue // only tools are recorded
		}
		if c.State != mcp.Unchanged {
			return exit.Errorf(exit.Failed, "tool %s of server %s is %s; run \"slop mcp trust %s\"", term.OneLine(c.Name), name,
				c.State, name)
		}
	}
	out, err := os.OpenFile(file, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return exit.Errorf(exit.Usage, "--output: %w", err)
	}
	defer func() { err = errors.Join(err, out.Close()) }()
	r := &recorder{server: server, out: out, mask: term.NewMask(secrets)}
	head := header{Version: formatVersion, Server: name}
	for _, pin := range found.Pins {
		if pin.Problem == "" && !pin.Operation {
			head.Tools = append(head.Tools, toolLine{pin.Name, pin.Description, pin.Schema})
		}
	}
	if err := r.write(head); err != nil {
		return exit.Errorf(exit.Failed, "%w", err)
	}
	return run(ctx, head, r.call)
}

// recorder passes calls on to a server and writes them down.
type recorder struct {
	server mcp.Server
	mask   func([]byte) []byte

	mu  sync.Mutex
	out *os.File
}

func (r *recorder) call(ctx context.Context, name string, raw json.RawMessage) (*sdk.CallToolResult, error) {
	args := map[string]any{}
	if err := json.Unmarshal(raw, &args); err != nil {
		return nil, fmt.Errorf("arguments: must be an object: %w", err)
	}
	result, err := r.server.CallTool(ctx, name, args, mcp.Hooks{})
	line := callLine{Tool: name, Args: raw, Result: result}
	if err != nil {
		line.Error = &jsonrpc.Error{Code: jsonrpc.CodeInternalError, Message: err.Error()}
		if rpc, ok := errors.AsType[*jsonrpc.Error](err); ok {
			line.Error = rpc
		}
	}
	if werr := r.write(line); werr != nil {
		return nil, werr // an answer that is not on record must not count
	}
	return result, err
}

func (r *recorder) write(line any) error {
	raw, err := json.Marshal(line)
	if err == nil {
		r.mu.Lock()
		defer r.mu.Unlock()
		_, err = r.out.Write(append(r.mask(raw), '\n'))
	}
	if err != nil {
		return fmt.Errorf("record: %w", err)
	}
	return nil
}

// run offers tools on standard input and output until the client closes it.
func run(ctx context.Context, head header,
	call func(context.Context, string, json.RawMessage) (*sdk.CallToolResult, error)) error {
	out := sdk.NewServer(&sdk.Implementation{Name: head.Server, Version: version.ReadInfo().Version},
		&sdk.ServerOptions{Capabilities: &sdk.ServerCapabilities{Tools: &sdk.ToolCapabilities{}}})
	for _, t := range head.Tools {
		err := mcptools.Add(out, sdk.Tool{Name: t.Name, Description: t.Description}, t.InputSchema,
			func(ctx context.Context, r *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
				args := r.Params.Arguments
				if len(args) == 0 || string(args) == "null" {
					args = json.RawMessage("{}")
				}
				return call(ctx, r.Params.Name, args)
			})
		if err != nil {
			return exit.Errorf(exit.Failed, "tool %.80q: %w", t.Name, err)
		}
	}
	if err := out.Run(ctx, &sdk.StdioTransport{}); err != nil && ctx.Err() == nil {
		return exit.Errorf(exit.Failed, "MCP on standard input: %w", err)
	}
	return nil
}
