package tools

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"slices"

	"github.com/aymanbagabas/go-udiff"

	"manualslop/tools/sandbox"
)

// Plan is the planned change of a writer.
type Plan struct {
	Changes []Change
	// Summary is the first line of the answer, such as "edit_file a.py: 2 occurrences replaced".
	Summary string
	// Data are details for the structured form of the answer, nil if there are
	// none.
	Data any
	// DryRun means that the answer shows the changes and nothing is written.
	DryRun bool
}

// Change is the current and the new content of one file. Create it with Edit,
// Create or Delete.
type Change struct {
	Path   string      // as sandbox.File names it: relative with slashes, absolute outside the primary directory
	Before []byte      // what the planner read; nil: the file does not exist
	After  []byte      // what is written; nil: the file is removed
	Mode   fs.FileMode // permission bits of a new file; zero: 0644 before the umask
	// BeforeMode are the permission bits that the planner found; zero: the file does not exist.
	BeforeMode fs.FileMode
	// SetMode sets the bits of the file to exactly Mode. Otherwise an existing file
	// keeps its own.
	SetMode bool
}

// Edit replaces the content of a file that was read with Env.ReadFile.
func Edit(file sandbox.File, after []byte) Change {
	return Change{Path: file.Path, Before: Present(file.Data), After: Present(after), Mode: file.Mode,
		BeforeMode: file.Mode}
}

// Create makes a new file.
func Create(path string, content []byte, mode fs.FileMode) Change {
	return Change{Path: path, After: Present(content), Mode: mode}
}

// Delete removes a file that was read with Env.ReadFile.
func Delete(file sandbox.File) Change {
	return Change{Path: file.Path, Before: Present(file.Data), BeforeMode: file.Mode}
}

// Present distinguishes empty content from an absent file.
func Present(data []byte) []byte {
	if data == nil {
		return []byte{}
	}
	return data
}

// PlannedChange is a Change in the form that is shown, approved and claimed,
// with digests instead of contents.
type PlannedChange struct {
	Path       string `json:"path"`
	Before     string `json:"before"` // SHA-256 in hex, empty: the file does not exist
	After      string `json:"after"`  // SHA-256 in hex, empty: the file is removed
	BeforeSize int64  `json:"before_size"`
	AfterSize  int64  `json:"after_size"`
	Diff       string `json:"diff"` // unified, whole, valid UTF-8
	// BeforeMode and AfterMode are permission bits; zero: absent or not known.
	BeforeMode fs.FileMode `json:"before_mode,omitempty"`
	AfterMode  fs.FileMode `json:"after_mode,omitempty"`
	// Edits are the places of the change; none if a file is made or removed.
	Edits []EditedPlace `json:"edits,omitempty"`

	change Change // as planned; zero in a stored one
}

// Preview describes what a call would do.
type Preview struct {
	Changes []PlannedChange `json:"changes"`
	Summary string          `json:"summary,omitempty"`
	DryRun  bool            `json:"dry_run,omitempty"`
}

// effective drops the changes that change nothing.
func (p Plan) effective() []Change {
	return slices.DeleteFunc(slices.Clone(p.Changes), func(c Change) bool {
		return (c.Before == nil) == (c.After == nil) && bytes.Equal(c.Before, c.After)
	})
}

func (p Plan) preview() Preview {
	preview := Preview{Summary: p.Summary, DryRun: p.DryRun, Changes: []PlannedChange{}}
	room := maxEdits
	for _, c := range p.effective() {
		planned := c.planned(room)
		room -= len(planned.Edits)
		preview.Changes = append(preview.Changes, planned)
	}
	return preview
}

func (c Change) planned(room int) PlannedChange {
	out := PlannedChange{
		Path: c.Path, Before: digest(c.Before), After: digest(c.After),
		BeforeSize: int64(len(c.Before)), AfterSize: int64(len(c.After)), Diff: c.Diff(), BeforeMode: c.BeforeMode,
		Edits: c.edits(room), change: c,
	}
	if c.After != nil {
		out.AfterMode = c.Mode
	}
	return out
}

func (c Change) write() sandbox.Write {
	return sandbox.Write{Path: c.Path, Before: digest(c.Before), After: c.After, Mode: c.Mode, SetMode: c.SetMode}
}

func digest(data []byte) string {
	if data == nil {
		return ""
	}
	return sandbox.Digest(data)
}

func (c Change) Diff() string {
	from, to := "a/"+c.Path, "b/"+c.Path
	if c.Before == nil {
		from = "/dev/null"
	}
	if c.After == nil {
		to = "/dev/null"
	}
	return udiff.Unified(from, to, shown(c.Path, c.Before), shown(c.Path, c.After))
}

// ChangeState says which side of a planned change a file is on. Zero is invalid.
type ChangeState uint8

const (
	// ChangeBefore: the file is as it was; the change may be made again.
	ChangeBefore ChangeState = iota + 1
	// ChangeAfter: the change is in place.
	ChangeAfter
	// ChangeOther: the file was changed by others; a person has to decide.
	ChangeOther
)

// String returns the word for logs.
func (s ChangeState) String() string {
	switch s {
	case ChangeBefore:
		return "before"
	case ChangeAfter:
		return "after"
	case ChangeOther:
		return "other"
	}
	return "invalid"
}

// ResumeChange determines which side of a change a file is on, after the call
// that planned it was interrupted. A file that cannot be read is ChangeOther
// together with the error.
func ResumeChange(ctx context.Context, env Env, change PlannedChange) (ChangeState, error) {
	file, err := env.Workspace.ReadFile(ctx, change.Path)
	now := file.SHA256
	if errors.Is(err, fs.ErrNotExist) {
		now, err = "", nil
	}
	switch {
	case err != nil:
		return ChangeOther, err
	case now == change.After:
		return ChangeAfter, nil
	case now == change.Before:
		return ChangeBefore, nil
	}
	return ChangeOther, nil
}
