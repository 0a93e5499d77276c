package runtime

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"unicode/utf8"

	"github.com/aymanbagabas/go-udiff"

	"manualslop/events"
	"manualslop/tools"
	"manualslop/tools/anchor"
	"manualslop/tools/codetools"
)

// injected answers a user's request for one view, in the same way as the views of a prompt.
func (w site) injected(ctx context.Context, request string, p events.ContextInjectionRequested) events.Payload {
	room := maxInlineSum
	v := w.view(ctx, events.ViewRequest{Path: p.Path, View: p.View, Slice: p.Slice}, &room)
	if p.Record && v.Slice != nil {
		v = w.recorded(ctx, v)
	}
	return events.ContextBuilt{Request: request, Views: []events.View{v}}
}

// recorded returns the view of a slice that can later be located by its anchors. If that is not
// possible, because its ends are only brackets and blanks or contain secrets, it returns a view
// with an error.
func (w site) recorded(ctx context.Context, v events.View) events.View {
	room := maxInlineSum
	again := w.view(ctx, events.ViewRequest{Path: v.Path, View: v.View, Slice: v.Slice}, &room)
	if again.Error != "" {
		again.Error = "the slice could not be located: among its first three and among its last three lines, " +
			"one must have words or numbers and no secret"
		return again
	}
	return v
}

// Limits up to which a view is replaced by the whole file, in bytes of the file.
const (
	smallFile = 2 << 10  // always, except where a user chose the view
	plainFile = 16 << 10 // if the file has no view of this kind
)

// fallback returns the requested view, or its replacement: the whole file if it is small and nobody
// chose the view or if it has no such view, an outline if it is large.
func (w site) fallback(ctx context.Context, v events.ViewRequest, out *events.View) (text, problem string) {
	file, err := w.Env.Workspace.ReadFile(ctx, v.Path)
	if err != nil {
		return "", tools.Failure(err).Text
	}
	if v.Chosen || len(file.Data) > smallFile {
		if text, problem = w.toolView(ctx, v, out); problem == "" {
			return text, ""
		}
	}
	out.View = events.ViewRaw
	if len(file.Data) > plainFile {
		out.View = events.ViewOutline
		return w.toolView(ctx, events.ViewRequest{Path: v.Path, View: events.ViewOutline}, out)
	}
	return w.raw(ctx, v.Path, out)
}

// viewTool returns the tool that makes a view of a file; empty if there is none.
func viewTool(view, file string) string {
	family := ""
	switch codetools.KindOf(file) {
	case "py":
		family = "py"
	case "c":
		family = "ts_c"
	case "cpp":
		family = "ts_cpp"
	}
	switch {
	case view == events.ViewSummary:
		return "get_file_summary"
	case view == events.ViewSkeleton && family != "":
		return family + "_get_skeleton"
	case view == events.ViewOutline && family != "":
		return family + "_get_code_outline"
	case view == events.ViewOutline:
		return "ts_get_code_outline"
	}
	return ""
}

// toolView makes a view with a tool, with the same access checks as for a call, and records the
// state of the file.
func (w site) toolView(ctx context.Context, v events.ViewRequest, out *events.View) (text, problem string) {
	file, err := w.Env.Workspace.ReadFile(ctx, v.Path)
	if err != nil {
		return "", tools.Failure(err).Text
	}
	if text, err = w.shortened(ctx, v); err != nil {
		return "", tools.Failure(err).Text
	}
	out.File = &events.FileState{Path: file.Path, SHA256: file.SHA256, Size: int64(len(file.Data))}
	return text, ""
}

// shortened returns a view that shows only part of the file.
func (w site) shortened(ctx context.Context, v events.ViewRequest) (string, error) {
	if tool := viewTool(v.View, v.Path); tool != "" {
		return w.told(ctx, tool, v.Path)
	}
	err := codetools.ErrNoView
	var text string
	switch v.View {
	case events.ViewCurated:
		text, err = codetools.Curated(ctx, w.Env, v.Path)
	case events.ViewSkeleton:
		text, err = codetools.GoSkeleton(ctx, w.Env, v.Path)
	}
	if errors.Is(err, codetools.ErrNoView) {
		return "", tools.Refuse("this kind of file has no view %s", v.View)
	}
	return text, err
}

