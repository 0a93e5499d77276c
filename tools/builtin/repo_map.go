package builtin

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"time"

	"manualslop/tools"
	"manualslop/tools/document"
	"manualslop/tools/filetools"
	"manualslop/tools/repomap"
	"manualslop/tools/sandbox"
)

// Limits of [RepoMap].
const (
	// RepoMapBytes limits the map to about 15,000 tokens of names.
	RepoMapBytes    = 45_000
	maxMapFiles     = 5000
	maxMapFileBytes = 256 << 10
	maxMapTime      = 5 * time.Second
	// maxMapTrees limits the time of readers that build whole trees; the others need no separate limit.
	maxMapTrees = 2 * time.Second
)

// RepoMap ranks the definitions in the workspace's source files by how much other files use them. It reads as
// many files as it can in the available time and says what it left out. It returns "" if nothing is defined.
// Files that are cached and unchanged are not read.
func RepoMap(ctx context.Context, env tools.Env, cache *repomap.Cache) (string, error) {
	start := time.Now()
	cache.Begin()
	var files []repomap.File
	large, late, unread := 0, 0, 0
	_, err := env.Workspace.Walk(ctx, ".", sandbox.WalkOptions{MaxEntries: filetools.MaxTreeEntries, Gitignore: true},
		func(e sandbox.Entry) error {
			switch {
			case e.Kind != sandbox.KindFile || !repomap.Reads(e.Path):
				return nil
			case e.Size > maxMapFileBytes:
				large++
				return nil
			case len(files) == maxMapFiles || time.Since(start) > maxMapTime:
				late++
				return nil
			}
			state := repomap.State{Folder: env.Workspace.Primary(), Path: e.Path, Size: e.Size, Modified: e.Modified.UnixNano(),
				Changed: e.Changed.UnixNano()}
			file, known := cache.Get(state)
			if !known {
				read, err := env.Workspace.ReadFile(ctx, e.Path)
				if err != nil {
					unread++
					return ctx.Err()
				}
				doc, _ := document.Decode(read.Data) // a binary file has no text
				file = repomap.Read(ctx, e.Path, doc.Text, maxMapTrees-time.Since(start))
				if ctx.Err() != nil {
					return ctx.Err() // its reader was interrupted
				}
				cache.Put(state, file)
			}
			files = append(files, file)
			return nil
		})
	if err != nil && !errors.Is(err, fs.SkipAll) {
		return "", err
	}
	text := repomap.Map(files, RepoMapBytes)
	for _, left := range []struct {
		files int
		why   string
	}{
		{large, fmt.Sprintf("were skipped: they are larger than %d KiB", maxMapFileBytes>>10)},
		{late, fmt.Sprintf("were skipped: the map covers at most %d files and takes at most %s", maxMapFiles, maxMapTime)},
		{unread, "could not be read"},
	} {
		if left.files > 0 {
			text += fmt.Sprintf("… %d more source files %s\n", left.files, left.why)
		}
	}
	return text, nil
}
