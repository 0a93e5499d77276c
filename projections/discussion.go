package projections

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"manualslop/events"
	"manualslop/projections/undo"
)

// Roles of discussion entries, spelled as in the original system.
const (
	RoleUser   = events.RoleUser
	RoleAI     = events.RoleAI
	RoleTool   = events.RoleTool
	RoleSystem = "System"
	// RoleVendor is the role of messages from a vendor's interface.
	RoleVendor = "Vendor API"
	// RoleContext is the role of files that a user added to a discussion.
	RoleContext = events.RoleContext
)

// DefaultRoles returns the roles that apply until a user sets others.
func DefaultRoles() []string {
	return []string{RoleUser, RoleAI, RoleVendor, RoleSystem, RoleContext, RoleTool}
}

// Entry is one entry of the discussion.
type Entry struct {
	Role      string    `json:"role"`
	Content   string    `json:"content"`
	Time      time.Time `json:"ts"`
	Collapsed bool      `json:"collapsed"`
	Seq       uint64    `json:"seq,omitempty"`
	Tier      int       `json:"tier,omitempty"`
	Track     string    `json:"track,omitempty"`
	Ticket    string    `json:"ticket,omitempty"`
	Call      string    `json:"call,omitempty"`
	Tool      string    `json:"tool,omitempty"`
	Calls     []string  `json:"calls,omitempty"`   // tools that the reply calls
	Outcome   string    `json:"outcome,omitempty"` // outcome of a tool call
	// Path and View say which view of which file an entry with role Context shows. A view larger
	// than events.MaxInline is in Blob, and Content is then empty.
	Path string          `json:"path,omitempty"`
	View string          `json:"view,omitempty"`
	Blob *events.BlobRef `json:"blob,omitempty"`
	// Raw is an entry exactly as posted to /api/session; the other fields are unset then.
	Raw json.RawMessage `json:"-"`
}

// MarshalJSON returns the JSON of the entry; an entry that a client posted is returned verbatim.
func (n Entry) MarshalJSON() ([]byte, error) {
	if n.Raw != nil {
		return n.Raw, nil
	}
	return json.Marshal(logEntry(n))
}

// logEntry is an entry from the log. It has no MarshalJSON method, because encoding/json would
// validate that method's result again.
type logEntry Entry

// Discussion is the response of GET /api/session.
type Discussion struct {
	Entries []Entry `json:"entries"`
}

// conversation holds all discussions of a session. Entries from the tiers are added to the active
// one.
type conversation struct {
	Requests requests           `json:"requests"`
	Calls    calls              `json:"calls"`
	Active   string             `json:"active"`
	Roles    []string           `json:"roles"`
	Threads  map[string]*thread `json:"threads"` // by name
	Uploads  []*upload          `json:"uploads,omitempty"`
	Awaited  []injection        `json:"awaited,omitempty"`
	Refused  []refusal          `json:"refused,omitempty"`
	Turns    map[string]string  `json:"turns"` // unfinished turns, with their discussion
	// History are the changes that a user can undo and redo.
	History undo.Steps[talkSide] `json:"history"`
	// Compacts are the unfinished turns that make a discussion shorter.
	Compacts map[string]*compaction `json:"compacts,omitempty"`
	seals    bool                   // see NewDigestSet
}

// storedEntry holds an entry from the log or from a client. An entry that several discussions
// share is never modified, only replaced.
type storedEntry struct {
	ID    string          `json:"id"`
	Entry *logEntry       `json:"entry,omitempty"`
	Raw   json.RawMessage `json:"raw,omitempty"`
	// From and Index identify the event that holds the content, so that prompts can refer to it;
	// From is empty if there is none. Whole refers to the complete text in the event if the
	// content is only its beginning.
	From  string          `json:"from,omitempty"`
	Index int             `json:"index,omitempty"`
	Whole *events.BlobRef `json:"whole,omitempty"`

	SHA256  string `json:"sha256,omitempty"` // of the entry's content, which is dropped then
	content int    // length of the dropped content
}

// size returns the approximate size of the entry in memory and in a snapshot, in bytes.
func (n storedEntry) size() int {
	if n.Entry != nil {
		return entryOverhead + len(n.Entry.Content) + n.content
	}
	return entryOverhead + len(n.Raw)
}

// shown returns the entry as shown to a client.
func (n storedEntry) shown() Entry {
	if n.Entry != nil {
		return Entry(*n.Entry)
	}
	return Entry{Raw: n.Raw}
}

var discussion = Fold[*conversation]{
	Name: "session", Version: 9,
	Takes: ofTheWork,
	New:   newConversation,
	Apply: (*conversation).apply,
	View:  func(c *conversation) any { return c.Threads[c.Active].document() },

	// the first discussion, which a new session has, may have been renamed or deleted
	Blank:    func() *conversation { return &conversation{} },
	Digested: (*conversation).sealed,
}

