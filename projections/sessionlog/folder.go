package sessionlog

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path"
	"strings"
	"time"

	"manualslop/events"
)

// ErrFolder means that the name of a session's log folder is not allowed, because it is not a
// plain name or an earlier session uses it.
var ErrFolder = errors.New("unusable log folder")

// Base is the folder, below a project, that holds the folders of its sessions.
const Base = "logs/sessions"

// maxFolderName limits the length of a folder's name, in bytes.
const maxFolderName = 128

// checkFolder rejects a name that is not a single harmless path element.
func checkFolder(name string) error {
	ok := name != "" && len(name) <= maxFolderName && name[0] != '.'
	for i := range len(name) {
		c := name[i]
		ok = ok && (c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '_' || c == '-' || c == '.')
	}
	if !ok {
		return fmt.Errorf("%w: %.40q is not a plain name", ErrFolder, name)
	}
	return nil
}

// folder is the state of one session's files as this process left them, and what is not written
// yet.
type folder struct {
	project  *disk
	blobs    events.Blobs // nil if there are none
	claim    func(name string) error
	renderer *Renderer
	repairs  map[string]*repair // while the existing files are compared; nil afterwards
	settled  bool               // everything rendered so far is in the files
	right    map[string]int64   // sizes of the files
	waiting  map[string][]byte  // content for the log files that the next flush writes
	unsynced map[string]bool    // files written since the last sync
	held     *held              // nil if not open
	lacking  bool               // a blob was not available, so the folder is incomplete
	closed   bool               // the session is closed
	seq      uint64             // newest event taken
	used     uint64             // Writer.taken at the newest event
}

func (w *Writer) newFolder(session string) *folder {
	return &folder{project: w.root, blobs: w.blobs, claim: w.claimFor(session), renderer: NewRenderer(),
		right: map[string]int64{}, waiting: map[string][]byte{}, unsynced: map[string]bool{}}
}

func (d *folder) path(file string) string { return path.Join(Base, d.renderer.Folder(), file) }

// take renders an event. Files that are written as a whole are written at once, log files with the
// next flush. It returns errChanged if another program changed the folder.
func (d *folder) take(ctx context.Context, e *events.Event) error {
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
		if err := d.write(ctx, piece); err != nil {
			return fmt.Errorf("write %s of %s: %w", piece.File, d.renderer.Folder(), err)
		}
	}
	if _, over := e.Payload.(events.SessionClosed); over {
		d.closed = true
	}
	if d.settled && d.repairs != nil {
		return d.settle()
	}
	return nil
}

// flush writes pending content, and the mark of a closed session. It returns errChanged if another
// program changed the files.
func (d *folder) flush() error {
	if len(d.waiting) > 0 && !d.intact(Files()) {
		return errChanged
	}
	for _, file := range Files() {
		b := d.waiting[file]
		if len(b) == 0 {
			continue
		}
		f, err := d.held.file(file)
		if err == nil {
			_, err = f.WriteAt(b, d.right[file])
		}
		if err != nil {
			return fmt.Errorf("write %s of %s: %w", file, d.renderer.Folder(), err)
		}
		d.right[file] += int64(len(b))
		d.unsynced[file] = true
	}
	clear(d.waiting)
	if d.settled && d.closed {
		return d.sync()
	}
	return nil
}

// open opens the folder unless it is open. It returns errChanged if another program changed it.
func (d *folder) open() (*held, error) {
	if d.held == nil {
		h, err := hold(d.project, path.Join(Base, d.renderer.Folder()))
		if err != nil {
			return nil, err
		}
		d.held = h
	}
	if !d.held.inPlace() {
		return nil, errChanged
	}
	return d.held, nil
}

// release closes the folder's files.
func (d *folder) release() {
	if d.held != nil {
		_ = d.held.release() // nothing is written on closing
		d.held = nil
	}
}

// begin creates the folder and opens existing files for comparison.
func (d *folder) begin() error {
	name := d.renderer.Folder()
	if err := checkFolder(name); err != nil {
		return err
	}
	if err := d.claim(name); err != nil {
		return err
	}
	if err := d.makeFolders(); err != nil {
		return err
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

// makeFolders creates the session's folders. None of them may be a link, because writing through
// it could overwrite other files of the project.
func (d *folder) makeFolders() error {
	name := ""
	for element := range strings.SplitSeq(d.path(Scripts), "/") {
		name = path.Join(name, element)
		if err := makeFolder(d.project, name); err != nil {
			return err
		}
	}
	return makeFolder(d.project, d.path(Bodies))
}

func makeFolder(root *disk, name string) error {
	if err := root.Mkdir(name, folderPerm); err != nil && !errors.Is(err, os.ErrExist) {
		return fmt.Errorf("create log folder: %w", err)
	}
	info, err := root.Lstat(name)
	if err != nil {
		return fmt.Errorf("create log folder: %w", err)
	}
	if !info.IsDir() {
		return fmt.Errorf("%w: %s must be a directory", ErrFolder, name)
	}
	return nil
}

// isWhole reports whether a file is written as a whole instead of appended to.
func isWhole(file string) bool { return path.Dir(file) == Scripts || path.Dir(file) == Bodies }

func (d *folder) write(ctx context.Context, piece Append) error {
	switch {
	case isWhole(piece.File):
		return d.writeBody(ctx, piece)
	case len(piece.Bytes) == 0:
		return nil
	case d.repairs != nil:
		return d.repairs[piece.File].write(piece.Bytes)
	}
	d.waiting[piece.File] = append(d.waiting[piece.File], piece.Bytes...)
	return nil
}

// blobWait limits how long to wait for a blob.
const blobWait = 10 * time.Second

// writeBody writes a file as a whole. If its blob is missing, the file says so, and the blob is
// fetched again at the next start.
func (d *folder) writeBody(ctx context.Context, piece Append) error {
	content, name := piece.Bytes, piece.File
	dir, err := d.open()
	if err != nil {
		return err
	}
	if piece.Blob != nil {
		if have, err := dir.ReadFile(name); err == nil && events.Digest(have) == piece.Blob.SHA256 {
			content = have
		} else {
			content = d.fetch(ctx, piece)
		}
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	d.right[name], d.unsynced[name] = int64(len(content)), true
	return writeWhole(dir.disk, name, content)
}

func (d *folder) fetch(ctx context.Context, piece Append) []byte {
	if d.blobs != nil {
		ctx, cancel := context.WithTimeout(ctx, blobWait)
		defer cancel()
		if content, err := d.blobs.Get(ctx, piece.Blob.SHA256); err == nil {
			return content
		}
	}
	d.lacking = true
	return absent(piece.Bytes, piece.Blob)
}

// intact reports whether files still have the sizes that this process left.
func (d *folder) intact(files []string) bool {
	dir, err := d.open()
	if err != nil {
		return false
	}
	for _, file := range files {
		if !dir.as(file, d.right[file]) {
			return false
		}
	}
	return true
}

// settle finishes the comparison: the files are then equal to what was rendered so far, and later
// events append to them.
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
		d.right[file], d.unsynced[file] = r.right, true
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

// abandon closes files whose comparison was not finished.
func (d *folder) abandon() {
	for _, file := range Files() {
		if r := d.repairs[file]; r != nil {
			_ = r.close() // the files are compared again at the next start
		}
	}
	d.repairs = nil
	d.release()
}
