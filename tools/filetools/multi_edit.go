package filetools

import (
	"context"
	_ "embed" // for the tool's documentation
	"errors"
	"fmt"

	"manualslop/tools"
	"manualslop/tools/sandbox"
)

//go:embed multi_edit.md
var multiEditDoc string

type multiEditArgs struct {
	Edits  []oneEdit `json:"edits" doc:"the edits, made in this order" min:"1" max:"500"`
	Force  bool      `json:"force,omitzero" doc:"write Python files even if they would not parse"`
	DryRun bool      `json:"dry_run,omitzero" doc:"show the changes and write nothing"`
}

// oneEdit is one edit of a multi_edit.
type oneEdit struct {
	Path         string `json:"path" doc:"file to change, relative to the workspace" min:"1"`
	OldString    string `json:"old_string" doc:"the exact text to replace; it must occur once unless replace_all is set" min:"1"`
	NewString    string `json:"new_string" doc:"the text that takes its place; empty removes it"`
	ReplaceAll   bool   `json:"replace_all,omitzero" doc:"replace every occurrence"`
	ExpectedHash string `json:"expected_hash,omitzero" doc:"SHA-256 in hex (at least 8 digits) that the file must have before all edits" max:"64"`
}

// multiData holds the structured results of the edits, in order.
type multiData struct {
	Edits []editOfMany `json:"edits"`
}

type editOfMany struct {
	Path string `json:"path"`
	editData
}

// MultiEdit returns the tool that replaces exact texts in several files.
func MultiEdit() tools.Tool {
	return tools.Writer(tools.Spec{
		Name: "multi_edit", Summary: "Replace exact texts in one or more files: all of them, or none.",
		Effect: tools.Writes, Doc: multiEditDoc,
	}, planMultiEdit)
}

func planMultiEdit(ctx context.Context, env tools.Env, in multiEditArgs) (tools.Plan, error) {
	m := multiEditor{env: env, at: map[string]int{}, data: multiData{Edits: []editOfMany{}}}
	for i, e := range in.Edits {
		if err := m.edit(ctx, e); err != nil {
			return tools.Plan{}, numbered(err, i+1, len(in.Edits))
		}
	}
	plan := tools.Plan{DryRun: in.DryRun, Data: m.data}
	for _, f := range m.files {
		change, err := f.old.ChangeTo(f.now.Document, in.Force)
		if err != nil {
			return tools.Plan{}, err
		}
		plan.Changes = append(plan.Changes, change)
	}
	plan.Summary = fmt.Sprintf("multi_edit: %s in %s%s", editCount(len(in.Edits)), tools.FileCount(len(m.files)), m.notes)
	return plan, nil
}

// numbered adds to an error which edit it belongs to. A DeniedError stays unchanged, because it names the path.
func numbered(err error, n, of int) error {
	var denied *sandbox.DeniedError
	var refusal *tools.Refusal
	var file *sandbox.FileError
	switch {
	case errors.As(err, &denied):
		return err
	case errors.As(err, &refusal), errors.As(err, &file):
		return &tools.Refusal{Text: fmt.Sprintf("edit %d of %d: %s; none of the edits was made", n, of, err), Cause: err}
	}
	return err
}

// multiEditor is the state of one plan of multi_edit.
type multiEditor struct {
	env   tools.Env
	files []*editedFile  // in the order of their first edit
	at    map[string]int // indexes in files, by path as given and as shown
	data  multiData
	notes string
}

// editedFile holds a file's content before all edits and after those applied so far.
type editedFile struct{ old, now tools.TextFile }

func (m *multiEditor) edit(ctx context.Context, e oneEdit) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	f, err := m.file(ctx, e.Path)
	if err != nil {
		return err
	}
	if err := f.old.CheckHash(e.ExpectedHash); err != nil {
		return err
	}
	path := f.old.Disk.Path
	made, err := textEdit{old: e.OldString, new: e.NewString, all: e.ReplaceAll}.on(path, f.now.Text)
	if err != nil {
		return err
	}
	if f.now.Document, err = f.now.Edited(made.splices); err != nil {
		return err
	}
	made.in(f.now.Text)
	m.data.Edits = append(m.data.Edits, editOfMany{path, made.data()})
	if made.note != "" {
		m.notes += fmt.Sprintf("; note on edit %d: %s", len(m.data.Edits), made.note)
	}
	return nil
}

// file returns a file, which it reads on its first edit.
func (m *multiEditor) file(ctx context.Context, path string) (*editedFile, error) {
	if i, known := m.at[path]; known {
		return m.files[i], nil
	}
	doc, err := tools.ReadDocument(ctx, m.env, path)
	if err != nil {
		return nil, err
	}
	i, known := m.at[doc.Disk.Path]
	if !known {
		i = len(m.files)
		m.files = append(m.files, &editedFile{doc, doc})
	}
	m.at[path], m.at[doc.Disk.Path] = i, i
	return m.files[i], nil
}

func editCount(n int) string {
	if n == 1 {
		return "1 edit"
	}
	return fmt.Sprintf("%d edits", n)
}
