package doctor

import (
	"fmt"

	"manualslop/cmd/slop/site"
)

// checkServers tells which external MCP servers have no effect, and what to do about it.
func checkServers(p site.Place) []finding {
	const check = "mcp"
	servers, err := p.ExternalServers()
	var out []finding
	if err != nil {
		out = append(out, broken(check, err.Error()))
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
	for _, name := range servers.Hidden() {
		out = append(out, note(check, fmt.Sprintf("the project's server %q has no effect: your own has that name", name)))
	}
	return out
}