func newConversation() *conversation {
	return &conversation{
		Requests: requests{}, Calls: calls{}, Active: firstDiscussion, Roles: DefaultRoles(),
		Threads: map[string]*thread{firstDiscussion: {Entries: []storedEntry{}}}, Turns: map[string]string{},
	}
}

func (c *conversation) apply(e *events.Event) *conversation {
	switch p := e.Payload.(type) {
	case events.GoalSubmitted:
		c.add(e, Entry{Role: RoleUser, Content: p.Goal})
	case events.ModelRequested:
		c.Requests.asked(e, &p)
	case events.ModelReplied:
		c.replied(e, &p)
	case events.ModelFailed:
		if q, counts := c.Requests.answered(p.Request); counts && c.Compacts[q.Ticket] == nil {
			c.addTo(c.of(q.Ticket), e, Entry{Role: RoleSystem, Tier: q.Tier, Track: q.Track, Ticket: q.Ticket,
				Content: "[" + strings.ToUpper(q.Provider) + "] " + p.Kind + ": " + p.Message})
		}
	case events.ModelDenied:
		if q, counts := c.Requests.answered(p.Request); counts && c.Compacts[q.Ticket] == nil {
			c.addTo(c.of(q.Ticket), e, Entry{Role: RoleSystem, Content: "not sent to " + q.Model + ": " + p.Reason,
				Tier: q.Tier, Track: q.Track, Ticket: q.Ticket})
		}
	case events.ToolRequested, events.ToolApproved, events.ToolDenied, events.ToolSettled, events.ToolParked,
		events.InterruptResolved:
		c.call(e)
	case events.HintGiven:
		c.addTo(c.of(p.Ticket), e, Entry{Role: RoleSystem, Content: "QA ANALYSIS:\n" + p.Hint, Tier: 4, Ticket: p.Ticket,
			Call: p.Call})
	case events.TurnRequested:
		c.asked(e, &p)
	case events.TurnEnded:
		c.turnEnded(e, &p)
	case events.PlanningFailed:
		c.add(e, Entry{Role: RoleSystem, Content: "planning failed: " + p.Error, Tier: p.Tier, Track: p.Track})
	case events.GoalFailed:
		c.add(e, Entry{Role: RoleSystem, Content: "goal failed: " + p.Reason})
	case events.ContextInjectionRequested:
		if !p.Record {
			c.await(e, &p)
		}
	case events.ContextBuilt:
		c.inject(e, &p)
	default:
		c.said(e)
	}
	return c
}

// add appends an entry from the log to the active discussion.
func (c *conversation) add(e *events.Event, n Entry) { c.addTo(c.Active, e, n) }

func (c *conversation) addTo(name string, e *events.Event, n Entry) {
	c.put(name, e, storedEntry{Entry: (*logEntry)(&n)})
}

// put appends an entry from the log to a discussion.
func (c *conversation) put(name string, e *events.Event, n storedEntry) {
	n.ID, n.Entry.Time, n.Entry.Seq = e.ID, e.Time, e.Seq
	if namesText(e.Payload) {
		n.From = e.ID
	}
	c.Threads[name].append(e, c.stored(n))
}

// stored returns an entry in the form that this conversation keeps.
func (c *conversation) stored(n storedEntry) storedEntry {
	if c.seals {
		return n.sealed()
	}
	return n
}

func (c *conversation) replied(e *events.Event, p *events.ModelReplied) {
	q, counts := c.Requests.answered(p.Request)
	if !counts || p.Text == "" && len(p.Calls) == 0 {
		return
	}
	if shorter := c.Compacts[q.Ticket]; shorter != nil {
		shorter.said(c, e, p, q)
		return
	}
	n := Entry{Role: RoleAI, Content: p.Text, Tier: q.Tier, Track: q.Track, Ticket: q.Ticket}
	for _, call := range p.Calls {
		n.Calls = append(n.Calls, call.Name)
	}
	c.addTo(c.of(q.Ticket), e, n)
}

func (c *conversation) call(e *events.Event) {
	k, counts := c.Calls.take(e)
	if !counts {
		return
	}
	n := Entry{Role: RoleTool, Tier: 3, Ticket: k.Ticket, Tool: k.Tool, Collapsed: true}
	var whole *events.BlobRef
	switch p := e.Payload.(type) {
	case events.ToolSettled:
		n.Call, n.Content, n.Outcome = p.Call, p.Text, p.Outcome
		whole = p.TextBlob
	case events.ToolDenied:
		n.Call, n.Content, n.Outcome = p.Call, p.Reason, outcomeDenied
	case events.InterruptResolved:
		n.Call, n.Content, n.Outcome = p.Call, p.By+" on the interrupted call: "+p.Resolution, p.Resolution
	default:
		return
	}
	name := c.of(k.Ticket)
	c.put(name, e, storedEntry{Entry: (*logEntry)(&n), Whole: whole})
	c.Threads[name].orderCall(n.Call)
}

func (c *conversation) view() Discussion { return c.Threads[c.Active].view() }

