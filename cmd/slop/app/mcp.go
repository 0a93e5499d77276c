package app

import (
	"github.com/spf13/cobra"

	"manualslop/cmd/slop/app/mcpserve"
	"manualslop/cmd/slop/site"
)

func mcpCommand(g *site.Flags) *cobra.Command {
	cmd := &cobra.Command{Use: "mcp", Short: "Work with the Model Context Protocol",
		Long:    "Mcp connects slop with other programs over the Model Context Protocol; see docs/mcp.md.",
		Example: "  slop mcp serve"}
	cmd.AddCommand(mcpserve.Command(g))
	return cmd
}
