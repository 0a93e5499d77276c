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

func logsDefs() []Def {
	return []Def{
		Define(Word, "person", "A person keeps a session's log files, or no longer does.", SessionStarred{On: true}),
		Define(Notice, "gateway", "A session's log files were not worth keeping; its folder goes away.", LogsPruned{Reason: "under 2048 bytes", Size: 812}),
		Define(Word, "person", "A session's pruned log files come back.", LogsRestored{}),
	}
}
