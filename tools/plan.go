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
	// Data is the structured result, or nil if there is none.
	Data any
	// DryRun means that the answer shows the changes but nothing is written.
	DryRun bool
}

// Change is the current and the new content of one file. Create it with Edit,
// Create or Delete.
type Change struct {
	Path   string      // as in sandbox.File: relative with slashes, or absolute outside the primary directory
	Before []byte      // content that the planner read; nil if the file does not exist
	After  []byte      // content to write; nil removes the file
	Mode   fs.FileMode // permission bits of a new file; zero means 0644 before the umask
	// BeforeMode holds the permission bits that the planner found. Zero means that the file does not exist.
	BeforeMode fs.FileMode
	// SetMode sets the bits of the file to exactly Mode. Otherwise an existing file
	// keeps its own.
	SetMode bool
}

// Edit returns the change that replaces the content of a file that was read with Env.ReadFile.
func Edit(file sandbox.File, after []byte) Change {
	return Change{Path: file.Path, Before: Present(file.Data), After: Present(after), Mode: file.Mode,
		BeforeMode: file.Mode}
}

// Create returns the change that creates a file.
func Create(path string, content []byte, mode fs.FileMode) Change {
	return Change{Path: path, After: Present(content), Mode: mode}
}

// Delete returns the change that removes a file that was read with Env.ReadFile.
func Delete(file sandbox.File) Change {
	return Change{Path: file.Path, Before: Present(file.Data), BeforeMode: file.Mode}
}

// Present returns data, or an empty non-nil slice if it is nil, to distinguish empty content from an absent file.
func Present(data []byte) []byte {
	if data == nil {
		return []byte{}
	}
	return data
}

// PlannedChange is a Change as it is shown, approved and claimed, with digests instead of contents.
type PlannedChange struct {
	Path       string `json:"path"`
	Before     string `json:"before"` // SHA-256 in hex; empty if the file does not exist
	After      string `json:"after"`  // SHA-256 in hex; empty if the file is removed
	BeforeSize int64  `json:"before_size"`
	AfterSize  int64  `json:"after_size"`
	Diff       string `json:"diff"` // complete unified diff in valid UTF-8
	// BeforeMode and AfterMode are permission bits; zero means absent or unknown.
	BeforeMode fs.FileMode `json:"before_mode,omitempty"`
	AfterMode  fs.FileMode `json:"after_mode,omitempty"`
	// Edits are the places of the change. There are none for a created or removed file.
	Edits []EditedPlace `json:"edits,omitempty"`

	change Change // the change as planned; zero if the PlannedChange was stored
}

// Preview describes what a call would do.
type Preview struct {
	Changes []PlannedChange `json:"changes"`
	Summary string          `json:"summary,omitempty"`
	DryRun  bool            `json:"dry_run,omitempty"`
}

// effective drops changes without effect.
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

// ChangeState is the side of a planned change that a file is on. Zero is invalid.
type ChangeState uint8

const (
	// ChangeBefore means that the file is unchanged, so the change may be made again.
	ChangeBefore ChangeState = iota + 1
	// ChangeAfter means that the change is in place.
	ChangeAfter
	// ChangeOther means that others changed the file, so a user has to decide.
	ChangeOther
)

// String returns the name of the state for logs.
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

// ResumeChange determines which side of a change a file is on, after the call that planned it was interrupted. If
// the file cannot be read, ResumeChange returns ChangeOther and the error.
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
