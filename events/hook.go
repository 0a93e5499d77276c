package events

import "encoding/json"

// HookCalled records a request to the gateway that changed something, raised an ask or was
// rejected. Plain reads only appear in metrics.
type HookCalled struct {
	Method string          `json:"method"`
	Path   string          `json:"path"`
	Body   json.RawMessage `json:"body,omitempty"` // masked; cut if large
	Status int             `json:"status"`
	Client string          `json:"client,omitempty"`
	Reason string          `json:"reason,omitempty"` // of a rejection
}

// EventType returns the type name and version.
func (HookCalled) EventType() Type { return Type{"HookCalled", 1} }

// EventPushed is an entry of the queue that GET /api/events drains.
type EventPushed struct {
	Kind    string          `json:"kind"`
	Payload json.RawMessage `json:"payload,omitempty"`
}

// EventType returns the type name and version.
func (EventPushed) EventType() Type { return Type{"EventPushed", 1} }

// EventsDrained says that a client has consumed the queue up to a sequence.
type EventsDrained struct {
	Client  string `json:"client"` // empty means the shared queue
	Through uint64 `json:"through"`
}

// EventType returns the type name and version.
func (EventsDrained) EventType() Type { return Type{"EventsDrained", 1} }

// Scopes of [ShutdownRequested].
const (
	// ShutdownEngine ends a process that runs the whole engine.
	ShutdownEngine = "engine"
	// ShutdownGateway ends a gateway that runs on its own; everything else continues.
	ShutdownGateway = "gateway"
)

// ShutdownRequested says that a person stopped a process. It changes no
// decision: the session continues when an engine runs again.
type ShutdownRequested struct {
	// Scope is what ends: engine or gateway.
	Scope string `json:"scope"`
	// PID is the id of the process that ends.
	PID int `json:"pid"`
	// Reason is the reason given by the person.
	Reason string `json:"reason,omitempty"`
}

// EventType returns the type name and version.
func (ShutdownRequested) EventType() Type { return Type{"ShutdownRequested", 1} }

func hookDefs() []Def {
	return []Def{
		Define(Notice, "gateway", "A request to the gateway that changed, asked or was refused.", HookCalled{Method: "POST",
			Path: "/api/ask", Body: json.RawMessage(`{}`), Status: 200}),
		Define(Command, "gateway, person", "An entry of the queue that GET /api/events drains.", EventPushed{"ask_received",
			json.RawMessage(`{"request_id":"r-1"}`)}),
		Define(Notice, "gateway", "A client has consumed the queue up to a sequence.", EventsDrained{"", 42}),
		Define(Command, "person", "A person stopped a process of the engine.", ShutdownRequested{ShutdownEngine, 4711,
			"done for today"}),
	}
}

// GUITaskQueued is a task posted to /api/gui, unchanged: a person's action on fields, buttons,
// tabs and lists of the original system's window. Its effects are separate events with this event
// as their cause.
type GUITaskQueued struct {
	Task json.RawMessage `json:"task"` // an object; masked
}

// EventType returns the type name and version.
func (GUITaskQueued) EventType() Type { return Type{"GUITaskQueued", 1} }

// GUITaskFailed says that a queued task had no effect, or only part of the requested one.
type GUITaskFailed struct {
	Queued  string          `json:"queued"`            // id of its GUITaskQueued
	Task    json.RawMessage `json:"task"`              // as queued; cut if large
	Action  string          `json:"action,omitempty"`  // as the gateway understood it
	Item    string          `json:"item,omitempty"`    // the field, button, callback etc. that it names
	Error   string          `json:"error"`             // what is wrong, and what to do
	Nearest []string        `json:"nearest,omitempty"` // similar known names
}

// EventType returns the type name and version.
func (GUITaskFailed) EventType() Type { return Type{"GUITaskFailed", 1} }

// EventCorr returns the task.
func (e GUITaskFailed) EventCorr() string { return e.Queued }

func guiDefs() []Def {
	task := json.RawMessage(`{"action":"set_value","item":"curent_model","value":"m1"}`)
	return []Def{
		Define(Command, "person", "A task came to POST /api/gui.", GUITaskQueued{task}),
		Define(Notice, "gateway", "A task of POST /api/gui did not do what it asked.", GUITaskFailed{Queued: "01J",
			Task:   task,
			Action: "set_value", Item: "curent_model", Error: "there is no such field", Nearest: []string{"current_model"}}),
	}
}

// SessionStarred says whether a person wants to keep a session's log files. The newest event
// counts.
type SessionStarred struct {
	On bool `json:"on"`
}

// EventType returns the type name and version.
func (SessionStarred) EventType() Type { return Type{"SessionStarred", 1} }

// LogsPruned says that a closed session's log files are not worth keeping: its folder is deleted
// and not created again. The events stay in the log.
type LogsPruned struct {
	Reason string `json:"reason"` // the rule that applied
	Size   int64  `json:"size"`   // size of the folder in bytes
}

// EventType returns the type name and version.
func (LogsPruned) EventType() Type { return Type{"LogsPruned", 1} }

// LogsRestored revokes a LogsPruned: the folder is created again and kept.
type LogsRestored struct{}

// EventType returns the type name and version.
func (LogsRestored) EventType() Type { return Type{"LogsRestored", 1} }

// StoreSession is the session token of events about the store as a whole. It is not a real session
// and is never opened.
const StoreSession = "store"

// StoreRewritten says that a person removed sessions and the store was rewritten without them. The
// remaining events are numbered from 1 again.
type StoreRewritten struct {
	Old     uint64   `json:"old"`     // number of events before
	New     uint64   `json:"new"`     // number of events after
	Dropped []string `json:"dropped"` // removed sessions; only the first ones if there are many
	Count   int      `json:"count"`   // number of removed sessions
}

// EventType returns the type name and version.
func (StoreRewritten) EventType() Type { return Type{"StoreRewritten", 1} }

// StoreFull says that only the reserve of the log's disk budget is left:
// nothing new starts until sessions are removed or the budget is raised. It is
// recorded once per budget.
type StoreFull struct {
	Bytes  uint64 `json:"bytes"`  // used
	Budget uint64 `json:"budget"` // bytes
}

// EventType returns the type name and version.
func (StoreFull) EventType() Type { return Type{"StoreFull", 1} }

func logsDefs() []Def {
	return []Def{
		Define(Command, "person", "A person decided to keep a session's log files, or no longer to keep "+
			"them.", SessionStarred{On: true}),
		Define(Notice, "gateway", "A session's log files were not worth keeping; its folder is deleted.",
			LogsPruned{Reason: "under 2048 bytes", Size: 812}),
		Define(Command, "person", "A session's pruned log files are restored.", LogsRestored{}),
		Define(Notice, "timers", "Only the reserve of the log's disk budget is left; nothing new starts.",
			StoreFull{Bytes: 5_352_000_000, Budget: 5_368_709_120}),
		Define(Command, "person", "A person removed sessions, and the store was rewritten without them.",
			StoreRewritten{Old: 812, New: 402, Dropped: []string{"7QK2M4"}, Count: 1}),
	}
}
