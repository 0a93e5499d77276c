package sessionlog

import (
	"errors"
	"fmt"
	"os"
	"path"

	"manualslop/events"
)

// ErrFolder says that a session's log folder has a name that may not be used:
// no plain folder name, or that of an earlier session.
var ErrFolder = errors.New("unusable log folder")

// Base is where the folders of sessions stand below a project.
const Base = "logs/sessions"

// completeMark is an empty file in the folder of a closed session whose logs
// have everything up to its end.
const completeMark = ".complete"

// maxFolderName bounds a folder's name in bytes.
const maxFolderName = 128

// checkFolder refuses names that are more than one harmless path element.
func checkFolder(name string) error {
	ok := name != "" && len(name) <= maxFolderName && name[0] != '.'
	for i := range len(name) {
		c := name[i]
		ok = ok && (c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '_' || c == '-' || c == '.')
	}
	if !ok {
		return fmt.Errorf("%w: %.40q is no plain name", ErrFolder, name)
	}
	return nil
}

// folder is the files of one session as this process left them. It holds none
// of them open.
type folder struct {
	project  *os.Root
	claim    func(name string) error
	renderer *Renderer
	repairs  map[string]*repair // while the beginning is compared; nil afterwards
	settled  bool               // what was rendered so far is in the files
	right    map[string]int64   // sizes of the files
	closed   bool               // the session is
	seq      uint64             // newest event written
}

func newFolder(project *os.Root, claim func(string) error) *folder {
	return &folder{project: project, claim: claim, renderer: NewRenderer(), right: map[string]int64{}}
}

func (d *folder) path(file string) string { return path.Join(Base, d.renderer.Folder(), file) }

// take renders an event into the files; errChanged if they are not what this
// process left.
func (d *folder) take(e *events.Event) error {
	if e.Seq <= d.seq {
		return nil
	}
	d.seq = e.Seq
	pieces := d.renderer.Lines(e)
	if _, opens := e.Payload.(events.SessionOpened); opens && len(pieces) > 0 {
		if err := d.begin(); err != nil {
			return err
		}
	}
	for _, piece := range pieces {
		if err := d.write(piece); err != nil {
			return fmt.Errorf("write %s of %s: %w", piece.File, d.renderer.Folder(), err)
		}
	}
	if _, over := e.Payload.(events.SessionClosed); over {
		d.closed = true
	}
	switch {
	case d.settled && d.repairs != nil:
		return d.settle()
	case d.settled && d.closed:
		return d.sync()
	}
	return nil
}

// begin makes the folder and opens what is there for comparison.
func (d *folder) begin() error {
	name := d.renderer.Folder()
	if err := checkFolder(name); err != nil {
		return err
	}
	if err := d.claim(name); err != nil {
		return err
	}
	if err := d.project.MkdirAll(d.path(Scripts), folderPerm); err != nil {
		return fmt.Errorf("make log folder: %w", err)
	}
	if err := d.project.Remove(d.path(completeMark)); err != nil && !errors.Is(err, os.ErrNotExist) {
		return fmt.Errorf("open log: %w", err)
	}
	d.repairs = map[string]*repair{}
	for _, file := range Files() {
		r, err := beginRepair(d.project, d.path(file))
		if err != nil {
			return fmt.Errorf("open log: %w", err)
		}
		d.repairs[file] = r
	}
	return nil
}

func (d *folder) write(piece Append) error {
	switch {
	case path.Dir(piece.File) == Scripts:
		return writeWhole(d.project, d.path(piece.File), piece.Bytes)
	case len(piece.Bytes) == 0:
		return nil
	case d.repairs != nil:
		return d.repairs[piece.File].write(piece.Bytes)
	}
	if err := appendTo(d.project, d.path(piece.File), d.right[piece.File], piece.Bytes); err != nil {
		return err
	}
	d.right[piece.File] += int64(len(piece.Bytes))
	return nil
}

// settle makes the files be what was rendered so far; from then on events append.
func (d *folder) settle() error {
	repairs := d.repairs
	d.repairs, d.settled = nil, true
	var err error
	for _, file := range Files() {
		r := repairs[file]
		if r == nil {
			continue
		}
		if err == nil {
			err = r.finish()
		}
		d.right[file] = r.right
		err = errors.Join(err, r.close())
	}
	if err == nil && d.closed && len(repairs) > 0 {
		err = d.sync()
	}
	if err != nil {
		return fmt.Errorf("settle logs of %s: %w", d.renderer.Folder(), err)
	}
	return nil
}

// abandon closes files whose comparison came to no end.
func (d *folder) abandon() {
	for _, file := range Files() {
		if r := d.repairs[file]; r != nil {
			_ = r.close() // the files are compared again at the next start
		}
	}
	d.repairs = nil
}

// sync makes the files of a session that is over survive a loss of power, and
// marks the folder: without the mark they are compared again at the next start.
func (d *folder) sync() error {
	for _, file := range Files() {
		if err := syncFile(d.project, d.path(file)); err != nil && !errors.Is(err, os.ErrNotExist) {
			return err
		}
	}
	return writeWhole(d.project, d.path(completeMark), nil)
}
