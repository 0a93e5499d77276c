package hookgw

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

func getTelemetry(c *call) error {
	out, err := c.telemetry()
	if err != nil {
		return err
	}
	return c.Reply(http.StatusOK, out)
}

// telemetry gathers what is known now of the program and the request's session.
func (c *call) telemetry() (Telemetry, error) {
	session, err := c.Session()
	if err != nil {
		return Telemetry{}, err
	}
	return c.telemetryOf(session)
}

// telemetryOf gathers what is known now of the program and a session.
func (c *call) telemetryOf(session string) (Telemetry, error) {
	g := c.gw
	host := g.cfg.Host.Telemetry()
	out := Telemetry{At: g.cfg.Clock(), HostTelemetry: host.complete(), UptimeS: time.Since(g.begun).Seconds(), Requests: g.Requests()}
	out.Roles.Present, out.Roles.Missing = g.cfg.Roles()
	out.Roles.Present, out.Roles.Missing = request.List(out.Roles.Present), request.List(out.Roles.Missing)
	out.Gateway = GatewayFigures{
		URL: g.URL(), Connections: Use{g.conns.Open(), g.cfg.Limits.Conns}, Feeds: Use{g.feeds.inUse(), g.cfg.Limits.Feeds},
		FeedsPerClientMost: g.cfg.Limits.FeedsPerClient, BodyLimitBytes: g.cfg.Limits.Body,
	}
	if p := host.Process; p != nil {
		out.Threads = ThreadCounts{&p.Threads, &p.Goroutines}
	}
	err := c.readDepths(session, &out)
	return out, err
}

// readDepths fills in what the read models know.
func (c *call) readDepths(session string, out *Telemetry) error {
	g := c.gw
	out.Queues = QueueDepths{Session: session, AsksWaiting: Use{len(g.slots), g.cfg.Limits.Waiting}}
	out.Projections = ProjectionState{Sessions: len(g.cfg.Models.Sessions()), Session: session, Lag: g.cfg.Host.Performance().ProjectionLag}
	if b := out.Bus; b != nil {
		for i := range b.Pools {
			switch b.Pools[i].Name {
			case "tools":
				out.Queues.ToolsWaiting = &b.Pools[i].Waiting
			case "models":
				out.Queues.ModelsWaiting = &b.Pools[i].Waiting
			}
		}
	}
	if view, ok := g.cfg.Models.Session(session); ok {
		out.Projections.LastSeq = view.Summary().LastSeq
	}
	return c.Read(session, func(s *projections.Set) {
		out.Projections.Position = s.Seq()
		out.Queues.AsksOpen = s.Summary().PendingAsks
		out.Queues.ModelRequests, out.Queues.ToolCalls = s.Pending()
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
