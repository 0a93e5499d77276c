package events

import "encoding/json"

// HookCalled records a request to the gateway that changed something, asked
// something or was refused. Plain reads are counted in metrics only.
type HookCalled struct {
	Method string          `json:"method"`
	Path   string          `json:"path"`
	Body   json.RawMessage `json:"body,omitempty"` // masked; cut where large
	Status int             `json:"status"`
	Client string          `json:"client,omitempty"`
	Reason string          `json:"reason,omitempty"` // of a refusal
}

// EventType is the identity on the wire.
func (HookCalled) EventType() Type { return Type{"HookCalled", 1} }

// EventPushed is an entry of the queue that GET /api/events drains.
type EventPushed struct {
	Kind    string          `json:"kind"`
	Payload json.RawMessage `json:"payload,omitempty"`
}

// EventType is the identity on the wire.
func (EventPushed) EventType() Type { return Type{"EventPushed", 1} }

// EventsDrained says that a client has taken the queue up to a sequence.
type EventsDrained struct {
	Client  string `json:"client"` // empty: the shared queue
	Through uint64 `json:"through"`
}

// EventType is the identity on the wire.
func (EventsDrained) EventType() Type { return Type{"EventsDrained", 1} }

// Scopes of [ShutdownRequested].
const (
	// ShutdownEngine ends a process that runs the whole engine.
	ShutdownEngine = "engine"
	// ShutdownGateway ends a gateway that runs alone; everything else goes on.
	ShutdownGateway = "gateway"
)

// ShutdownRequested says that a person had a process stopped. It changes no
// decision: the session goes on when an engine does.
type ShutdownRequested struct {
	// Scope says what ends: engine or gateway.
	Scope string `json:"scope"`
	// PID is the process that ends.
	PID int `json:"pid"`
	// Reason is what the person said about it.
	Reason string `json:"reason,omitempty"`
}

// EventType is the identity on the wire.
func (ShutdownRequested) EventType() Type { return Type{"ShutdownRequested", 1} }

func hookDefs() []Def {
	return []Def{
		Define(Notice, "gateway", "A request to the gateway that changed, asked or was refused.", HookCalled{Method: "POST",
			Path: "/api/ask", Body: json.RawMessage(`{}`), Status: 200}),
		Define(Command, "gateway, person", "An entry of the queue that GET /api/events drains.", EventPushed{"ask_received",
			json.RawMessage(`{"request_id":"r-1"}`)}),
		Define(Notice, "gateway", "A client has taken the queue up to a sequence.", EventsDrained{"", 42}),
		Define(Command, "person", "A person had a process of the engine stopped.", ShutdownRequested{ShutdownEngine, 4711,
			"done for today"}),
	}
}
