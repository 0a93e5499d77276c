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

// maxShutdownReason limits the reason of a shutdown, in bytes.
const maxShutdownReason = 4 << 10

// shutdownRequest is the body of POST /api/shutdown.
type shutdownRequest struct {
	Reason string `json:"reason,omitempty"`
}

// postShutdown records the request, answers, and only then begins to stop. A log that rejects events does not prevent
// the stop.
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
		out.Hint = "The engine stops cleanly; slop serve or slop run --resume continues the session."
	case events.ShutdownGateway:
		out.Hint = "Only this gateway stops; the bus, the orchestrator and the workers keep running."
	default:
		return errHostless()
	}
	defer host.Shutdown()
	out.Recorded = recordShutdown(c, events.ShutdownRequested{
		Scope: out.Stops, PID: out.PID, Reason: string(c.Core.Masker([]byte(want.Reason))),
	})
	return c.Reply(http.StatusOK, out)
}

// recordShutdown records the shutdown in the current session, if there is one.
func recordShutdown(c *request.Call, word events.ShutdownRequested) bool {
	session := c.Core.Models.Current()
	if session == "" {
		return false
	}
	if _, err := c.PublishAsPerson(session, word); err != nil {
		c.Core.Logger.WarnContext(c.Request.Context(), "a shutdown could not be recorded", slog.Any("error", err))
		return c.Wrote
	}
	return true
}
