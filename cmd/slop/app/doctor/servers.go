package doctor

import (
	"fmt"

	"manualslop/cmd/slop/site"
)

// checkServers reports which external MCP servers have no effect, and what to do about it.
func checkServers(p site.Place) []finding {
	const check = "mcp"
	servers, err := p.ExternalServers(nil)
	var out []finding
	if err != nil {
		out = append(out, broken(check, err.Error()))
	}
	if servers == nil {
		return out
	}
	for _, s := range servers.Servers() {
		name := s.Definition.Name
		if !s.Trusted {
			out = append(out, note(check, fmt.Sprintf("server %q has no effect: you have not trusted it. "+
				"Look at it with \"slop mcp list\", then run \"slop mcp trust %s\"", name, name)))
			continue
		}
		out = append(out, ok(check, fmt.Sprintf("server %q is trusted, with %d tools", name, len(s.Pins))))
	}
	for _, text := range servers.Notices() {
		out = append(out, note(check, text))
	}
	return out
}
