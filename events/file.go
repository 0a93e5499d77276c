package events

import (
	"cmp"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"

	"manualslop/events/chars"
)

// Views of files that a prompt may show.
const (
	ViewTree = "tree" // names of files
	ViewRaw  = "raw"  // the whole file
	// ViewCurated is the file without the bodies of functions that are not marked
	// as worth reading.
	ViewCurated = "curated"
	// ViewDiff is the diff of a file since its content was Before.
	ViewDiff = "diff"
	// ViewState shows no content: it only reports the digest of the file's content, or none if the file cannot be
	// read.
	ViewState = "state"
	// ViewImage is an image, whose bytes are always in the blob store.
	ViewImage = "image"
	// ViewRetrieved is a passage of a file that a [Retrieval] found.
	ViewRetrieved = "retrieved"
)

// Sources of a [Retrieval].
const (
	// RetrieveVectors compares the vectors of texts. The name is that of Manual Slop's vector store.
	RetrieveVectors = "chroma"
	// RetrieveText ranks passages by the words of the question.
	RetrieveText = "text"
)

// RetrievalSources returns all sources.
func RetrievalSources() []string { return []string{RetrieveVectors, RetrieveText} }

// Limits of the passages that a [Retrieval] finds.
const (
	MaxTopK     = 20
	DefaultTopK = 5
)

// Retrieval asks for the passages of the workspace's files that match a question.
type Retrieval struct {
	Source string `json:"source"`
	// Provider and Model make the vectors; an empty model is the provider's default.
	Provider string `json:"provider,omitempty"`
	Model    string `json:"model,omitempty"`
	// TopK is the maximum number of passages; 0 means DefaultTopK.
	TopK int `json:"top_k,omitempty"`
	// Query is the question. In a [TurnRequested] it is empty: the person's message is the question.
	Query string `json:"query,omitempty"`
}

// Check returns why the retrieval is invalid, or nil if it is valid.
func (r Retrieval) Check() error {
	switch {
	case !slices.Contains(RetrievalSources(), r.Source):
		return fmt.Errorf("source of retrieval must be one of %s, got %s", strings.Join(RetrievalSources(), ", "),
			chars.Quote(r.Source))
	case r.Source == RetrieveVectors && r.Provider == "":
		return errors.New("retrieval by vectors needs a provider of embeddings")
	case r.TopK < 0 || r.TopK > MaxTopK:
		return fmt.Errorf("top_k must be between 1 and %d, got %d", MaxTopK, r.TopK)
	case len(r.Provider) > MaxToken || len(r.Model) > MaxModelName:
		return errors.New("the provider's or the model's name is too long")
	}
	return nil
}

// RetrievalSettings say whether turns of discussions retrieve, and how.
type RetrievalSettings struct {
	Enabled  bool   `json:"enabled"`
	Source   string `json:"source"`
	Provider string `json:"provider"`
	Model    string `json:"model"`
	TopK     int    `json:"top_k"`
}

// DefaultRetrieval returns the settings of a session that changes none: retrieval is off.
func DefaultRetrieval() RetrievalSettings {
	return RetrievalSettings{Source: RetrieveVectors, Provider: "gemini", TopK: DefaultTopK}
}

// Retrieval returns the retrieval for a turn, or nil if retrieval is off.
func (s RetrievalSettings) Retrieval() *Retrieval {
	if !s.Enabled {
		return nil
	}
	return &Retrieval{Source: s.Source, Provider: s.Provider, Model: s.Model, TopK: s.TopK}
}

// RetrievalChanged changes whether turns of discussions retrieve, and how. Only the members that are set change.
type RetrievalChanged struct {
	Enabled  *bool   `json:"enabled,omitempty"`
	Source   *string `json:"source,omitempty"`
	Provider *string `json:"provider,omitempty"`
	Model    *string `json:"model,omitempty"`
	TopK     *int    `json:"top_k,omitempty"`
}

// EventType returns the type name and version.
func (RetrievalChanged) EventType() Type { return Type{"RetrievalChanged", 1} }

// Check returns ErrSetting if the change is invalid.
func (e RetrievalChanged) Check() error {
	if e == (RetrievalChanged{}) {
		return wrongSetting("the request changes nothing")
	}
	now := DefaultRetrieval().Changed(e)
	now.Enabled = true
	if e.TopK != nil && *e.TopK == 0 {
		return wrongSetting("top_k must be from 1 to %d, got 0", MaxTopK)
	}
	if err := now.Retrieval().Check(); err != nil {
		return wrongSetting("%w", err)
	}
	return nil
}

// Changed returns the settings after a change, which must pass its check.
func (s RetrievalSettings) Changed(e RetrievalChanged) RetrievalSettings {
	set(&s.Enabled, e.Enabled)
	set(&s.Source, e.Source)
	set(&s.Provider, e.Provider)
	set(&s.Model, e.Model)
	set(&s.TopK, e.TopK)
	s.Provider = ProviderName(s.Provider)
	return s
}

