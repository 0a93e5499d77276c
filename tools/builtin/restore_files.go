package builtin

import (
	"context"
	"errors"
	"fmt"
	"io/fs"

	"manualslop/tools"
	"manualslop/tools/sandbox"
)

// RestoreFiles returns the engine's internal tool that carries out an undo. It is not offered to models.
func RestoreFiles() tools.Tool {
	return tools.Writer(tools.Spec{
		Name: "restore_files", Summary: "Restore the earlier content of files: all of them, or none.", Effect: tools.Writes,
	}, planRestore)
}

type restoreArgs struct {
	Files []restoredFile `json:"files" doc:"the files" min:"1" max:"10000"`
}

// restoredFile is a file with its expected digest and the digest of the content to restore; an empty digest means
// that the file is absent. Modes are permission bits; zero means unknown.
type restoredFile struct {
	Path   string `json:"path" doc:"the file" min:"1"`
	Before string `json:"before,omitzero" doc:"SHA-256 that it must have now" max:"64"`
	After  string `json:"after,omitzero" doc:"SHA-256 of the content to restore" max:"64"`

	BeforeMode int `json:"before_mode,omitzero" doc:"permission bits that it is expected to have" max:"511"`
	AfterMode  int `json:"after_mode,omitzero" doc:"permission bits to set, if it has the expected ones" max:"511"`
}

func planRestore(ctx context.Context, env tools.Env, in restoreArgs) (tools.Plan, error) {
	plan := tools.Plan{Summary: fmt.Sprintf("restore_files: %s as before", tools.FileCount(len(in.Files)))}
	for _, f := range in.Files {
		change, err := f.plan(ctx, env)
		if err != nil {
			return tools.Plan{}, err
		}
		plan.Changes = append(plan.Changes, change)
	}
	return plan, nil
}

func (f restoredFile) plan(ctx context.Context, env tools.Env) (tools.Change, error) {
	file, err := env.ReadFile(ctx, f.Path)
	absent := errors.Is(err, fs.ErrNotExist)
	if err != nil && !absent {
		return tools.Change{}, err
	}
	after, err := keptFile(ctx, env, f.After)
	if err != nil {
		return tools.Change{}, tools.Refuse("%s: its earlier content was not kept (%v); nothing was restored", f.Path, err)
	}
	switch {
	case absent && f.After == "", !absent && f.After != "" && file.SHA256 == f.After:
		return tools.Change{Path: f.Path, Before: after, After: after}, nil // it already has that content
	case absent && f.Before == "":
		return f.withMode(tools.Create(f.Path, after, 0)), nil
	case absent:
		return tools.Change{}, tools.Refuse("%s has since been deleted; nothing was restored", f.Path)
	case file.SHA256 != f.Before:
		return tools.Change{}, f.changed(ctx, env, file)
	case f.After == "":
		return tools.Delete(file), nil
	}
	return f.withMode(tools.Edit(file, after)), nil
}

// withMode adds the earlier permission bits to a change. A file whose bits were changed by others in the meantime
// keeps them.
func (f restoredFile) withMode(c tools.Change) tools.Change {
	if f.AfterMode != 0 && (c.Before == nil || c.BeforeMode == fs.FileMode(f.BeforeMode)) {
		c.Mode, c.SetMode = fs.FileMode(f.AfterMode).Perm(), true
	}
	return c
}

// changed returns a refusal that shows how the file differs from its state after the undone call.
func (f restoredFile) changed(ctx context.Context, env tools.Env, now sandbox.File) error {
	then, err := keptFile(ctx, env, f.Before)
	if err != nil {
		return tools.Refuse("%s has since changed; nothing was restored", f.Path)
	}
	diff := tools.Change{Path: now.Path, Before: then, After: tools.Present(now.Data)}.Diff()
	return &tools.Refusal{Text: f.Path + " changed since; nothing was restored", Detail: diff}
}

// keptFile reads a stored content by its digest. It returns nil for an empty digest, which means an absent file.
func keptFile(ctx context.Context, e tools.Env, digest string) ([]byte, error) {
	if digest == "" {
		return nil, nil
	}
	if e.Kept == nil {
		return nil, errors.New("no earlier content is kept here")
	}
	data, err := e.Kept(ctx, digest)
	return tools.Present(data), err
}
