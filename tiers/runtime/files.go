package runtime

import (
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"math"
	"strings"
	"unicode/utf8"

	"github.com/aymanbagabas/go-udiff"

	"manualslop/events"
	"manualslop/tiers"
	"manualslop/tiers/llm"
	"manualslop/tools"
	"manualslop/tools/builtin"
	"manualslop/tools/sandbox"
)

// treeDepth is the depth of the directory tree in a prompt.
const treeDepth = 4

// preview shows what a writing call would change, without changing anything, or why it or a reading call would fail.
func (w site) preview(ctx context.Context, p events.PreviewRequested) events.Payload {
	out, diff := w.planned(ctx, p)
	out.Diff, out.DiffBlob = w.inline(ctx, diff)
	return out
}

// Preview returns the diff of what a call would change, or why it would fail, exactly as in a worker's answer to
// a recorded request. Only Tools, Home, Workspaces, Mask and Logger are needed.
func (w *Worker) Preview(ctx context.Context, session string, p events.PreviewRequested) (diff string, err error) {
	var out events.PreviewBuilt
	err = w.at(ctx, session, p.Workspace, func(at site) error {
		out, diff = at.planned(ctx, p)
		return nil
	})
	if err == nil && out.Error != "" {
		err = errors.New(out.Error)
	}
	return diff, err
}

// planned returns what a call would change, without its diff, and the whole diff.
func (w site) planned(ctx context.Context, p events.PreviewRequested) (out events.PreviewBuilt, diff string) {
	out.Call = p.Call
	fails := func(r tools.Result) (events.PreviewBuilt, string) {
		var denied *sandbox.DeniedError
		out.Error, out.Denied = w.mask(r.Text), errors.As(r.Err, &denied)
		return out, ""
	}
	prepared, err := w.Tools.Prepare(ctx, w.Env, p.Tool, p.Args)
	if err != nil {
		return fails(tools.Failure(err))
	}
	if effect := prepared.Spec().Effect; effect == tools.Reads || effect == tools.Reads|tools.Wide {
		if r := prepared.Run(ctx, nil); r.Failed { // there is nothing to plan, and a read may run twice
			return fails(r)
		}
		return out, ""
	}
	plan, err := prepared.Plan(ctx)
	if err != nil {
		return fails(tools.Failure(err))
	}
	for _, c := range plan.Changes {
		diff += c.Diff
		out.Changes = append(out.Changes, changeOf(c))
	}
	return out, w.mask(diff)
}

// Views answers a request for views in the user's folder, exactly as a worker would answer the recorded request
// with this id. Only Tools, Home, Blobs, Mask and Logger are needed; texts that do not fit into an event go to
// Blobs.
func (w *Worker) Views(ctx context.Context, request string, p events.ContextRequested) events.Payload {
	return site{Worker: w, Env: w.Home}.views(ctx, request, p)
}

// views answers a request for views, in the order of the request.
func (w site) views(ctx context.Context, request string, p events.ContextRequested) events.Payload {
	out := events.ContextBuilt{Request: request, Views: make([]events.View, len(p.Views))}
	room := maxInlineSum
	for i, v := range p.Views {
		out.Views[i] = w.view(ctx, v, &room)
	}
	if p.Retrieval != nil {
		w.retrieve(ctx, p, &out, &room)
	}
	return out
}

