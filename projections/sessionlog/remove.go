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

// ours tells the names below a session's folder that a writer makes.
var ours = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^(?:(?:comms|toolcalls|apihooks|clicalls)\.log|\.complete|` +
		`scripts/generated/\d{8}_\d{6}_\d{4,}\.(?:ps1|sh)|outputs/\d{4,}_[a-z]+\.txt)(?:\.rebuild)?$`)
})

// ownFolders are the folders that a writer makes in a session's, inner ones first.
func ownFolders() []string { return []string{Scripts, path.Dir(Scripts), Bodies} }

// contents lists what is in a session's folder: files of ours, and what is
// not. Nothing is listed of a folder that is not there; ErrFolder where it, or
// one above it, is a link.
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
			return nil, nil, fmt.Errorf("%w: %s is no folder of its own", ErrFolder, at)
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

// foreignIn lists what is in a session's folder and no log.
func foreignIn(root *os.Root, name string) ([]string, error) {
	_, foreign, err := contents(root, name)
	return foreign, err
}

// remove takes a session's files away, and its folder unless something else is in it.
func (w *Writer) remove(ctx context.Context, session, name string) error {
	if err := w.claimFor(session)(name); err != nil {
		return err
	}
	foreign, err := Remove(w.root.Root, name)
	if err != nil {
		return fmt.Errorf("prune logs: %w", err)
	}
	if len(foreign) > 0 {
		w.logger.WarnContext(ctx, "a pruned log folder stays, as something else is in it", "folder", name, "foreign", foreign)
	}
	return nil
}

// Remove removes the files that a writer made in a session's log folder below
// a project, and the folder if it is empty then. It returns what else is in it.
// ErrFolder if the name may not be used, or leads elsewhere.
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
		_ = root.Remove(path.Join(Base, name, folder)) // one that is not empty stays
	}
	return foreign, nil
}

// clear is remove for a session that is known to be pruned.
func (w *Writer) clear(ctx context.Context, session, name string) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.gone[session] = true
	return w.remove(ctx, session, name)
}

// pruned tells whether the files of a session are gone for good, as of a
// sequence (0: now), and how their folder is called.
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
