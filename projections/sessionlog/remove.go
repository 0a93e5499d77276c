package sessionlog

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"regexp"
	"slices"
	"strings"
	"sync"

	"manualslop/events"
	"manualslop/projections"
)

// ours matches the names, below a session's folder, of files that a writer creates.
var ours = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^(?:(?:comms|toolcalls|apihooks|clicalls)\.log|\.complete|` +
		`scripts/generated/\d{8}_\d{6}_\d{4,}\.(?:ps1|sh)|outputs/\d{4,}_[a-z]+\.txt)(?:\.rebuild)?$`)
})

// ownFolders returns the folders that a writer creates in a session's folder, inner ones first.
func ownFolders() []string { return []string{Scripts, path.Dir(Scripts), Bodies} }

// contents returns the contents of a session's folder: our files, and others. A missing folder has
// none. It returns ErrFolder if the folder or a parent is a link.
func contents(root *os.Root, name string) (own, foreign []string, err error) {
	if err := checkFolder(name); err != nil {
		return nil, nil, err
	}
	at := ""
	for element := range strings.SplitSeq(path.Join(Base, name), "/") {
		at = path.Join(at, element)
		info, err := root.Lstat(at)
		if errors.Is(err, os.ErrNotExist) {
			return nil, nil, nil
		}
		if err != nil {
			return nil, nil, err
		}
		if !info.IsDir() {
			return nil, nil, fmt.Errorf("%w: %s must be a directory", ErrFolder, at)
		}
	}
	err = fs.WalkDir(root.FS(), at, func(name string, entry fs.DirEntry, err error) error {
		below := strings.TrimPrefix(strings.TrimPrefix(name, at), "/")
		switch {
		case err != nil || below == "":
			return err
		case entry.IsDir() && slices.Contains(ownFolders(), below):
		case entry.Type().IsRegular() && ours().MatchString(below):
			own = append(own, name)
		default:
			foreign = append(foreign, below)
			if entry.IsDir() {
				return fs.SkipDir
			}
		}
		return nil
	})
	return own, foreign, err
}

// foreignIn returns the contents of a session's folder that are not our files.
func foreignIn(root *os.Root, name string) ([]string, error) {
	_, foreign, err := contents(root, name)
	return foreign, err
}

// remove deletes a session's files, and its folder unless that has other files.
func (w *Writer) remove(ctx context.Context, session, name string) error {
	if err := w.claimFor(session)(name); err != nil {
		return err
	}
	foreign, err := Remove(w.root.Root, name)
	if err != nil {
		return fmt.Errorf("prune logs: %w", err)
	}
	if len(foreign) > 0 {
		w.logger.WarnContext(ctx, "a pruned log folder is kept, because it has other "+
			"files", "folder", name, "foreign", foreign)
	}
	return nil
}

// Remove deletes the files that a writer created in a session's log folder below a project, and
// the folder if it is then empty. It returns the other contents. It returns ErrFolder if the name
// is not allowed or is a link.
func Remove(root *os.Root, name string) (foreign []string, err error) {
	own, foreign, err := contents(root, name)
	if err != nil {
		return nil, err
	}
	for _, file := range own {
		if err := root.Remove(file); err != nil && !errors.Is(err, os.ErrNotExist) {
			return nil, err
		}
	}
	for _, folder := range append(ownFolders(), "") {
		_ = root.Remove(path.Join(Base, name, folder)) // a folder that is not empty stays
	}
	return foreign, nil
}

// clear is like remove for a session that is known to be pruned.
func (w *Writer) clear(ctx context.Context, session, name string) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.gone[session] = true
	return w.remove(ctx, session, name)
}

// pruned reports whether the files of a session are pruned, as of a sequence (0 means now), and
// returns the name of their folder.
func (w *Writer) pruned(ctx context.Context, session string, to uint64) (bool, string, error) {
	f := events.Filter{Project: w.project, Session: session}
	pruned := f
	pruned.Type = events.NameOf[events.LogsPruned]()
	if last, err := w.log.Last(ctx, pruned); err != nil || last == 0 {
		return false, "", err
	}
	var s projections.Summarizer
	for e, err := range w.log.Read(ctx, f, 1, to) {
		if err != nil {
			return false, "", err
		}
		if projections.Summarizes(e.Type) {
			w.registry.Decode(&e)
			s.Apply(&e)
		}
	}
	sum := s.Summary()
	return sum.Pruned, sum.Folder, ctx.Err()
}