// retrieve adds the passages that a request asks for. Vectors are no longer made once the turn is stopped or
// the session is closed, so that nothing more is paid for them.
func (w site) retrieve(ctx context.Context, p events.ContextRequested, out *events.ContextBuilt, room *int) {
	report := events.Retrieved{Source: events.RetrieveText, Problem: "this worker cannot search files"}
	if w.Retriever != nil {
		if p.Retrieval.Source == events.RetrieveVectors {
			like := events.ToolApproved{Ticket: p.Ticket, Attempt: p.Attempt}
			watched, stop := w.kills.watch(ctx, w.session, like)
			defer stop()
			watched, end := w.untilClosed(watched, w.session, like)
			defer end()
			ctx = watched
		}
		got, found, err := w.Retriever.Find(ctx, w.Env.Workspace, *p.Retrieval)
		if err != nil {
			got.Problem = tools.Failure(err).Text
		}
		report = got
		for _, f := range found {
			v := events.View{Path: f.Path, View: events.ViewRetrieved, Score: math.Round(f.Score*1e4) / 1e4,
				File:  &events.FileState{Path: f.Path, SHA256: f.File, Size: f.FileSize},
				Slice: &events.FileSlice{StartLine: f.First, EndLine: f.Last}}
			out.Views = append(out.Views, w.textView(ctx, f.Text, v, room))
		}
	}
	report.Ticket, report.Tier, report.Problem = p.Ticket, p.Tier, tiers.Clip(w.mask(report.Problem), llm.MaxMessage)
	out.Retrieved = &report
}

// maxInlineSum limits the texts in one event, in bytes of JSON; further texts go to the blob
// store.
const maxInlineSum = 192 << 10

func (w site) view(ctx context.Context, v events.ViewRequest, room *int) events.View {
	out := events.View{Path: v.Path, View: v.View}
	if v.View == events.ViewImage {
		out.Error = w.mask(w.image(ctx, v.Path, &out))
		return out
	}
	var text string
	switch {
	case v.View == events.ViewTree:
		text, out.Error = w.tree(ctx, v.Path)
	case v.View == events.ViewState:
		out.File = w.state(ctx, v.Path)
	case v.View == events.ViewRaw:
		text, out.Error = w.raw(ctx, v.Path, &out)
	case v.View == events.ViewSlice:
		text, out.Error = w.slice(ctx, v, &out)
	case v.View == events.ViewDiff:
		text, out.Error = w.diffView(ctx, v, &out)
	case v.Fallback:
		text, out.Error = w.fallback(ctx, v, &out)
	default:
		text, out.Error = w.toolView(ctx, v, &out)
	}
	out.Error = w.mask(out.Error)
	if out.Error != "" {
		return out
	}
	return w.textView(ctx, text, out, room)
}

// textView adds a text to a view: in the view if there is room, else in the blob store.
func (w site) textView(ctx context.Context, text string, out events.View, room *int) events.View {
	text = w.mask(text)
	out.SHA256, out.Size = events.Digest([]byte(text)), int64(len(text))
	if fits(text, *room) {
		out.Text = text
		*room -= encoded(text)
		return out
	}
	if _, err := w.Blobs.Put(ctx, []byte(text), "text/plain; charset=utf-8"); err != nil {
		return events.View{Path: out.Path, View: out.View, Error: "the view could not be stored: " + err.Error()}
	}
	out.Blob = true
	return out
}

// image stores an image in the blob store unchanged. It returns what is wrong, if anything.
func (w site) image(ctx context.Context, path string, out *events.View) (problem string) {
	file, err := w.Env.Workspace.ReadFile(ctx, path)
	if err != nil {
		return tools.Failure(err).Text
	}
	media := llm.MediaOf(file.Data)
	if media == "" {
		return "the file is not a PNG, JPEG or WebP image"
	}
	if _, err := w.Blobs.Put(ctx, file.Data, media); err != nil {
		return "the image could not be stored: " + err.Error()
	}
	size := int64(len(file.Data))
	out.SHA256, out.Size, out.Blob = file.SHA256, size, true
	out.File = &events.FileState{Path: file.Path, SHA256: file.SHA256, Size: size}
	return ""
}

// tree returns an overview of the project: its files, as many levels as there is room for, and
// their most used definitions.
func (w site) tree(ctx context.Context, path string) (text, problem string) {
	folders := []string{path}
	if path == "." && w.Env.Workspace.Check(path) != nil { // only the folders of tracked files are accessible
		folders = w.Env.Workspace.Directories()
	}
	for _, folder := range folders {
		listed, problem := w.listed(ctx, folder)
		if problem != "" {
			return "", problem
		}
		text += listed
	}
	defined, err := builtin.RepoMap(ctx, w.Env, &w.maps)
	if err != nil {
		defined = "" // the list of files is enough
	}
	// the planner has no tools
	text = strings.ReplaceAll(text, "; call get_tree on a subfolder", "")
	return text + "\n" + defined, ""
}

