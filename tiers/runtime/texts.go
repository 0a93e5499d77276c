package runtime

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"strings"
	"sync"
	"unicode/utf8"

	"manualslop/events"
	"manualslop/tiers/llm"
	"manualslop/tools"
	"manualslop/tools/sandbox"
)

// mask removes known secrets from a text and makes it valid UTF-8, so that its
// digest matches the text in the log.
func (w *Worker) mask(s string) string {
	if w.Mask != nil && s != "" {
		s = string(w.Mask([]byte(s)))
	}
	return strings.ToValidUTF8(s, "\uFFFD")
}

// inline splits a text into the part to put into an event and, if that is not all, a blob with the
// whole text. If the blob cannot be stored, the text is cut and says so.
func (w *Worker) inline(ctx context.Context, text string) (string, *events.BlobRef) {
	if fits(text, 2*events.MaxInline) {
		return text, nil
	}
	ref, err := w.Blobs.Put(ctx, []byte(text), "text/plain; charset=utf-8")
	if err != nil {
		w.Logger.Warn("a long text was cut because its blob could not be stored", "bytes", len(text), "error", err)
		return head(text, events.MaxInline) + "\n… cut: the rest could not be stored", nil
	}
	return head(text, 4<<10), &ref
}

// fits reports whether a text fits into an event: at most MaxInline bytes, and at most room bytes
// as a JSON string, in which some characters take six.
func fits(text string, room int) bool {
	return len(text) <= events.MaxInline && encoded(text) <= room
}

// encoded returns the length of a text as a JSON string written by encoding/json.
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

// head returns at most the first n bytes without splitting a character.
func head(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n]
}

// maxKept limits the size of files whose content is kept for later diffs, in bytes.
const maxKept = 256 << 10

// known is the set of digests that this worker has stored.
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

// remember stores content unless this worker has already stored it. Its digest counts as known
// only once it is stored.
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

// keep stores the content of files that a conversation has seen, so that a later refresh can show
// what changed. It skips files that have changed since.
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

// keepFile stores the content of a file unless it is too large. A failure is only logged.
func (w *Worker) keepFile(ctx context.Context, file sandbox.File) {
	if len(file.Data) > maxKept {
		return
	}
	if err := w.remember(ctx, file.SHA256, file.Data); err != nil {
		w.Logger.Warn("cannot keep a file's content for diffs", "path", file.Path, "error", err)
	}
}

// keepBefore stores the content of files that are about to change, whatever their size, so that an
// undo can restore it. It removes the diffs from the changes, because a claim does not need them.
// If it fails, nothing may be written; the error is a refusal if the content is the reason.
func (w site) keepBefore(ctx context.Context, changes []tools.PlannedChange) error {
	for i, c := range changes {
		changes[i].Diff = ""
		if c.Before == "" || w.stored.has(c.Before) {
			continue
		}
		file, err := w.Env.Workspace.ReadFile(ctx, c.Path)
		if err == nil && file.SHA256 != c.Before {
			err = errors.New("it has changed since")
		}
		if err == nil {
			err = w.remember(ctx, c.Before, file.Data)
			if err != nil && !errors.Is(err, events.ErrTooLarge) && !errors.Is(err, events.ErrFull) {
				return err // another attempt may succeed
			}
		}
		if err != nil {
			return tools.Refuse("the content of %s could not be saved for an undo (%v), so nothing was written", c.Path, err)
		}
	}
	return nil
}

// masked removes known secrets from a reply and makes its text valid UTF-8,
// before its digest is computed.
func (m *Models) masked(r llm.Reply) llm.Reply {
	r.Text = m.hideText(strings.ToValidUTF8(r.Text, "\uFFFD"))
	r.Model = m.hideText(r.Model)
	for i := range r.Calls {
		r.Calls[i] = m.maskedCall(r.Calls[i])
	}
	if masked := m.hide(r.Raw); !bytes.Equal(masked, r.Raw) {
		r.Raw = nil // the vendor would reject a changed block
	}
	r.CLI = m.hideRun(r.CLI)
	return r
}

