package wire

import (
	"time"

	"manualslop/events"
	"manualslop/projections"
)

// ContextState is the answer of GET /api/context/state.
type ContextState struct {
	BaseDir      string                  `json:"base_dir"` // of the patterns, relative to the project folder
	Patterns     []string                `json:"patterns"`
	Skipped      []string                `json:"skipped"`    // patterns that match nothing, each with its reason
	ScannedAt    *time.Time              `json:"scanned_at"` // null: the files are those of the settings
	Files        []ContextFile           `json:"files"`      // tracked, by path
	Selection    ContextSelection        `json:"selection"`
	Presets      []string                `json:"presets"`
	Injected     []InjectedEntry         `json:"injected"`      // entries with the role Context, of all discussions
	Views        []projections.BuiltView `json:"views"`         // the newest of each path and kind
	ViewsLeftOut int                     `json:"views_omitted"` // number of older views that are not listed
	Dependencies map[string][]string     `json:"dependencies"`  // a ticket's target file: the files that it requires
	Discussion   string                  `json:"discussion"`    // the active one
}

// ContextFile is a tracked file as recorded.
type ContextFile struct {
	Path     string     `json:"path"`
	SHA256   string     `json:"sha256"` // when it was last seen; empty: never, or it is missing
	Size     int64      `json:"size"`
	Seen     *time.Time `json:"seen"`    // null: never
	Changed  bool       `json:"changed"` // since its newest view was made
	Written  *time.Time `json:"written"` // by a tool; null: never
	ViewMode string     `json:"view_mode,omitempty"`
	Error    string     `json:"error,omitempty"`
}

// ContextSelection is the user's selection.
type ContextSelection struct {
	Preset      string               `json:"preset"`
	Files       []events.TrackedFile `json:"files"`
	Screenshots []string             `json:"screenshots"`
}

// InjectedEntry is an entry that shows a file.
type InjectedEntry struct {
	Discussion string          `json:"discussion"`
	ID         string          `json:"id"`
	Path       string          `json:"path"`
	View       string          `json:"view"`
	Blob       *events.BlobRef `json:"blob,omitempty"`
	At         time.Time       `json:"at"`
}

// InjectAnswer describes what was injected. Its bytes are in the entry, or at /api/blobs/SHA256 if blob is true.
type InjectAnswer struct {
	Status  string `json:"status"`
	Request string `json:"request"`
	Path    string `json:"path"`
	View    string `json:"view"`
	SHA256  string `json:"sha256"`
	Size    int64  `json:"size"`
	Blob    bool   `json:"blob"`
	// Slice is the slice that was shown, with its anchor lines.
	Slice *events.FileSlice `json:"slice,omitempty"`
}

// SliceAnswer describes the recorded slice.
type SliceAnswer struct {
	Status string           `json:"status"`
	Path   string           `json:"path"`
	Preset string           `json:"preset,omitempty"`
	Slice  events.FileSlice `json:"slice"`
}

// SliceRequest names lines of a file and where to record them.
type SliceRequest struct {
	Path      string `json:"path"`           // relative to the project folder
	StartLine int    `json:"start_line"`     // counted from 1
	EndLine   int    `json:"end_line"`       // inclusive
	Name      string `json:"name,omitempty"` // replaces the file's slice of that name
	// a context preset, which is created if it is missing; empty: the project's files
	Preset string `json:"preset,omitempty"`
}

// ContextPreview is the context of one request to a model: of the next turn of a discussion, or of a recorded request.
type ContextPreview struct {
	Request    string `json:"request,omitempty"`    // id of the recorded request; empty: the next turn
	Discussion string `json:"discussion,omitempty"` // of a turn
	Ticket     string `json:"ticket,omitempty"`     // of a recorded request
	Attempt    int    `json:"attempt,omitempty"`
	Round      int    `json:"round"`
	Tier       int    `json:"tier"`
	Provider   string `json:"provider"`
	Model      string `json:"model"` // that answers, or would answer

	Parts  []ContextPart `json:"parts"`          // as they stand in the prompt; the tools come last
	Tokens int64         `json:"tokens"`         // estimated, of all parts
	Count  *int64        `json:"counted_tokens"` // as the provider counted them; null: not sent, or not counted

	// USD is what the parts cost as uncached input, and USDCached what they cost if all of them are cached. They are
	// null for the reasons in NoPrice and NoCachedPrice.
	USD           *float64 `json:"usd"`
	USDCached     *float64 `json:"usd_cached"`
	NoPrice       string   `json:"no_price,omitempty"`
	NoCachedPrice string   `json:"no_cached_price,omitempty"`

	Shortened bool   `json:"shortened"` // something was left out so that the next turn fits
	Markdown  string `json:"markdown"`  // every part, as the model gets it, after a comment with its number
	SHA256    string `json:"sha256"`    // of the Markdown
}

// ContextPart is a part of a context.
type ContextPart struct {
	Number int `json:"number"` // counted from 1
	// Kind is system, environment, rules, ticket, file, image, entry, text, reply, result, changes or tools.
	Kind      string   `json:"kind"`
	Name      string   `json:"name"`            // a path, a heading, the role of an entry, or a tool
	Role      string   `json:"role"`            // system, user, assistant or tool; empty for the tools
	Entry     string   `json:"entry,omitempty"` // id of the entry that it shows
	Bytes     int64    `json:"bytes"`
	Tokens    int64    `json:"tokens"` // estimated
	USD       *float64 `json:"usd"`
	USDCached *float64 `json:"usd_cached"`
}

// ContextWanted says which context is wanted: that of the next turn, or of a recorded request.
type ContextWanted struct {
	Turn    events.TurnRequested // with its entries; its text may be empty
	Request string               // id of a recorded request, or "": the newest of the ticket's attempt
	Ticket  string
	Attempt int // 0: the newest
}
