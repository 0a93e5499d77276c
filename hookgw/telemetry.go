package hookgw

import (
	"net/http"
	"time"

	"manualslop/projections"
)

// telemetry is the body of GET /api/system/telemetry.
type telemetry struct {
	At time.Time `json:"at"`
	HostTelemetry
	UptimeS     float64         `json:"uptime_s"` // of this gateway
	Queues      queueDepths     `json:"queues"`
	Threads     threadCounts    `json:"threads"`
	Roles       rolesAnswer     `json:"roles"`
	Projections projectionState `json:"projections"`
	Gateway     gatewayFigures  `json:"gateway"`
	Requests    []requestCount  `json:"requests"` // since this gateway began
}

// queueDepths are what waits, of the session looked at and of the program.
type queueDepths struct {
	Session       string  `json:"session"` // empty: none
	AsksOpen      int     `json:"asks_open"`
	AsksWaiting   use     `json:"asks_waiting"` // requests to this gateway that wait for an answer
	ModelRequests int     `json:"model_requests_pending"`
	ToolCalls     int     `json:"tool_calls_pending"`
	ToolsWaiting  *uint64 `json:"tools_waiting"`  // for a worker; null while the bus does not say
	ModelsWaiting *uint64 `json:"models_waiting"` // for a model call
}

// threadCounts are those of this process; null where nobody measures.
type threadCounts struct {
	OS         *int `json:"os"`
	Goroutines *int `json:"goroutines"`
}

// rolesAnswer tells who is at work.
type rolesAnswer struct {
	Present []string `json:"present"`
	Missing []string `json:"missing"`
}

// projectionState tells how far the read models are.
type projectionState struct {
	Sessions int     `json:"sessions"`
	Session  string  `json:"session"`
	Position uint64  `json:"position"` // of the newest event in that session's models
	LastSeq  uint64  `json:"last_seq"` // of its newest event
	Lag      *uint64 `json:"lag"`      // of all sessions; null where it is not measured
}

// use is how much of a limit is taken.
type use struct {
	Open  int `json:"open"`
	Limit int `json:"limit"`
}

// gatewayFigures are what this gateway holds for its clients.
type gatewayFigures struct {
	URL                string `json:"url"`
	Connections        use    `json:"connections"`
	Feeds              use    `json:"feeds"`
	FeedsPerClientMost int    `json:"feeds_per_client_limit"`
	BodyLimitBytes     int64  `json:"body_limit_bytes"`
}

func getTelemetry(c *call) error {
	out, err := c.telemetry()
	if err != nil {
		return err
	}
	return c.reply(http.StatusOK, out)
}

// telemetry gathers what is known now of the program and the request's session.
func (c *call) telemetry() (telemetry, error) {
	session, err := c.session()
	if err != nil {
		return telemetry{}, err
	}
	return c.telemetryOf(session)
}

// telemetryOf gathers what is known now of the program and a session.
func (c *call) telemetryOf(session string) (telemetry, error) {
	g := c.gw
	host := g.cfg.Host.Telemetry()
	out := telemetry{At: g.cfg.Clock(), HostTelemetry: host.complete(), UptimeS: time.Since(g.begun).Seconds(), Requests: g.requests()}
	out.Roles.Present, out.Roles.Missing = g.cfg.Roles()
	out.Roles.Present, out.Roles.Missing = list(out.Roles.Present), list(out.Roles.Missing)
	out.Gateway = gatewayFigures{
		URL: g.URL(), Connections: use{g.conns.open(), g.cfg.Limits.Conns}, Feeds: use{g.feeds.inUse(), g.cfg.Limits.Feeds},
		FeedsPerClientMost: g.cfg.Limits.FeedsPerClient, BodyLimitBytes: g.cfg.Limits.Body,
	}
	if p := host.Process; p != nil {
		out.Threads = threadCounts{&p.Threads, &p.Goroutines}
	}
	err := c.readDepths(session, &out)
	return out, err
}

// readDepths fills in what the read models know.
func (c *call) readDepths(session string, out *telemetry) error {
	g := c.gw
	out.Queues = queueDepths{Session: session, AsksWaiting: use{len(g.slots), g.cfg.Limits.Waiting}}
	out.Projections = projectionState{Sessions: len(g.cfg.Models.Sessions()), Session: session, Lag: g.cfg.Host.Performance().ProjectionLag}
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
	return c.read(session, func(s *projections.Set) {
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
	t.FrontEnds = list(t.FrontEnds)
	return t
}
