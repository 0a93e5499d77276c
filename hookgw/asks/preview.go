package asks

import (
	"encoding/json"
	"net/http"

	"manualslop/events"
	"manualslop/hookgw/core"
	"manualslop/hookgw/problem"
	"manualslop/hookgw/request"
	"manualslop/hookgw/wire"
	"manualslop/projections"
)

// previewBody is the body of POST /api/ask/preview: arguments instead of those of an ask.
type previewBody struct {
	RequestID string          `json:"request_id"`
	Args      json.RawMessage `json:"args"`
}

// postPreview shows what the call of an open ask would change with other arguments. It records nothing and changes
// nothing.
func postPreview(c *core.Call) error {
	session, err := c.SomeSession()
	if err != nil {
		return err
	}
	if c.Gw.Cfg.PreviewCall == nil {
		return problem.New(http.StatusServiceUnavailable, "this gateway cannot read the project's files",
			"POST /api/ask/respond says what is wrong with the arguments.")
	}
	id, err := RequestID(c.Fields["request_id"])
	if err != nil {
		return err
	}
	_, object := request.Object(c.Fields["args"])
	if _, err := events.Canonical(c.Fields["args"]); err != nil || !object {
		return problem.New(http.StatusBadRequest, "args: must be an object without repeated names",
			`Send {"request_id": "…", "args": {…}}.`).WithCause(err)
	}
	ask, err := known(c, session, id)
	switch {
	case err != nil:
		return err
	case ask.Gate != events.GateTool:
		return problem.New(http.StatusConflict, "this ask belongs to gate "+ask.Gate+", not "+events.GateTool,
			"Only tool calls have a preview.")
	}
	call := events.PreviewRequested{Call: ask.Call, Tool: ask.Tool, Args: c.Fields["args"], Ticket: ask.Ticket}
	err = c.Read(session, func(s *projections.Set) {
		known, _ := s.ToolCall(ask.Call)
		call.Workspace = known.Workspace
	})
	if err != nil {
		return err
	}
	out := wire.AskPreview{RequestID: id}
	var fails error
	if out.Diff, fails = c.Gw.Cfg.PreviewCall(c.Request.Context(), session, call); fails != nil {
		if err := c.Request.Context().Err(); err != nil {
			return err
		}
		out.Error = fails.Error()
	}
	return c.Reply(http.StatusOK, out)
}
