// Package diffs computes the difference between a file before a session and after its calls, from the contents in the
// blob store.
package diffs

import (
	"context"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/aymanbagabas/go-udiff"

	"manualslop/events"
	"manualslop/projections"
)

// File is a changed file with its difference.
type File struct {
	projections.Change
	Added   int    `json:"added"`
	Removed int    `json:"removed"`
	Diff    string `json:"diff,omitempty"`
	// NoDiff says why there is no diff.
	NoDiff string `json:"no_diff,omitempty"`
}

// maxDiffed limits the size of a file for which a diff is computed, in bytes.
const maxDiffed = 4 << 20

// Of adds the difference between a file's first and its newest content.
func Of(ctx context.Context, blobs events.Blobs, f projections.Change) File {
	out := File{Change: f, NoDiff: f.Unknown}
	if out.NoDiff != "" {
		return out
	}
	var texts [2]string
	for i, digest := range []string{f.Before, f.After} {
		if digest == "" {
			continue
		}
		b, err := blobs.Get(ctx, digest)
		switch {
		case err != nil:
			out.NoDiff = err.Error()
		case len(b) > maxDiffed:
			out.NoDiff = fmt.Sprintf("over %d bytes", maxDiffed)
		case !utf8.Valid(b):
			out.NoDiff = "binary"
		}
		if out.NoDiff != "" {
			return out
		}
		texts[i] = string(b)
	}
	from, to := "a/"+f.Path, "b/"+f.Path
	if f.Before == "" {
		from = "/dev/null"
	}
	if f.After == "" {
		to = "/dev/null"
	}
	out.Diff = udiff.Unified(from, to, texts[0], texts[1])
	_, body, _ := strings.Cut(out.Diff, "\n+++ ")
	_, body, _ = strings.Cut(body, "\n")
	for line := range strings.Lines(body) {
		switch line[0] {
		case '+':
			out.Added++
		case '-':
			out.Removed++
		}
	}
	return out
}
