package tool

import (
	"context"
	"errors"

	"github.com/spf13/cobra"

	"manualslop/cmd/slop/exit"
	"manualslop/cmd/slop/site"
	"manualslop/cmd/slop/term"
	"manualslop/tools/mcp"
)

// ServerCallCommand is "slop mcp call".
func ServerCallCommand(g *site.Flags) *cobra.Command {
	var o toolCallOptions
	cmd := &cobra.Command{
		Use:   "call NAME TOOL",
		Short: "Call one tool of a trusted server",
		Long: `Call starts a trusted server, calls one of its approved tools, prints what a model
would read, and stops the server. It needs no engine, and the call is not recorded.

Your rules apply as in a session. Without --yes a call that is asked about is
refused with status 3; --yes does not answer asks of configured rules. Status 1: the
call failed, or a rule denies it.`,
		Example: `  slop mcp call files read_text_file --yes --args '{"path": "/data/a.txt"}'`,
		Args:    cobra.ExactArgs(2),
		RunE: func(cmd *cobra.Command, words []string) error {
			return o.callServer(cmd.Context(), g, words[0], words[1])
		},
	}
	o.flags(cmd)
	return cmd
}

func (o *toolCallOptions) callServer(ctx context.Context, g *site.Flags, server, tool string) (err error) {
	p, err := g.Place()
	if err != nil {
		return err
	}
	servers, err := p.ExternalServers(nil)
	if servers == nil {
		return err // the others of a file that cannot be read whole are there
	}
	s, found := servers.Find(server)
	switch {
	case !p.Config.MCP.Enabled:
		return exit.Errorf(exit.Usage, "[mcp] enabled is false, so no server is used")
	case !found:
		return exit.Errorf(exit.Usage, "server %q not found; list the servers with slop mcp list", server)
	case !s.Trusted:
		return exit.Errorf(exit.Failed, "server %s is not trusted; run \"slop mcp trust %s\"", server, server)
	}
	registry, err := servers.Tools()
	if err != nil {
		return exit.Errorf(exit.Failed, "%w", err)
	}
	defer func() { err = errors.Join(err, servers.StopAll()) }()
	name := mcp.ToolName(server, tool)
	if _, offered := registry.Lookup(name); !offered {
		return exit.Errorf(exit.Usage, "tool %q of server %s is not offered; list its tools with slop mcp tools %s",
			term.OneLine(tool), server, server)
	}
	return o.call(ctx, g, registry, name)
}
