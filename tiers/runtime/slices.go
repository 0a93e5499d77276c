package runtime

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"manualslop/events"
	"manualslop/tools/anchor"
)

// slice is a piece of a file, found by its anchors where the file has changed.
// Its first line says where it is.
func (w site) slice(ctx context.Context, v events.ViewRequest, out *events.View) (text, problem string) {
	if v.Slice == nil {
		return "", "a view of the kind slice needs a slice"
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
