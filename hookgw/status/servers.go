package status

import (
	"encoding/json"
	"errors"
	"net/http"

	"manualslop/hookgw/access"
	"manualslop/hookgw/core"
	"manualslop/hookgw/problem"
	"manualslop/hookgw/request"
	"manualslop/hookgw/wire"
)

// ServerRoutes returns the routes that show external MCP servers and restart them.
func ServerRoutes(g *core.State) []request.Route {
	const group = "MCP"
	return []request.Route{
		{Method: http.MethodGet, Pattern: "/api/mcp", Right: access.RightRead, Group: group, Gives: wire.MCPServerList{},
			Doc: "Lists the external MCP servers: whether each is trusted, its state, its approved tools, and those " +
				"in quarantine. Servers of workers in other processes are idle here.",
			Handle: g.In(getServers)},
		{Method: http.MethodPost, Pattern: "/api/mcp/restart", Right: access.RightHuman, Group: group,
			Doc:   "Stops and starts a trusted external MCP server, even one that failed too often.",
			Takes: restartBody{}, Gives: request.StatusAnswer{}, Body: request.SmallBody, Handle: g.In(postRestart)},
	}
}

// restartBody is the body of POST /api/mcp/restart.
type restartBody struct {
	Name string `json:"name"`
}

func getServers(c *core.Call) error {
	list := c.Gw.Cfg.Servers()
	out := wire.MCPServerList{Servers: []wire.MCPServer{}, Notices: request.List(list.Notices)}
	for _, s := range list.Servers {
		s.Command, s.Tools = request.List(s.Command), request.List(s.Tools)
		if s.Quarantined == nil {
			s.Quarantined = []wire.MCPTool{}
		}
		out.Servers = append(out.Servers, s)
	}
	return c.Reply(http.StatusOK, out)
}

func postRestart(c *core.Call) error {
	var want restartBody
	if json.Unmarshal(c.Body, &want) != nil || want.Name == "" {
		return problem.New(http.StatusBadRequest, "name must be the name of a server", `Send {"name": "files"}.`)
	}
	err := c.Gw.Cfg.RestartServer(c.Request.Context(), want.Name)
	if errors.Is(err, core.ErrNoServer) {
		return problem.New(http.StatusNotFound, "no trusted and enabled server has this name",
			`GET /api/mcp lists the servers; "slop mcp trust" trusts one.`)
	}
	if err != nil {
		return problem.New(http.StatusBadGateway, err.Error(), `"slop mcp log" shows what the server said.`)
	}
	return c.Reply(http.StatusOK, request.StatusAnswer{Status: "ok"})
}
