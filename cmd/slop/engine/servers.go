package engine

import (
	"context"

	"manualslop/hookgw/core"
	"manualslop/hookgw/wire"
	"manualslop/tools/mcp"
)

// openServers reads which external MCP servers the user trusts, and ends processes that a killed engine left behind.
func (e *Engine) openServers() (*mcp.Manager, error) {
	if n := mcp.KillOrphans(); n > 0 {
		e.Logger.Info("ending processes of external servers whose engine was killed", "count", n)
	}
	servers, err := e.ExternalServers(nil)
	if servers == nil {
		return nil, err
	}
	if err != nil {
		e.Logger.Warn("external servers have no effect", "error", err)
	}
	return servers, nil
}

// serverList returns the answer of GET /api/mcp.
func (e *Engine) serverList() (out wire.MCPServerList) {
	servers, err := e.servers()
	if err != nil {
		out.Notices = []string{err.Error()}
		return out
	}
	if _, err := servers.Tools(); err != nil { // reads what changed
		out.Notices = append(out.Notices, err.Error())
	}
	out.Notices = append(out.Notices, servers.Notices()...)
	for _, s := range servers.Servers() {
		d := s.Definition
		line := wire.MCPServer{Name: d.Name, Type: d.Type, Command: d.Command, URL: d.URL, File: d.File, Hash: s.Hash,
			Trusted: s.Trusted, Disabled: d.Disabled, State: string(mcp.Idle)}
		for _, p := range s.Pins {
			line.Tools = append(line.Tools, p.Name)
		}
		if server, running := servers.Running(d.Name); running {
			state, err := server.State()
			line.State = string(state)
			if err != nil {
				line.Error = err.Error()
			}
			for _, t := range server.Quarantined() {
				line.Quarantined = append(line.Quarantined, wire.MCPTool{Name: t.Name, State: t.State,
					Diff: string(e.Mask([]byte(t.Diff)))})
			}
		}
		out.Servers = append(out.Servers, line)
	}
	return out
}

// restartServer starts a trusted server again.
func (e *Engine) restartServer(ctx context.Context, name string) error {
	servers, err := e.servers()
	if err != nil {
		return err
	}
	if _, err := servers.Tools(); err != nil { // reads what changed
		return err
	}
	server, found := servers.Running(name)
	if !found {
		return core.ErrNoServer
	}
	return server.Restart(ctx)
}
