package sandbox

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
)

// MaxWrites limits the files in one Apply.
const MaxWrites = 1_000

// DefaultMode is the mode of a new file before the process's umask.
const DefaultMode fs.FileMode = 0o644

// Write is the desired state of one file.
type Write struct {
	Path   string
	Before string      // SHA-256 that the file must have now; empty means it must not exist
	After  []byte      // new content; nil removes the file
	Mode   fs.FileMode // permission bits of a new file; zero means DefaultMode; an existing file keeps its own
	// SetMode sets exactly the bits of Mode, for new and existing files and regardless of the umask.
	SetMode bool
}

// Apply writes all the files or none of them. It fails with ErrConflict if a file does not match Before, with
// ErrTooLarge if a file is over the size limit, and with ErrDenied if a file has several hard links. The guard must
// cover every file. If the context ends before the first rename, nothing is written; if it ends later, that has no
// effect. If the process dies between renames, some files have their old content and some the new one, but no file
// has a mixture.
func (g *Guard) Apply(ctx context.Context, writes []Write) error {
	if len(writes) > MaxWrites {
		return fmt.Errorf("%d files, more than the limit of %d: %w", len(writes), MaxWrites, ErrTooLarge)
	}
	t := &transaction{w: g.w}
	defer t.close()
	err := g.stageAll(ctx, t, writes)
	if err == nil {
		err = ctx.Err()
	}
	if err == nil {
		err = t.commit(context.WithoutCancel(ctx))
	}
	if err != nil {
		return errors.Join(err, t.undo())
	}
	return t.sync()
}

// stageAll checks all files and writes their new contents to temporary files.
func (g *Guard) stageAll(ctx context.Context, t *transaction, writes []Write) error {
	for _, write := range writes {
		p, err := g.w.locate(write.Path)
		if err != nil {
			return err
		}
		if _, held := g.files[p.abs()]; !held {
			return fmt.Errorf("%s: the file was not guarded before the write", p.show)
		}
		if err := t.stage(ctx, p, write); err != nil {
			return err
		}
	}
	return nil
}

// transaction is one Apply in progress.
type transaction struct {
	w      *Workspace
	staged []*staged
	made   []place // folders that were created, outermost first
}

// stage checks one file and writes its new content to a temporary file next to it.
func (t *transaction) stage(ctx context.Context, p place, write Write) error {
	if int64(len(write.After)) > t.w.maxBytes {
		return tooLarge(p.show, int64(len(write.After)), t.w.maxBytes)
	}
	if p.rel == "." {
		return &FileError{Path: p.show, Problem: "is a directory", Err: ErrIsDirectory}
	}
	if write.After != nil {
		if err := t.makeParents(p); err != nil {
			return err
		}
	}
	s, err := t.w.stage(ctx, p, write)
	if err != nil {
		return err
	}
	t.staged = append(t.staged, s)
	if write.After == nil {
		return nil
	}
	return s.writeTemp(write)
}

// makeParents creates the missing folders above p.
func (t *transaction) makeParents(p place) error {
	var missing []place
	for up := t.w.parent(p); up.rel != "."; up = t.w.parent(up) {
		_, err := up.base.root.Lstat(filepath.FromSlash(up.rel))
		if err == nil {
			break
		}
		if !errors.Is(err, fs.ErrNotExist) {
			return t.w.explain(up, err)
		}
		missing = append(missing, up)
	}
	for i := len(missing) - 1; i >= 0; i-- {
		err := missing[i].base.root.Mkdir(filepath.FromSlash(missing[i].rel), 0o755)
		switch {
		case err == nil:
			t.made = append(t.made, missing[i])
		case !errors.Is(err, fs.ErrExist):
			return t.w.explain(missing[i], err)
		}
	}
	return nil
}

func (t *transaction) commit(ctx context.Context) error {
	for _, s := range t.staged {
		if err := s.commit(ctx); err != nil {
			return err
		}
	}
	return nil
}

// undo restores what was committed, last first, and removes staged files and created folders.
func (t *transaction) undo() error {
	var errs []error
	for i := len(t.staged) - 1; i >= 0; i-- {
		errs = append(errs, t.staged[i].undo())
	}
	for i := len(t.made) - 1; i >= 0; i-- {
		_ = t.made[i].base.root.Remove(filepath.FromSlash(t.made[i].rel)) // fails if the folder is not empty
	}
	return errors.Join(errs...)
}

// sync makes the renames and new folders durable.
func (t *transaction) sync() error {
	var errs []error
	for _, s := range t.staged {
		errs = append(errs, syncDirectory(s.dir))
	}
	for _, made := range t.made {
		dir, _, err := t.w.open(t.w.parent(made), wantDirectory)
		if err != nil {
			errs = append(errs, err)
			continue
		}
		errs = append(errs, syncDirectory(dir), dir.Close())
	}
	return errors.Join(errs...)
}

func (t *transaction) close() {
	for _, s := range t.staged {
		s.close()
	}
}