// maskedCall returns a call with known secrets removed. If its arguments are not valid JSON
// afterwards, the call cannot run.
func (m *Models) maskedCall(c events.ToolCall) events.ToolCall {
	c.Name, c.Malformed = m.hideText(c.Name), m.hideText(c.Malformed)
	if c.Args = m.hide(c.Args); !json.Valid(c.Args) {
		c.Args, c.Malformed = json.RawMessage("{}"), "the arguments contain a secret"
	}
	return c
}

// hide removes known secrets from bytes.
func (m *Models) hide(b []byte) []byte {
	if m.Mask == nil {
		return b
	}
	return m.Mask(b)
}

func (m *Models) hideText(s string) string { return string(m.hide([]byte(s))) }

// hideRun returns a program run with known secrets removed.
func (m *Models) hideRun(c *events.CLICall) *events.CLICall {
	if c == nil {
		return nil
	}
	out := *c
	out.Stdout, out.Stderr, out.Session = m.hideText(c.Stdout), m.hideText(c.Stderr), m.hideText(c.Session)
	out.Command, out.OwnTools = m.hideEach(c.Command), m.hideEach(c.OwnTools)
	return &out
}

func (m *Models) hideEach(texts []string) []string {
	var out []string
	for _, s := range texts {
		out = append(out, m.hideText(s))
	}
	return out
}

// maxWord limits the bytes that live text holds back for one word; no single-line key is that
// long.
const maxWord = 4 << 10

// wholeWords splits streamed text at word boundaries. Models write a key in several pieces, and a
// mask would not find it in any single one.
type wholeWords struct{ begun string }

// take returns the words that the next piece completes.
func (w *wholeWords) take(piece string) string {
	all := w.begun + piece
	at := len(all)
	for at > 0 && inWord(all[at-1]) {
		at--
	}
	if len(all)-at > maxWord {
		at = len(all)
	}
	w.begun = all[at:]
	return all[:at]
}

// end returns the remaining text.
func (w *wholeWords) end() string {
	rest := w.begun
	w.begun = ""
	return rest
}

// inWord reports whether a byte can be part of a key: visible ASCII.
func inWord(c byte) bool { return c > ' ' && c < 0x7f }

// artifact refers to a complete text in the blob store.
type artifact struct {
	Name string `json:"name"`
	events.BlobRef
	Cut bool `json:"cut,omitempty"` // only the beginning was stored
}

// twin returns the recorded form of a call's structured result, with a member "artifacts" if
// complete texts were stored. A result that is too long is left out, but its artifacts are kept.
func (w *Worker) twin(ctx context.Context, r tools.Result) json.RawMessage {
	artifacts := w.store(ctx, r.Artifacts)
	data := w.bounded(r.Data)
	if len(artifacts) == 0 {
		return data
	}
	members := map[string]json.RawMessage{}
	if data != nil && json.Unmarshal(data, &members) != nil {
		return data // not an object, so artifacts cannot be added
	}
	var err error
	if members["artifacts"], err = json.Marshal(artifacts); err != nil {
		return data
	}
	joined, err := json.Marshal(members)
	if err != nil {
		return data
	}
	return joined
}

// bounded returns the masked JSON of a result, or nil if it is too long.
func (w *Worker) bounded(answer any) json.RawMessage {
	data, err := json.Marshal(answer)
	if err != nil || answer == nil || len(data) > maxData || encoded(string(data)) > 2*maxData {
		return nil
	}
	if data = []byte(w.mask(string(data))); !json.Valid(data) {
		return nil
	}
	return data
}

// store saves complete texts in the blob store, masked like everything that leaves the worker.
func (w *Worker) store(ctx context.Context, texts []tools.Artifact) []artifact {
	var out []artifact
	for _, text := range texts {
		body := text.Data
		if w.Mask != nil {
			body = w.Mask(body)
		}
		ref, err := w.Blobs.Put(ctx, body, "text/plain; charset=utf-8")
		if err != nil {
			w.Logger.Warn("cannot store a complete output", "name", text.Name, "bytes", len(body), "error", err)
			continue
		}
		out = append(out, artifact{Name: text.Name, BlobRef: ref, Cut: text.Cut})
	}
	return out
}
