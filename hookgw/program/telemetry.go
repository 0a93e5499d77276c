package program

import (
	"net/http"
	"time"

	"manualslop/hookgw/request"
	"manualslop/hookgw/wire"
	"manualslop/projections"
)

func (p *Handlers) getTelemetry(c *request.Call) error {
	out, err := p.telemetry(c)
	if err != nil {
		return err
	}
	return c.Reply(http.StatusOK, out)
}

// telemetry collects what is known about the program and the request's session.
func (p *Handlers) telemetry(c *request.Call) (wire.Telemetry, error) {
	session, err := c.Session()
	if err != nil {
		return wire.Telemetry{}, err
	}
	return p.TelemetryOf(c, session)
}

// TelemetryOf collects what is known about the program and a session.
func (p *Handlers) TelemetryOf(c *request.Call, session string) (wire.Telemetry, error) {
	limits, held, host := c.Core.Limits, p.held(), p.host.Telemetry()
	out := wire.Telemetry{At: c.Core.Clock(), HostTelemetry: complete(host), UptimeS: time.Since(p.begun).Seconds(),
		Requests: c.Core.Requests()}
	out.Roles.Present, out.Roles.Missing = p.roles()
	out.Roles.Present, out.Roles.Missing = request.List(out.Roles.Present), request.List(out.Roles.Missing)
	out.Gateway = wire.GatewayFigures{
		URL: held.URL, Connections: wire.Use{Open: held.Connections, Limit: limits.Conns}, Feeds: wire.Use{Open: held.Feeds,
			Limit: limits.Feeds},
		FeedsPerClientMost: limits.FeedsPerClient, BodyLimitBytes: limits.Body,
	}
	if p := host.Process; p != nil {
		out.Threads = wire.ThreadCounts{OS: &p.Threads, Goroutines: &p.Goroutines}
	}
	out.Queues = wire.QueueDepths{Session: session, AsksWaiting: wire.Use{Open: held.Waiting, Limit: limits.Waiting}}
	out.Projections = wire.ProjectionState{Session: session, Lag: p.host.Performance().ProjectionLag}
	return out, readDepths(&out, c)
}

// readDepths adds the figures that the bus and the read models know.
func readDepths(t *wire.Telemetry, c *request.Call) error {
	if b := t.Bus; b != nil {
		for i := range b.Pools {
			switch b.Pools[i].Name {
			case "tools":
				t.Queues.ToolsWaiting = &b.Pools[i].Waiting
			case "models":
				t.Queues.ModelsWaiting = &b.Pools[i].Waiting
			}
		}
	}
	models := c.Core.Models
	t.Projections.Sessions = len(models.Sessions())
	if view, ok := models.Session(t.Projections.Session); ok {
		t.Projections.LastSeq = view.Summary().LastSeq
	}
	return c.Read(t.Projections.Session, func(s *projections.Set) {
		t.Projections.Position = s.Seq()
		t.Queues.AsksOpen = s.Summary().PendingAsks
		t.Queues.ModelRequests, t.Queues.ToolCalls = s.Pending()
	})
}

// complete replaces nil lists with empty ones.
func complete(t wire.HostTelemetry) wire.HostTelemetry {
	if t.Processes == nil {
		t.Processes = []wire.ProcessFigures{}
	}
	if t.Tasks == nil {
		t.Tasks = []wire.Task{}
	}
	t.FrontEnds = request.List(t.FrontEnds)
	return t
}
