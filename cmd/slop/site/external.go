package site

import (
	"context"
	"os"
	"path/filepath"

	"manualslop/cmd/slop/config"
	"manualslop/cmd/slop/term"
	"manualslop/events"
	"manualslop/tools"
	"manualslop/tools/builtin"
	"manualslop/tools/mcp"
)

// ExternalServers reads which MCP servers are configured for the project and which of them the user trusts. It starts
// none. With [mcp] enabled = false it returns none. openURL shows a user the address at which to grant a server
// access; it is nil if no user is present. The error names files that cannot be read and therefore have no effect;
// the other files take effect.
func (p Place) ExternalServers(openURL func(ctx context.Context, server, url string) error) (*mcp.Manager, error) {
	if !p.Config.MCP.Enabled {
		return mcp.Open("", "", nil, mcp.Surroundings{})
	}
	user := config.UserDir(os.Getenv)
	secrets, err := p.Secrets()
	if err != nil {
		return nil, err
	}
	around := mcp.Surroundings{Mask: term.NewMask(secrets), OpenURL: openURL, Gone: p.MCPGone}
	if user != "" {
		around.Tokens = filepath.Join(user, "mcp_tokens")
	}
	if _, err := os.Stat(p.Data); err == nil { // otherwise no engine has created it yet
		around.Logs = p.ServerLogs()
	}
	return mcp.Open(user, p.Project, p.Config.MCP.Read, around)
}

// ServerLogs returns the folder for the error output of external servers.
func (p Place) ServerLogs() string { return filepath.Join(p.Data, "mcp") }

// OfferedTools returns the engine's tools and those of the trusted MCP servers, as a session records them.
func (p Place) OfferedTools() (events.ToolsOffered, error) {
	servers, err := p.ExternalServers(nil)
	if servers == nil {
		return events.ToolsOffered{}, err
	}
	external, err := servers.Tools()
	if err != nil {
		return events.ToolsOffered{}, err
	}
	all, err := tools.NewRegistry(append(builtin.Tools().All(), external.All()...)...)
	if err != nil {
		return events.ToolsOffered{}, err
	}
	return Offers(all, servers.Offering()...), nil
}
