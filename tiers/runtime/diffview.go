package runtime

import (
	"context"
	"errors"
	"io/fs"
	"unicode/utf8"

	"github.com/aymanbagabas/go-udiff"

	"manualslop/events"
	"manualslop/tools"
)

// diffView shows what changed in a file since it held v.Before.
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
			return "", "what the file held before is not kept"
		}
	}
	if !utf8.Valid(before) || !utf8.Valid(file.Data) {
		return "", "the file is not UTF-8 text"
	}
	if string(before) == string(file.Data) {
		return "(the file is as it was before)\n", ""
	}
	return udiff.Unified("a/"+v.Path, "b/"+v.Path, string(before), string(file.Data)), ""
}
