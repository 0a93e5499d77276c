package program

import (
	"net/http"
	"time"

	"manualslop/hookgw/request"
	"manualslop/projections"
)

// Telemetry is the body of GET /api/system/telemetry.
type Telemetry struct {
	At time.Time `json:"at"`
	HostTelemetry
	UptimeS     float64                `json:"uptime_s"` // of this gateway
	Queues      QueueDepths            `json:"queues"`
	Threads     ThreadCounts           `json:"threads"`
	Roles       RoleList               `json:"roles"`
	Projections ProjectionState        `json:"projections"`
	Gateway     GatewayFigures         `json:"gateway"`
	Requests    []request.RequestCount `json:"requests"` // since this gateway began
}

// QueueDepths are what waits, of the session looked at and of the program.
type QueueDepths struct {
	Session       string  `json:"session"` // empty: none
	AsksOpen      int     `json:"asks_open"`
	AsksWaiting   Use     `json:"asks_waiting"` // requests to this gateway that wait for an answer
	ModelRequests int     `json:"model_requests_pending"`
	ToolCalls     int     `json:"tool_calls_pending"`
	ToolsWaiting  *uint64 `json:"tools_waiting"`  // for a worker; null while the bus does not say
	ModelsWaiting *uint64 `json:"models_waiting"` // for a model call
}

// ThreadCounts are those of this process; null where nobody measures.
type ThreadCounts struct {
	OS         *int `json:"os"`
	Goroutines *int `json:"goroutines"`
}

// ProjectionState tells how far the read models are.
type ProjectionState struct {
	Sessions int     `json:"sessions"`
	Session  string  `json:"session"`
	Position uint64  `json:"position"` // of the newest event in that session's models
	LastSeq  uint64  `json:"last_seq"` // of its newest event
	Lag      *uint64 `json:"lag"`      // of all sessions; null where it is not measured
}

// Use is how much of a limit is taken.
type Use struct {
	Open  int `json:"open"`
	Limit int `json:"limit"`
}

// GatewayFigures are what this gateway holds for its clients.
type GatewayFigures struct {
	URL                string `json:"url"`
	Connections        Use    `json:"connections"`
	Feeds              Use    `json:"feeds"`
	FeedsPerClientMost int    `json:"feeds_per_client_limit"`
	BodyLimitBytes     int64  `json:"body_limit_bytes"`
}

func (p *Handlers) getTelemetry(c *request.Call) error {
	out, err := p.telemetry(c)
	if err != nil {
		return err
	}
	return c.Reply(http.StatusOK, out)
}

// telemetry gathers what is known now of the program and the request's session.
func (p *Handlers) telemetry(c *request.Call) (Telemetry, error) {
	session, err := c.Session()
	if err != nil {
		return Telemetry{}, err
	}
	return p.TelemetryOf(c, session)
}

// TelemetryOf gathers what is known now of the program and a session.
func (p *Handlers) TelemetryOf(c *request.Call, session string) (Telemetry, error) {
	limits, held, host := c.Core.Limits, p.held(), p.host.Telemetry()
	out := Telemetry{At: c.Core.Clock(), HostTelemetry: host.complete(), UptimeS: time.Since(p.begun).Seconds(), Requests: c.Core.Requests()}
	out.Roles.Present, out.Roles.Missing = p.roles()
	out.Roles.Present, out.Roles.Missing = request.List(out.Roles.Present), request.List(out.Roles.Missing)
	out.Gateway = GatewayFigures{
		URL: held.URL, Connections: Use{held.Connections, limits.Conns}, Feeds: Use{held.Feeds, limits.Feeds},
		FeedsPerClientMost: limits.FeedsPerClient, BodyLimitBytes: limits.Body,
	}
	if p := host.Process; p != nil {
		out.Threads = ThreadCounts{&p.Threads, &p.Goroutines}
	}
	out.Queues = QueueDepths{Session: session, AsksWaiting: Use{held.Waiting, limits.Waiting}}
	out.Projections = ProjectionState{Session: session, Lag: p.host.Performance().ProjectionLag}
	return out, out.readDepths(c)
}

// readDepths fills in what the bus and the read models know.
func (t *Telemetry) readDepths(c *request.Call) error {
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

// complete turns lists of nothing into empty ones.
func (t HostTelemetry) complete() HostTelemetry {
	if t.Processes == nil {
		t.Processes = []ProcessFigures{}
	}
	if t.Tasks == nil {
		t.Tasks = []Task{}
	}
	t.FrontEnds = request.List(t.FrontEnds)
	return t
}

// RoleList is the answer of GET /api/roles: the actors at work, and the roles that nobody runs.
type RoleList struct {
	Present []string `json:"present"`
	Missing []string `json:"missing"`
}