// Changes returns the change that leads to these settings from any other settings.
func (s RetrievalSettings) Changes() RetrievalChanged {
	return RetrievalChanged{&s.Enabled, &s.Source, &s.Provider, &s.Model, &s.TopK}
}

// Retrieved says how the passages of a [ContextBuilt] were found; they are its views of the kind
// retrieved, best first.
type Retrieved struct {
	// Ticket and Tier are those of the request.
	Ticket string `json:"ticket,omitempty"`
	Tier   int    `json:"tier,omitempty"`
	// Source is the way that was used, with Provider and Model if they were asked for vectors.
	Source   string `json:"source"`
	Provider string `json:"provider,omitempty"`
	Model    string `json:"model,omitempty"`
	// Problem is why words were used although vectors were asked for.
	Problem string `json:"problem,omitempty"`
	// Files and Passages were searched. LeftOut files were not, because there are too many passages.
	Files    int `json:"files"`
	Passages int `json:"passages"`
	LeftOut  int `json:"left_out,omitempty"`
	// Embedded passages had no vector before. Usage is what the vectors cost; nil if none were made.
	Embedded int    `json:"embedded,omitempty"`
	Usage    *Usage `json:"usage,omitempty"`
}

// DefaultView returns the default view of a file: an image for the names of PNG, JPEG and WebP
// files, else the whole file.
func DefaultView(file string) string {
	switch chars.Lower(path.Ext(file)) {
	case ".png", ".jpg", ".jpeg", ".webp":
		return ViewImage
	}
	return ViewRaw
}

// FileViews returns the views that a person may choose for a file.
func FileViews() []string {
	return []string{ViewRaw, ViewSkeleton, ViewCurated, ViewOutline, ViewSummary, ViewImage}
}

// SplitView splits PATH[:VIEW]. The view is empty if none of [FileViews] is named.
func SplitView(text string) (file, view string) {
	if at := strings.LastIndexByte(text, ':'); at > 0 && slices.Contains(FileViews(), text[at+1:]) {
		return text[:at], text[at+1:]
	}
	return text, ""
}

// ViewRequest is a request for one view.
type ViewRequest struct {
	Path string `json:"path"`
	View string `json:"view"`
	// Fallback allows another view if this one is not useful: the whole file if it is small or has
	// no such view, an outline if it is large. The answer names the view that was used.
	Fallback bool `json:"fallback,omitempty"`
	// Chosen means that a person chose the view: a small file that has it is not shown whole.
	Chosen bool `json:"chosen,omitempty"`
	// Slice is the part to show, for a view of kind slice.
	Slice *FileSlice `json:"slice,omitempty"`
	// Before is the digest of the content to compare with, for a diff; empty if the file did not
	// exist.
	Before string `json:"before,omitempty"`
}

// ContextRequested asks a worker for the views of files that a prompt needs.
type ContextRequested struct {
	Tier    int           `json:"tier"`
	Goal    string        `json:"goal,omitempty"`
	Track   string        `json:"track,omitempty"`
	Ticket  string        `json:"ticket,omitempty"`
	Attempt int           `json:"attempt,omitempty"`
	Views   []ViewRequest `json:"views"`
	// Retrieval asks for passages, too; nil if none are wanted.
	Retrieval *Retrieval `json:"retrieval,omitempty"`
	// Workspace is the workspace whose files are read; empty means the person's folder.
	Workspace string `json:"workspace,omitempty"`
}

// EventType returns the type name and version.
func (ContextRequested) EventType() Type { return Type{"ContextRequested", 2} }

// EventCorr returns the most specific of ticket, track and goal.
func (e ContextRequested) EventCorr() string { return cmp.Or(e.Ticket, e.Track, e.Goal) }

// EventTopic returns the tier.
func (c ContextRequested) EventTopic() string { return tierTopic(c.Tier) }

// EventTier returns the tier.
func (c ContextRequested) EventTier() int { return c.Tier }

// View is one view of a file, as it will appear in a prompt. Its bytes are in Text if there are at
// most MaxInline, else in the blob store under SHA256.
type View struct {
	Path   string     `json:"path"`
	View   string     `json:"view"`
	Text   string     `json:"text,omitempty"`
	SHA256 string     `json:"sha256,omitempty"` // of the view's bytes
	Size   int64      `json:"size,omitempty"`
	Blob   bool       `json:"blob,omitempty"`  // the bytes are in the blob store
	File   *FileState `json:"file,omitempty"`  // the file from which it was made
	Slice  *FileSlice `json:"slice,omitempty"` // for a slice or passage: its current position
	Score  float64    `json:"score,omitempty"` // of a passage, comparable within one retrieval
	Error  string     `json:"error,omitempty"` // why there is no view
}