func (w site) listed(ctx context.Context, path string) (text, problem string) {
	args, err := json.Marshal(map[string]any{"path": path, "max_depth": treeDepth})
	if err != nil {
		return "", err.Error()
	}
	prepared, err := w.Tools.Prepare(ctx, w.Env, "get_tree", args)
	if err != nil {
		return "", tools.Failure(err).Text
	}
	r := prepared.Run(ctx, nil)
	if r.Failed {
		return "", r.Text
	}
	return r.Text, ""
}

func (w site) raw(ctx context.Context, path string, out *events.View) (text, problem string) {
	file, err := w.Env.Workspace.ReadFile(ctx, path)
	if err != nil {
		return "", tools.Failure(err).Text
	}
	out.File = &events.FileState{Path: file.Path, SHA256: file.SHA256, Size: int64(len(file.Data))}
	if !utf8.Valid(file.Data) {
		return "", "the file is not UTF-8 text"
	}
	w.keepFile(ctx, file)
	return string(file.Data), ""
}

// state returns the digest and size of a file, and keeps its content for a later diff.
func (w site) state(ctx context.Context, path string) *events.FileState {
	file, err := w.Env.Workspace.ReadFile(ctx, path)
	if err != nil {
		return &events.FileState{Path: path}
	}
	if utf8.Valid(file.Data) {
		w.keepFile(ctx, file)
	}
	return &events.FileState{Path: path, SHA256: file.SHA256, Size: int64(len(file.Data))}
}

// refresh reads the files of a conversation again and returns those whose content differs. A file
// that cannot be read is returned with an error.
func (w site) refresh(ctx context.Context, request string, p events.RefreshRequested) events.Payload {
	out := events.FilesUpdated{Request: request, Ticket: p.Ticket, Files: []events.FileUpdate{}}
	room := maxInlineSum
	for _, f := range p.Files {
		if u, changed := w.reread(ctx, f, &room); changed {
			out.Files = append(out.Files, u)
		}
	}
	return out
}

// unchanged reports whether a refresh of these files would find nothing.
func (w site) unchanged(ctx context.Context, known []events.FileState) bool {
	for _, f := range known {
		now := ""
		if file, err := w.Env.Workspace.ReadFile(ctx, f.Path); err == nil {
			now = file.SHA256
		}
		if now != f.SHA256 {
			return false
		}
	}
	return true
}

func (w site) reread(ctx context.Context, f events.FileState, room *int) (events.FileUpdate, bool) {
	u := events.FileUpdate{Path: f.Path, Before: f.SHA256}
	file, err := w.Env.Workspace.ReadFile(ctx, f.Path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return u, f.SHA256 != ""
	case err != nil:
		u.Error = w.mask(tools.Failure(err).Text)
		return u, f.SHA256 != ""
	case file.SHA256 == f.SHA256:
		return u, false
	}
	u.After, u.Size = file.SHA256, int64(len(file.Data))
	if !utf8.Valid(file.Data) {
		u.Error = "the file is not UTF-8 text"
		return u, true
	}
	w.keepFile(ctx, file)
	diff := w.mask(udiff.Unified("a/"+f.Path, "b/"+f.Path, w.before(ctx, f), string(file.Data)))
	if fits(diff, *room) {
		u.Diff = diff
		*room -= encoded(diff)
		return u, true
	}
	ref, err := w.Blobs.Put(ctx, []byte(diff), "text/x-diff; charset=utf-8")
	if err != nil {
		u.Error = "the file changed; its diff could not be stored: " + err.Error()
		return u, true
	}
	u.DiffBlob = &ref
	return u, true
}

// before returns the content that the conversation knows; empty if it was not kept.
func (w *Worker) before(ctx context.Context, f events.FileState) string {
	if f.SHA256 == "" {
		return ""
	}
	b, err := w.Blobs.Get(ctx, f.SHA256)
	if err != nil || !utf8.Valid(b) {
		return ""
	}
	return string(b)
}