// told returns the output of a reading tool for a file.
func (w site) told(ctx context.Context, tool, path string) (string, error) {
	args, err := json.Marshal(map[string]any{"path": path})
	if err != nil {
		return "", err
	}
	prepared, err := w.Tools.Prepare(ctx, w.Env, tool, args)
	if err != nil {
		return "", err
	}
	r := prepared.Run(ctx, nil)
	if r.Failed {
		return "", cmp.Or(r.Err, tools.Refuse("%s", strings.TrimPrefix(r.Text, "ERROR: ")))
	}
	return r.Text, nil
}

// diffView returns the changes of a file since it had the content v.Before.
func (w site) diffView(ctx context.Context, v events.ViewRequest, out *events.View) (text, problem string) {
	file, err := w.Env.Workspace.ReadFile(ctx, v.Path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return "", tools.Failure(err).Text
	}
	if err == nil {
		out.File = &events.FileState{Path: file.Path, SHA256: file.SHA256, Size: int64(len(file.Data))}
	}
	var before []byte
	if v.Before != "" {
		if before, err = w.Blobs.Get(ctx, v.Before); err != nil {
			return "", "the file's earlier content is not stored"
		}
	}
	if !utf8.Valid(before) || !utf8.Valid(file.Data) {
		return "", "the file is not UTF-8 text"
	}
	if string(before) == string(file.Data) {
		return "(the file is unchanged)\n", ""
	}
	return udiff.Unified("a/"+v.Path, "b/"+v.Path, string(before), string(file.Data)), ""
}

// slice returns a part of a file. If the file has changed, the part is found by its anchors. The
// first line says where the part is.
func (w site) slice(ctx context.Context, v events.ViewRequest, out *events.View) (text, problem string) {
	if v.Slice == nil {
		return "", "a view of kind slice needs a slice"
	}
	whole, problem := w.raw(ctx, v.Path, out)
	if problem != "" {
		return "", problem
	}
	was := anchor.Slice{Start: v.Slice.StartLine, End: v.Slice.EndLine, Head: v.Slice.Head, Tail: v.Slice.Tail}
	is, err := anchor.Resolve(whole, was)
	var gone *anchor.GoneError
	switch {
	case errors.As(err, &gone):
		return "", gone.Error() + "; read the file and record the slice again"
	case err != nil:
		return "", err.Error()
	}
	out.Slice = &events.FileSlice{Name: v.Slice.Name, StartLine: is.Start, EndLine: is.End, Head: w.maskLines(is.Head),
		Tail: w.maskLines(is.Tail)}
	at := fmt.Sprintf("lines %d-%d", is.Start, is.End)
	if is.Start != was.Start || is.End != was.End {
		at += fmt.Sprintf(", recorded as lines %d-%d", was.Start, was.End)
	}
	return cmp.Or(v.Slice.Name, "slice") + ": " + at + "\n" + is.Text(whole), ""
}

func (w site) maskLines(lines []string) []string {
	out := make([]string, len(lines))
	for i, line := range lines {
		out[i] = w.mask(line)
	}
	return out
}

// shown reports whether a write would change exactly what the user was shown. If nothing was
// shown, the arguments were approved. If earlier calls of the same reply have changed the file
// since, exactly the same places must change in the same way.
func shown(approved []events.FileChange, planned []tools.PlannedChange) bool {
	if len(approved) == 0 {
		return true
	}
	if len(approved) != len(planned) {
		return false
	}
	for i, a := range approved {
		p := planned[i]
		if a.Path != p.Path || a.Before != p.Before || !a.Moved && a.After != p.After || a.Moved &&
			!p.Makes(placesOf(a.Edits)) {
			return false
		}
	}
	return true
}

// changeOf converts a planned change to its event form.
func changeOf(c tools.PlannedChange) events.FileChange {
	out := events.FileChange{Path: c.Path, Before: c.Before, After: c.After}
	for _, e := range c.Edits {
		out.Edits = append(out.Edits, events.Edit(e))
	}
	return out
}

// edited returns the changes whose edits are known.
func edited(changes []tools.PlannedChange) []events.FileChange {
	var out []events.FileChange
	for _, c := range changes {
		if len(c.Edits) > 0 {
			out = append(out, changeOf(c))
		}
	}
	return out
}

func placesOf(edits []events.Edit) []tools.EditedPlace {
	out := make([]tools.EditedPlace, 0, len(edits))
	for _, e := range edits {
		out = append(out, tools.EditedPlace(e))
	}
	return out
}
