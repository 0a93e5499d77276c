package events

// SessionStarred says whether a person keeps a session's log files. The newest
// one counts.
type SessionStarred struct {
	On bool `json:"on"`
}

// EventType is the identity on the wire.
func (SessionStarred) EventType() Type { return Type{"SessionStarred", 1} }

// LogsPruned says that a closed session's log files are not worth keeping: its
// folder goes away and is not made again. What happened stays on record.
type LogsPruned struct {
	Reason string `json:"reason"` // which rule it fell under
	Size   int64  `json:"size"`   // bytes in the folder
}

// EventType is the identity on the wire.
func (LogsPruned) EventType() Type { return Type{"LogsPruned", 1} }

// LogsRestored takes a LogsPruned back: the folder comes again, and stays.
type LogsRestored struct{}

// EventType is the identity on the wire.
func (LogsRestored) EventType() Type { return Type{"LogsRestored", 1} }

// StoreSession is the session token of what concerns the store as a whole. It
// names no session: nothing opens it.
const StoreSession = "store"

// StoreRewritten says that a person removed sessions: the store was written anew
// without them. The events that stayed are numbered from 1 again.
type StoreRewritten struct {
	Old     uint64   `json:"old"`     // events before
	New     uint64   `json:"new"`     // events that stayed
	Dropped []string `json:"dropped"` // sessions, the first of many
	Count   int      `json:"count"`   // of sessions that were dropped
}

// EventType is the identity on the wire.
func (StoreRewritten) EventType() Type { return Type{"StoreRewritten", 1} }

// StoreFull says that only the reserve of the log's disk budget is left: nothing
// new begins until sessions are removed or the budget is raised. It is recorded
// once for a budget.
type StoreFull struct {
	Bytes  uint64 `json:"bytes"`  // used
	Budget uint64 `json:"budget"` // bytes
}

// EventType is the identity on the wire.
func (StoreFull) EventType() Type { return Type{"StoreFull", 1} }

func logsDefs() []Def {
	return []Def{
		Define(Command, "person", "A person keeps a session's log files, or no longer does.", SessionStarred{On: true}),
		Define(Notice, "gateway", "A session's log files were not worth keeping; its folder goes away.",
			LogsPruned{Reason: "under 2048 bytes", Size: 812}),
		Define(Command, "person", "A session's pruned log files come back.", LogsRestored{}),
		Define(Notice, "timers", "Only the reserve of the log's disk budget is left; nothing new begins.",
			StoreFull{Bytes: 5_352_000_000, Budget: 5_368_709_120}),
		Define(Command, "person", "A person removed sessions, and the store was written anew without them.",
			StoreRewritten{Old: 812, New: 402, Dropped: []string{"7QK2M4"}, Count: 1}),
	}
}
