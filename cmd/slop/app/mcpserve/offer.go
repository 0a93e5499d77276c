package mcpserve

import (
	"encoding/json"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"manualslop/cmd/slop/exit"
	"manualslop/cmd/slop/site"
	"manualslop/tiers/llm/mcptools"
	"manualslop/tools"
	"manualslop/tools/builtin"
	external "manualslop/tools/mcp"
)

// offer is a tool as clients see it, and its name in the session.
type offer struct {
	shown *mcp.Tool
	tool  string
}

// offered is the set of tools that clients can call.
type offered struct {
	server     string // external server; empty: slop
	tools      []offer
	operations map[string]string // names in the session, by method
}

// capabilities are the capabilities that clients are told about.
func (o offered) capabilities() *mcp.ServerCapabilities {
	out := &mcp.ServerCapabilities{Tools: &mcp.ToolCapabilities{}}
	if o.server == "" {
		return out
	}
	//lint:ignore SA1019 current clients still show log messages
	out.Logging = &mcp.LoggingCapabilities{}
	if o.operations[external.ReadResource] != "" {
		out.Resources = &mcp.ResourceCapabilities{Subscribe: o.operations[external.Subscribe] != ""}
	}
	if o.operations[external.GetPrompt] != "" {
		out.Prompts = &mcp.PromptCapabilities{}
	}
	if o.operations[external.Complete] != "" {
		out.Completions = &mcp.CompletionCapabilities{}
	}
	return out
}

// offers returns the tools to offer: those of slop, or with the name of a trusted external server only that server's.
func offers(p site.Place, server string) (offered, error) {
	if server == "" {
		return native(), nil
	}
	out := offered{server: server, operations: map[string]string{}}
	servers, err := p.ExternalServers(nil)
	if servers == nil {
		return out, &exit.Error{Code: exit.Failed, Err: err}
	}
	found, ok := servers.Find(server)
	switch {
	case !ok:
		return out, exit.Errorf(exit.Usage, "server %q not found; list the servers with slop mcp list", server)
	case !found.Trusted || found.Definition.Disabled:
		return out, exit.Errorf(exit.Failed, "server %s is disabled or not trusted; run \"slop mcp trust %s\"", server, server)
	}
	for _, pin := range found.Offered() {
		if pin.Operation {
			out.operations[pin.Name] = external.ToolName(server, pin.Name)
			continue
		}
		schema, err := mcptools.Object(pin.Schema)
		if err != nil {
			return out, exit.Errorf(exit.Failed, "tool %.80q of server %s: %w", pin.Name, server, err)
		}
		out.tools = append(out.tools, offer{&mcp.Tool{Name: pin.Name, Description: pin.Description, InputSchema: schema,
			Annotations: annotations(tools.Executes)}, external.ToolName(server, pin.Name)})
	}
	return out, nil
}

func native() (out offered) {
	for _, t := range builtin.Tools().All() {
		spec := t.Spec()
		out.tools = append(out.tools, offer{&mcp.Tool{Name: spec.Name, Description: spec.Text(),
			InputSchema: json.RawMessage(t.Schema()), Annotations: annotations(spec.Effect)}, spec.Name})
	}
	return out
}

// annotations returns the hints that follow from what a tool may do.
func annotations(e tools.Effect) *mcp.ToolAnnotations {
	changes := e.Has(tools.Writes) || e.Has(tools.Executes)
	open := e.Has(tools.Network) || e.Has(tools.Executes)
	return &mcp.ToolAnnotations{ReadOnlyHint: !changes, DestructiveHint: &changes, OpenWorldHint: &open}
}
