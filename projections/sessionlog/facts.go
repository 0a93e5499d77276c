package sessionlog

import (
	"bytes"
	"encoding/json"
	"fmt"
	"sync"
	"time"

	"manualslop/events"
)

// keptMessages: the log files of a session with more messages are kept even without a star.
const keptMessages = 10

// Facts is what decides whether a session's log files are kept. It is a fold of the session's
// events that decodes very few of them.
type Facts struct {
	// Session is the session's id, and Folder the name of its log folder; empty before the session
	// is opened.
	Session, Folder string
	// Opened and Closed are the times of opening and closing; Closed is nil while the session is
	// open.
	Opened time.Time
	Closed *time.Time
	// Starred reports whether a user keeps the files, Restored whether a user restored them
	// after pruning, and Pruned whether they are deleted.
	Starred, Restored, Pruned bool
	// Messages counts requests to models, replies and outcomes of tools; Errors counts failures
	// and other problems.
	Messages, Errors int
	// Size is the total size of the logged bodies, in bytes.
	Size int64
	// Word is the first of ERROR, WARNING, EXCEPTION in a reply, a result or a refusal. Major is
	// the type of the first major event.
	Word, Major string
}

// Apply folds one event of the session. If needed, it decodes the payload with registry; it does
// not change e.
func (f *Facts) Apply(registry *events.Registry, e *events.Event) {
	def, known := registry.Lookup(e.Type)
	if !known || !def.MayWrite(e.Actor) {
		return
	}
	f.count(e)
	switch {
	case noted()[e.Type]:
		decoded := *e
		registry.Decode(&decoded)
		f.note(&decoded)
	case f.Major == "" && major()[e.Type]:
		f.Major = e.Type
	}
}

// noted are the types that note decodes; events of the major types make a session worth keeping.
var (
	noted = sync.OnceValue(func() map[string]bool {
		return events.Names(events.SessionOpened{}, events.SessionClosed{}, events.SessionStarred{}, events.LogsPruned{},
			events.LogsRestored{})
	})
	major = sync.OnceValue(func() map[string]bool {
		return events.Names(events.TrackStarted{}, events.ProjectLoaded{}, events.ProjectSaved{})
	})
)

func (f *Facts) note(e *events.Event) {
	switch p := e.Payload.(type) {
	case events.SessionOpened:
		if f.Opened.IsZero() {
			f.Session, f.Folder, f.Opened = e.Session, p.Folder, e.Time
		}
	case events.SessionClosed:
		if f.Closed == nil { // the first one counts
			at := e.Time
			f.Closed = &at
		}
	case events.SessionStarred:
		f.Starred = p.On
	case events.LogsPruned:
		f.Pruned = true
	case events.LogsRestored:
		f.Restored = f.Restored || f.Pruned
		f.Pruned = false
	}
}

// weight says how an event of a type changes the facts.
type weight struct {
	messages, errors int
	look             bool // search for words such as ERROR
	settles          bool
}

var weights = sync.OnceValue(func() map[string]weight {
	return map[string]weight{
		events.NameOf[events.ModelRequested](): {messages: 1},
		events.NameOf[events.ModelReplied]():   {messages: 1, look: true},
		events.NameOf[events.ToolDenied]():     {messages: 1, look: true},
		events.NameOf[events.ModelFailed]():    {messages: 1, errors: 1, look: true},
		events.NameOf[events.ModelDenied]():    {messages: 1, errors: 1, look: true},
		events.NameOf[events.ToolSettled]():    {messages: 1, settles: true},
		events.NameOf[events.GoalFailed]():     {errors: 1, look: true},
		events.NameOf[events.PlanningFailed](): {errors: 1, look: true},
		events.NameOf[events.SessionStalled](): {errors: 1, look: true},
		events.NameOf[events.ToolParked]():     {errors: 1, look: true},
		events.NameOf[events.HookCalled]():     {look: true},
		events.NameOf[events.HintGiven]():      {look: true},
	}
})

// count adds the size and the keywords of a logged event.
func (f *Facts) count(e *events.Event) {
	w, counts := weights()[e.Type]
	if !counts {
		return
	}
	f.Messages += w.messages
	f.Errors += w.errors
	if w.look {
		f.look(e.Data)
	}
	if w.settles {
		f.settled(e.Data)
	}
	f.Size += int64(len(e.Data))
}

func (f *Facts) settled(data []byte) {
	var p struct {
		Outcome  string          `json:"outcome"`
		TextBlob *events.BlobRef `json:"text_blob"`
	}
	if json.Unmarshal(data, &p) == nil {
		if p.Outcome != events.ToolDone {
			f.Errors++
		}
		if p.TextBlob != nil {
			f.Size += max(p.TextBlob.Size, 0)
		}
	}
	f.look(data)
}

func (f *Facts) look(data []byte) {
	if f.Word != "" {
		return
	}
	for _, word := range []string{"ERROR", "WARNING", "EXCEPTION"} {
		if bytes.Contains(data, []byte(word)) {
			f.Word = word
			return
		}
	}
}

// Kept returns why the files are kept regardless of their age, or "".
func (f *Facts) Kept() string {
	switch {
	case f.Starred:
		return "starred"
	case f.Restored:
		return "restored"
	case f.Messages > keptMessages:
		return fmt.Sprintf("%d messages", f.Messages)
	case f.Word != "":
		return "contains " + f.Word
	case f.Errors > 0:
		return fmt.Sprintf("%d errors", f.Errors)
	case f.Major != "":
		return "has " + f.Major
	}
	return ""
}

// Limits for pruning.
const (
	// PruneAge is how long a session must be closed before it is pruned.
	PruneAge = 24 * time.Hour
	// PruneSize is the size in bytes below which a session is not worth keeping.
	PruneSize = 2 << 10
)

// Prunable returns why the files of a session may be removed, or "" if they stay.
func (f *Facts) Prunable(now time.Time) string {
	switch {
	case f.Opened.IsZero(), f.Closed == nil, f.Pruned, now.Sub(*f.Closed) <= PruneAge, f.Kept() != "":
		return ""
	case f.Messages == 0:
		return "no messages were exchanged with a model"
	case f.Size < PruneSize:
		return fmt.Sprintf("under %d bytes", PruneSize)
	}
	return ""
}
