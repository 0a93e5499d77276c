package sessionlog

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"manualslop/events"
	"manualslop/projections"
)

// Names of a session's files.
const (
	Comms     = "comms.log"
	ToolCalls = "toolcalls.log"
	APIHooks  = "apihooks.log"
	CLICalls  = "clicalls.log"
	// Scripts is the folder of the scripts that were run.
	Scripts = "scripts/generated"
)

// Files returns the names of the files that every opened session has.
func Files() []string { return []string{Comms, ToolCalls, APIHooks, CLICalls} }

// Append is content to append to a file. Files in [Scripts] and [Bodies] are written as a whole; a
// log file without content is still created.
type Append struct {
	File  string // relative to the session's folder, with forward slashes
	Bytes []byte
	// Blob, if set, refers to the content of the file; Bytes is then only the part that is known
	// without the store.
	Blob *events.BlobRef
}

// Renderer converts the events of one session to the content of its files.
type Renderer struct {
	tracker  *projections.Tracker
	folder   string
	requests map[string]events.ModelRequested
	calls    map[string]*toolCall
	bodies   map[string]*bodyFile // by digest
	failures map[string]int       // record numbers of failed scripts, by call, until tier 4 has analysed them
	records  int                  // number of records in toolcalls.log
	scripts  int
}

// toolCall is what the record of a call needs besides its outcome.
type toolCall struct {
	requested events.ToolRequested
	approved  events.ToolApproved
}

// NewRenderer returns a renderer for a new session.
func NewRenderer() *Renderer {
	return &Renderer{tracker: projections.NewTracker(), requests: map[string]events.ModelRequested{},
		calls: map[string]*toolCall{}, bodies: map[string]*bodyFile{}, failures: map[string]int{}}
}

// Folder returns the name of the session's folder; empty before SessionOpened.
func (r *Renderer) Folder() string { return r.folder }

// Lines folds one decoded event and returns the content that it adds to files, in order. Nothing
// is written for a session before it is opened.
func (r *Renderer) Lines(e *events.Event) []Append {
	if p, opens := e.Payload.(events.SessionOpened); opens {
		return r.opened(p)
	}
	if r.folder == "" || !r.tracker.Counts(e) {
		return nil
	}
	switch p := e.Payload.(type) {
	case events.ModelRequested:
		return r.asked(e, p)
	case events.ModelReplied:
		return r.replied(e, p)
	case events.ModelFailed:
		return r.failed(e, p)
	case events.ModelDenied:
		return r.failed(e, p.Failed())
	case events.HookCalled:
		return r.hooked(e, p)
	}
	return r.call(e)
}

func (r *Renderer) opened(p events.SessionOpened) []Append {
	if r.folder != "" {
		return nil
	}
	r.folder = p.Folder
	return []Append{
		{File: Comms},
		{File: ToolCalls, Bytes: fmt.Appendf(nil, "# Tool calls of session %s\n\n", inline(p.Folder))},
		{File: APIHooks},
		{File: CLICalls},
	}
}

// stamp returns a time in the format that all files use.
func stamp(t time.Time) string { return t.UTC().Format("2006-01-02T15:04:05.000Z") }

// line returns v as one line of JSON.
func line(v any) []byte {
	var b strings.Builder
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		panic("sessionlog: " + err.Error()) // payloads were read from JSON, so this cannot fail
	}
	return []byte(b.String())
}

// hooked renders the line for a request to the gateway. Client input in the path is kept on one
// line.
func (r *Renderer) hooked(e *events.Event, p events.HookCalled) []Append {
	b := fmt.Appendf(nil, "[%s] %s %s %d", stamp(e.Time), inline(p.Method), inline(p.Path), p.Status)
	if p.Client != "" {
		b = fmt.Appendf(b, " client=%s", inline(p.Client))
	}
	if p.Reason != "" {
		b = fmt.Appendf(b, " reason=%q", p.Reason)
	}
	body, file, pieces := r.jsonBody("payload", p.Body)
	switch {
	case file != nil:
		b = fmt.Appendf(b, " - Payload: %s", file)
	case len(body) > 0:
		b = fmt.Appendf(b, " - Payload: %s", strings.TrimSuffix(string(line(body)), "\n"))
	}
	return append(pieces, Append{File: APIHooks, Bytes: append(b, '\n')})
}
