package runtime

import (
	"context"
	"errors"
	"strings"
	"sync"
	"unicode/utf8"

	"manualslop/events"
	"manualslop/tools"
	"manualslop/tools/sandbox"
)

// mask takes known secrets out of a text and makes it valid UTF-8, so that its
// digest is that of what the log will hold.
func (w *Worker) mask(s string) string {
	if w.Mask != nil && s != "" {
		s = string(w.Mask([]byte(s)))
	}
	return strings.ToValidUTF8(s, "\uFFFD")
}

// inline splits a text into what stays in the event and, where that is not
// all, the blob that holds the whole. A blob that cannot be stored leaves a cut
// text that says so.
func (w *Worker) inline(ctx context.Context, text string) (string, *events.BlobRef) {
	if fits(text, 2*events.MaxInline) {
		return text, nil
	}
	ref, err := w.Blobs.Put(ctx, []byte(text), "text/plain; charset=utf-8")
	if err != nil {
		w.Logger.Warn("a long text is cut, its blob was not stored", "bytes", len(text), "error", err)
		return head(text, events.MaxInline) + "\n… cut: the rest could not be stored", nil
	}
	return head(text, 4<<10), &ref
}

// fits tells whether a text may stand in an event: at most MaxInline bytes, and
// at most room once it is written as JSON, where some characters take six.
func fits(text string, room int) bool {
	return len(text) <= events.MaxInline && encoded(text) <= room
}

// encoded is the length of a text as a JSON string of encoding/json.
func encoded(text string) int {
	n := 2
	for _, r := range text {
		switch {
		case r == '"' || r == '\\' || r == '\n' || r == '\r' || r == '\t' || r == '\b' || r == '\f':
			n += 2
		case r < 0x20 || r == '<' || r == '>' || r == '&' || r == '\u2028' || r == '\u2029':
			n += 6
		default:
			n += utf8.RuneLen(r)
		}
	}
	return n
}

// head is at most n bytes from the beginning, whole characters only.
func head(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n]
}

// maxKept bounds the files whose content is kept for later diffs, in bytes.
const maxKept = 256 << 10

// known is the set of digests that this worker stored already.
type known struct {
	mu  sync.Mutex
	set map[string]bool
}

func (k *known) has(digest string) bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.set[digest]
}

func (k *known) add(digest string) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.set == nil || len(k.set) > 10_000 {
		k.set = map[string]bool{}
	}
	k.set[digest] = true
}

// remember stores a content unless this worker did before. Its digest is known only
// once it is there.
func (w *Worker) remember(ctx context.Context, digest string, data []byte) error {
	if w.stored.has(digest) {
		return nil
	}
	_, err := w.Blobs.Put(ctx, data, "application/octet-stream")
	if err == nil {
		w.stored.add(digest)
	}
	return err
}

// keep stores the content of files that a conversation has seen, so that a
// later refresh can show what changed. A file that moved on is left out.
func (w site) keep(ctx context.Context, files []events.FileState) {
	for _, f := range files {
		if f.SHA256 == "" || f.Size > maxKept || w.stored.has(f.SHA256) {
			continue
		}
		file, err := w.Env.Workspace.ReadFile(ctx, f.Path)
		if err != nil || file.SHA256 != f.SHA256 {
			continue
		}
		w.keepFile(ctx, file)
	}
}

// keepFile stores a file that is not too large, if it can.
func (w *Worker) keepFile(ctx context.Context, file sandbox.File) {
	if len(file.Data) > maxKept {
		return
	}
	if err := w.remember(ctx, file.SHA256, file.Data); err != nil {
		w.Logger.Warn("a file's content was not kept for diffs", "path", file.Path, "error", err)
	}
}

// keepBefore stores the content of files that are about to change, whatever
// their size, so that an undo can give it back, and takes the diffs out of the
// changes, which a claim does not need. Without it nothing is written; the error
// is a refusal where the content is why.
func (w site) keepBefore(ctx context.Context, changes []tools.PlannedChange) error {
	for i, c := range changes {
		changes[i].Diff = ""
		if c.Before == "" || w.stored.has(c.Before) {
			continue
		}
		file, err := w.Env.Workspace.ReadFile(ctx, c.Path)
		if err == nil && file.SHA256 != c.Before {
			err = errors.New("it changed meanwhile")
		}
		if err == nil {
			err = w.remember(ctx, c.Before, file.Data)
			if err != nil && !errors.Is(err, events.ErrTooLarge) && !errors.Is(err, events.ErrFull) {
				return err // another attempt may fare better
			}
		}
		if err != nil {
			return tools.Refuse("what %s holds could not be kept for an undo (%v), so nothing was written", c.Path, err)
		}
	}
	return nil
}
