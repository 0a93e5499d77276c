package program

import (
	"encoding/json"
	"log/slog"
	"net/http"
	"os"

	"manualslop/events"
	"manualslop/hookgw/problem"
	"manualslop/hookgw/request"
	"manualslop/hookgw/wire"
)

// maxShutdownReason bounds the reason of a shutdown in bytes.
const maxShutdownReason = 4 << 10

// shutdownRequest is the body of POST /api/shutdown.
type shutdownRequest struct {
	Reason string `json:"reason,omitempty"`
}

// postShutdown puts the request on record, answers, and only then begins to
// stop. A log that takes nothing any more does not keep the program from ending.
func (p *Handlers) postShutdown(c *request.Call) error {
	var want shutdownRequest
	if json.Unmarshal(c.Body, &want) != nil {
		return problem.New(http.StatusBadRequest, "a member of the body has the wrong type",
			`Send {}, or {"reason": "done for today"}.`)
	}
	if len(want.Reason) > maxShutdownReason {
		return problem.New(http.StatusRequestEntityTooLarge, "the reason is too long", "Use at most 4096 bytes.")
	}
	host := p.host
	out := wire.ShutdownAnswer{Status: "ok", Stops: host.Scope(), PID: os.Getpid()}
	switch out.Stops {
	case events.ShutdownEngine:
		out.Hint = "The engine stops in order; slop serve or slop run --resume goes on with the session."
	case events.ShutdownGateway:
		out.Hint = "Only this gateway ends; the bus, the orchestrator and the workers go on."
	default:
		return errHostless()
	}
	defer host.Shutdown()
	out.Recorded = recordShutdown(c, events.ShutdownRequested{
		Scope: out.Stops, PID: out.PID, Reason: string(c.Core.Masker([]byte(want.Reason))),
	})
	return c.Reply(http.StatusOK, out)
}

// recordShutdown puts the person's word into the current session, if there is one.
func recordShutdown(c *request.Call, word events.ShutdownRequested) bool {
	session := c.Core.Models.Current()
	if session == "" {
		return false
	}
	if _, err := c.PublishAsPerson(session, word); err != nil {
		c.Core.Logger.WarnContext(c.Request.Context(), "a shutdown is not on record", slog.Any("error", err))
		return c.Wrote
	}
	return true
}