// ContextBuilt answers ContextRequested; Views are in the order of the request, followed by the retrieved passages.
type ContextBuilt struct {
	Request string `json:"request"`
	Views   []View `json:"views"`
	// Retrieved is set if passages were asked for.
	Retrieved *Retrieved `json:"retrieved,omitempty"`
}

// EventType returns the type name and version.
func (ContextBuilt) EventType() Type { return Type{"ContextBuilt", 2} }

// EventCorr returns the request.
func (e ContextBuilt) EventCorr() string { return e.Request }

// RefreshRequested asks, after the last call of a round, which files have changed since the
// conversation last saw them.
type RefreshRequested struct {
	Ticket  string      `json:"ticket"`
	Attempt int         `json:"attempt"`
	Round   int         `json:"round"`
	Files   []FileState `json:"files"`
	// Workspace is the workspace of the attempt; empty means the person's folder.
	Workspace string `json:"workspace,omitempty"`
}

// EventType returns the type name and version.
func (RefreshRequested) EventType() Type { return Type{"RefreshRequested", 1} }

// EventCorr returns the ticket.
func (e RefreshRequested) EventCorr() string { return e.Ticket }

// FileUpdate is one changed file; the diff is from Before to After.
type FileUpdate struct {
	Path     string   `json:"path"`
	Before   string   `json:"before,omitempty"` // digests; empty if the file does not exist
	After    string   `json:"after,omitempty"`
	Size     int64    `json:"size,omitempty"`
	Diff     string   `json:"diff,omitempty"`
	DiffBlob *BlobRef `json:"diff_blob,omitempty"`
	Error    string   `json:"error,omitempty"`
}

// FilesUpdated answers RefreshRequested with the changed files; there may be none.
type FilesUpdated struct {
	Request string       `json:"request"`
	Ticket  string       `json:"ticket"`
	Files   []FileUpdate `json:"files"`
}

// EventType returns the type name and version.
func (FilesUpdated) EventType() Type { return Type{"FilesUpdated", 1} }

// EventCorr returns the ticket.
func (e FilesUpdated) EventCorr() string { return e.Ticket }

func fileDefs() []Def {
	return []Def{
		Define(Decision, "planner, lead, contributor, qa", "Views of files are needed for a prompt.",
			ContextRequested{Tier: 3, Ticket: "T-001", Attempt: 1, Views: []ViewRequest{{Path: "a.go",
				View: ViewSkeleton, Fallback: true, Chosen: true}}, Retrieval: &Retrieval{Source: RetrieveVectors,
				Provider: "openai", TopK: 5, Query: "Where?"}}, optional),
		Define(Outcome, "worker", "Views of files, by digest.",
			ContextBuilt{"01J", []View{{Path: "a.go", View: ViewRaw, Text: "x", SHA256: "ab", Size: 1,
				File: &FileState{Path: "a.go", SHA256: "ab", Size: 1}, Score: 0.5}}, &Retrieved{Ticket: "D-1", Tier: 3,
				Source: RetrieveVectors, Provider: "openai", Model: "m", Files: 1, Passages: 2, Embedded: 2,
				Usage: &Usage{Input: 9}}}, optional),
		Define(Command, "person", "Changes whether turns of discussions retrieve passages of files, and how.",
			DefaultRetrieval().Changes()),
		Define(Decision, "contributor", "Asks which files differ from what the conversation has seen.",
			RefreshRequested{Ticket: "T-001", Attempt: 1, Round: 2, Files: []FileState{{Path: "a.go", SHA256: "ab"}}}),
		Define(Outcome, "worker", "The files that changed, as diffs.", FilesUpdated{"01J", "T-001",
			[]FileUpdate{{Path: "a.go", Before: "ab", After: "cd", Size: 2, Diff: "-a\n+b\n"}}}),
	}
}

// Edit is one part of a change: Len new bytes replace the bytes of the file from From up to To.
type Edit struct {
	From   int64  `json:"from"`
	To     int64  `json:"to"`
	Len    int64  `json:"len"`
	SHA256 string `json:"sha256"` // of the new bytes
}

// MoveEdits adapts edits of a file to its content after another change; both lists are in file
// order. It returns false if both change the same bytes.
func MoveEdits(edits, by []Edit) ([]Edit, bool) {
	out := make([]Edit, 0, len(edits))
	for _, e := range edits {
		shift := int64(0)
		for _, b := range by {
			switch {
			case b.To <= e.From:
				shift += b.Len - (b.To - b.From)
			case e.To > b.From:
				return nil, false
			}
		}
		e.From, e.To = e.From+shift, e.To+shift
		out = append(out, e)
	}
	return out, true
}
