package mcpserve

import (
	"encoding/json"
	"fmt"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"manualslop/cmd/slop/exit"
	"manualslop/cmd/slop/site"
	"manualslop/tools"
	"manualslop/tools/builtin"
	external "manualslop/tools/mcp"
)

// offer is a tool as clients see it, and its name in the session.
type offer struct {
	shown *mcp.Tool
	tool  string
}

// offers returns the tools to offer: those of slop, or with the name of a trusted external server only its own.
func offers(p site.Place, server string) ([]offer, error) {
	if server == "" {
		return native(), nil
	}
	servers, err := p.ExternalServers(nil)
	if servers == nil {
		return nil, &exit.Error{Code: exit.Failed, Err: err}
	}
	found, ok := servers.Find(server)
	switch {
	case !ok:
		return nil, exit.Errorf(exit.Usage, "server %q not found; list the servers with slop mcp list", server)
	case !found.Trusted || found.Definition.Disabled:
		return nil, exit.Errorf(exit.Failed, "server %s is disabled or not trusted; run \"slop mcp trust %s\"", server, server)
	}
	var out []offer
	for _, pin := range found.Offered() {
		schema, err := objectSchema(pin.Schema)
		if err != nil {
			return nil, exit.Errorf(exit.Failed, "tool %.80q of server %s: %w", pin.Name, server, err)
		}
		out = append(out, offer{&mcp.Tool{Name: pin.Name, Description: pin.Description, InputSchema: schema,
			Annotations: annotations(tools.Executes)}, external.ToolName(server, pin.Name)})
	}
	return out, nil
}

func native() []offer {
	var out []offer
	for _, t := range builtin.Tools().All() {
		spec := t.Spec()
		out = append(out, offer{&mcp.Tool{Name: spec.Name, Description: spec.Text(),
			InputSchema: json.RawMessage(t.Schema()), Annotations: annotations(spec.Effect)}, spec.Name})
	}
	return out
}

// objectSchema adds the type to a schema that has none, because clients need it.
func objectSchema(raw json.RawMessage) (json.RawMessage, error) {
	var schema map[string]json.RawMessage
	if err := json.Unmarshal(raw, &schema); err != nil {
		return nil, fmt.Errorf("schema: %w", err)
	}
	switch string(schema["type"]) {
	case `"object"`:
		return raw, nil
	case "":
		schema["type"] = json.RawMessage(`"object"`)
		return json.Marshal(schema)
	}
	return nil, fmt.Errorf("schema: type must be \"object\", got %.80s", schema["type"])
}

// annotations are the hints that follow from what a tool may do.
func annotations(e tools.Effect) *mcp.ToolAnnotations {
	changes := e.Has(tools.Writes) || e.Has(tools.Executes)
	open := e.Has(tools.Network) || e.Has(tools.Executes)
	return &mcp.ToolAnnotations{ReadOnlyHint: !changes, DestructiveHint: &changes, OpenWorldHint: &open}
}
