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

// ExternalServers reads which MCP servers are configured for the project and which of them the person
// trusts. It starts none. [mcp] enabled = false has none. OpenURL shows a person the address at which to
// give a server access; nil where nobody is there. The error names what has no effect because it cannot
// be read; the others count.
func (p Place) ExternalServers(openURL func(ctx context.Context, server, url string) error) (*mcp.Manager, error) {
	if !p.Config.MCP.Enabled {
		return mcp.Open("", "", nil, mcp.Surroundings{})
	}
	user := config.UserDir(os.Getenv)
	secrets, err := p.Secrets()
	if err != nil {
		return nil, err
	}
	around := mcp.Surroundings{Mask: term.NewMask(secrets), OpenURL: openURL}
	if user != "" {
		around.Tokens = filepath.Join(user, "mcp_tokens")
	}
	if _, err := os.Stat(p.Data); err == nil { // else no engine has made it yet
		around.Logs = p.ServerLogs()
	}
	return mcp.Open(user, p.Project, p.Config.MCP.Read, around)
}

// ServerLogs is the folder for the error output of external servers.
func (p Place) ServerLogs() string { return filepath.Join(p.Data, "mcp") }

// OfferedTools are the engine's tools and those of the trusted MCP servers, as a session records them.
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
	return Offers(all), nil
}
