package approval

import (
	"encoding/json"

	"manualslop/events"
)

// patchSchema is the schema of the arguments of the engine's patch tool.
const patchSchema = `{"type":"object","properties":{"patch":{"type":"string"}},"required":["patch"],"additionalProperties":false}`

// proposed handles tier 4's patch like any other call that changes files, under the current rules.
// Since it may name any file, no rule allows it, not even --yes: a user must see its changes.
func (s *State) proposed(e *events.Event, p events.PatchProposed) {
	args, err := json.Marshal(struct {
		Patch string `json:"patch"`
	}{p.Patch})
	if err != nil {
		panic("approval: " + err.Error()) // a string cannot fail
	}
	c := &call{tool: newTool(events.ToolOffer{Name: events.PatchTool, Effect: effectWrites + "|" + effectWide,
		Schema: json.RawMessage(patchSchema)}),
		args: args, request: events.ToolRequested{Call: events.PatchCall(e.ID), Tool: events.PatchTool, Args: args,
			Workspace: p.Workspace}}
	s.calls[c.request.Call] = c
	s.judgeNew(e, c)
}