// Discussion returns the session's active discussion.
func (s *Set) Discussion() Discussion { return stateOf(s, discussion).view() }

// MaxInjections limits the number of pending views for a user.
const MaxInjections = 64

// injection is a view of a file that a user adds to a discussion.
type injection struct {
	ID         string `json:"id"`
	By         string `json:"by"`
	Discussion string `json:"discussion,omitempty"`
}

func (c *conversation) await(e *events.Event, p *events.ContextInjectionRequested) {
	if len(c.Awaited) >= MaxInjections {
		c.Refused = refuse(c.Refused, e.ID, "too many views are pending; is a worker running?")
		return
	}
	c.Awaited = append(c.Awaited, injection{e.ID, e.Actor, p.Discussion})
}

// inject adds an entry for a pending view. If its discussion was deleted in the meantime, the
// entry is added to the active one.
func (c *conversation) inject(e *events.Event, p *events.ContextBuilt) {
	i := slices.IndexFunc(c.Awaited, func(w injection) bool { return w.ID == p.Request })
	if i < 0 {
		return
	}
	by, name := c.Awaited[i].By, cmp.Or(c.Awaited[i].Discussion, c.Active)
	c.Awaited = slices.Delete(slices.Clone(c.Awaited), i, i+1)
	if c.Threads[name] == nil {
		name = c.Active
	}
	for i, v := range p.Views {
		n := Entry{Role: RoleContext, Content: v.Text, Path: v.Path, View: v.View, Collapsed: true}
		if v.Blob {
			n.Blob = &events.BlobRef{SHA256: v.SHA256, Size: v.Size, MediaType: "text/plain; charset=utf-8"}
			if v.View == events.ViewImage {
				n.Blob.MediaType = "application/octet-stream" // its bytes show the actual image type
			}
		}
		if v.Error != "" {
			c.Refused = refuse(c.Refused, p.Request, v.Error)
			continue
		}
		c.put(name, e, storedEntry{Entry: (*logEntry)(&n), Index: i})
		c.History.Add(undo.Info{ID: p.Request, Seq: e.Seq, At: e.Time, By: by,
			What: fmt.Sprintf("added %s (%s) to %s", n.Path, n.View, name)}, talkSide{Thread: name, Entry: e.ID}, entryOverhead)
	}
}

// Limits of incomplete uploads.
const (
	// MaxUploadParts limits the number of parts of one upload.
	MaxUploadParts = 512
	// maxUploads limits the number of incomplete uploads; the oldest is dropped.
	maxUploads = 4
	// maxUploadBytes limits the size of one upload.
	maxUploadBytes = 32 << 20
)

// upload holds the parts received so far.
type upload struct {
	ID    string   `json:"id"`
	Actor string   `json:"actor"`
	Kind  string   `json:"kind"`
	Count int      `json:"count"`
	Bytes int      `json:"bytes"`
	Parts []string `json:"parts"`
}

// uploaded adds a part to its upload and applies the text once the last part has arrived. A part
// that is out of order cancels its upload.
func (c *conversation) uploaded(e *events.Event, p *events.SessionPartUploaded) string {
	i := slices.IndexFunc(c.Uploads, func(u *upload) bool { return u.ID == p.Upload && u.Actor == e.Actor })
	if p.Index == 0 && i < 0 {
		if p.Count < 1 || p.Count > MaxUploadParts {
			return fmt.Sprintf("an upload must have 1 to %d parts", MaxUploadParts)
		}
		if len(c.Uploads) >= maxUploads {
			c.Uploads = slices.Delete(slices.Clone(c.Uploads), 0, 1)
		}
		i = len(c.Uploads)
		c.Uploads = append(c.Uploads, &upload{ID: p.Upload, Actor: e.Actor, Kind: p.Kind, Count: p.Count})
	}
	if i < 0 {
		return "parts of the upload are missing, or too many other uploads came in between"
	}
	u := c.Uploads[i]
	if p.Index != len(u.Parts) || p.Count != u.Count || p.Kind != u.Kind || u.Bytes+len(p.Text) > maxUploadBytes {
		c.Uploads = slices.Delete(slices.Clone(c.Uploads), i, i+1)
		return "the parts of the upload do not match"
	}
	u.Parts, u.Bytes = append(u.Parts, p.Text), u.Bytes+len(p.Text)
	if len(u.Parts) < u.Count {
		return ""
	}
	c.Uploads = slices.Delete(slices.Clone(c.Uploads), i, i+1)
	return c.whole(e, u.Kind, strings.Join(u.Parts, ""))
}

func (c *conversation) whole(e *events.Event, kind, text string) string {
	was := c.wide()
	what, reason := "", "unknown kind of upload: "+kind
	switch kind {
	case events.UploadEntries:
		what, reason = "replaced the entries of "+c.Active, c.replace(e, json.RawMessage(text))
	case events.UploadHistory:
		what, reason = "imported discussions", c.importHistory(e, []byte(text))
	}
	if reason == "" {
		c.remember(e, what, was.changed(c))
	}
	return reason
}
