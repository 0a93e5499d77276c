package site

import (
	"os"

	"manualslop/cmd/slop/config"
	"manualslop/events"
	"manualslop/tools"
	"manualslop/tools/builtin"
	"manualslop/tools/mcp"
)

// ExternalServers reads which MCP servers are configured for the project and which of them the person
// trusts. It starts none. The error names what has no effect because it cannot be read; the others count.
func (p Place) ExternalServers() (*mcp.Manager, error) {
	return mcp.Open(config.UserDir(os.Getenv), p.Project)
}

// ExternalTools are the tools of the trusted MCP servers, and who stops the servers that their calls
// start. [mcp] enabled = false gives none. What cannot be read gives none either; slop doctor and
// slop mcp list tell.
func (p Place) ExternalTools() ([]tools.Tool, *mcp.Manager, error) {
	if !p.Config.MCP.Enabled {
		return nil, &mcp.Manager{}, nil
	}
	servers, _ := p.ExternalServers()
	external, err := servers.AllTools()
	return external, servers, err
}

// OfferedTools are the engine's tools and those of the trusted MCP servers, as a session records them.
func (p Place) OfferedTools() (events.ToolsOffered, error) {
	external, _, err := p.ExternalTools()
	if err != nil {
		return events.ToolsOffered{}, err
	}
	all, err := tools.NewRegistry(append(builtin.Tools().All(), external...)...)
	if err != nil {
		return events.ToolsOffered{}, err
	}
	return Offers(all), nil
}
