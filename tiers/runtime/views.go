package runtime

import (
	"context"
	"encoding/json"
	"path"
	"strings"

	"manualslop/events"
	"manualslop/tools"
)

// injected answers a person's wish for one view, as views of a prompt are answered.
func (w *Worker) injected(ctx context.Context, request string, p events.ContextInjectionRequested) events.Payload {
	room := maxInlineSum
	return events.ContextBuilt{Request: request, Views: []events.View{w.view(ctx, events.ViewRequest{Path: p.Path, View: p.View}, &room)}}
}

// viewTool is the tool that makes a view of a file; empty where none does.
func viewTool(view, file string) string {
	family := ""
	switch strings.ToLower(path.Ext(file)) {
	case ".py", ".pyi", ".pyw":
		family = "py"
	case ".c", ".h":
		family = "ts_c"
	case ".cc", ".cpp", ".cxx", ".hh", ".hpp", ".hxx":
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

// toolView makes a view with a tool that reads, and notes which file it is of.
func (w *Worker) toolView(ctx context.Context, v events.ViewRequest, out *events.View) (text, problem string) {
	tool := viewTool(v.View, v.Path)
	if tool == "" {
		return "", "there is no view " + v.View + " of this kind of file"
	}
	file, err := w.Env.Workspace.ReadFile(ctx, v.Path)
	if err != nil {
		return "", tools.Failure(err).Text
	}
	out.File = &events.FileState{Path: file.Path, SHA256: file.SHA256, Size: int64(len(file.Data))}
	args, err := json.Marshal(map[string]any{"path": v.Path})
	if err != nil {
		return "", err.Error()
	}
	prepared, err := w.Tools.Prepare(ctx, w.Env, tool, args)
	if err != nil {
		return "", tools.Failure(err).Text
	}
	r := prepared.Run(ctx, nil)
	if r.Failed {
		return "", r.Text
	}
	return r.Text, ""
}
