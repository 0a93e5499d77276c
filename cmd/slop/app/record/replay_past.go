package record

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"

	"manualslop/cmd/slop/client"
	"manualslop/cmd/slop/exit"
	"manualslop/cmd/slop/site"
	"manualslop/events"
	"manualslop/replay"
	"manualslop/tiers/llm"
)

// pastSession is a recorded session.
type pastSession struct {
	// each hands out the decoded events in stream order. Its error says what is wrong with the record itself, possibly
	// only at its end.
	each    func(ctx context.Context, take func(events.Event)) error
	running bool     // its engine may still be running
	blob    llm.Blob // until close
	again   llm.Again
	close   func()
}

// readPast opens a session in a file, if one with that name exists, or in the record.
func readPast(ctx context.Context, g *site.Flags, word string, verify bool) (pastSession, error) {
	if word == "-" {
		return readPipe(ctx, g.In, word, verify)
	}
	f, err := os.Open(word)
	if errors.Is(err, fs.ErrNotExist) && strings.ContainsAny(word, `./\`) { // no session has that name
		return pastSession{}, exit.Errorf(exit.Failed, "no file %q", word)
	}
	if errors.Is(err, fs.ErrNotExist) {
		return readSession(ctx, g, word)
	}
	if err != nil {
		return pastSession{}, exit.Errorf(exit.Failed, "%w", err)
	}
	read := readPastFile
	if info, err := f.Stat(); err != nil || !info.Mode().IsRegular() {
		read = func(ctx context.Context, f *os.File, name string, verify bool) (pastSession, error) {
			return readPipe(ctx, f, name, verify)
		}
	}
	past, err := read(ctx, f, word, verify)
	if err != nil {
		f.Close()
		return pastSession{}, exit.Errorf(exit.Failed, "%s: %w", word, err)
	}
	drop := past.close
	past.close = func() { drop(); f.Close() }
	return past, nil
}

// readPastFile reads a session from a file. To verify prompts it first notes where the events are and reads the blobs,
// which come after the events that name them.
func readPastFile(ctx context.Context, f *os.File, name string, verify bool) (pastSession, error) {
	past := pastSession{each: fileEvents(f, name), close: func() {}}
	if !verify {
		return past, nil
	}
	info, err := f.Stat()
	if err != nil {
		return pastSession{}, err
	}
	index, err := replay.IndexFile(ctx, f, info.Size())
	if err != nil {
		return pastSession{}, err
	}
	past.blob, past.again = index.Blob, index.Events()
	return past, nil
}

// fileEvents hands out the events of a file.
func fileEvents(r io.Reader, name string) func(context.Context, func(events.Event)) error {
	return func(ctx context.Context, take func(events.Event)) error {
		_, _, err := replay.Read(ctx, r, replay.Sink{Event: func(e events.Event) error { take(e); return nil }})
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		return nil
	}
}

// readPipe reads a session from input that can be read only once. To verify it, the input is copied to a temporary
// file.
func readPipe(ctx context.Context, r io.Reader, name string, verify bool) (pastSession, error) {
	if !verify {
		return pastSession{each: fileEvents(r, name), close: func() {}}, nil
	}
	kept, err := os.CreateTemp("", "slop-replay-*.jsonl")
	if err != nil {
		return pastSession{}, exit.Errorf(exit.Failed, "buffer standard input: %w", err)
	}
	drop := func() {
		kept.Close()
		os.Remove(kept.Name())
	}
	past := pastSession{}
	if _, err = io.Copy(kept, io.LimitReader(r, replay.MaxFileBytes+1)); err == nil {
		_, err = kept.Seek(0, io.SeekStart)
	}
	if err == nil {
		past, err = readPastFile(ctx, kept, name, verify)
	}
	if err != nil {
		drop()
		return pastSession{}, exit.Errorf(exit.Failed, "buffer standard input: %w", err)
	}
	past.close = drop
	return past, nil
}

func readSession(ctx context.Context, g *site.Flags, word string) (pastSession, error) {
	p, err := g.Place()
	if err != nil {
		return pastSession{}, err
	}
	_, err = site.FindEngine(p.Data)
	running := err == nil || g.Remote(p)
	d, err := client.OpenRecord(ctx, g, p)
	if err != nil {
		return pastSession{}, err
	}
	s, err := client.Pick(ctx, d, word)
	if err != nil {
		d.Close()
		return pastSession{}, err
	}
	each := func(ctx context.Context, take func(events.Event)) error {
		for e, err := range client.HistoryOf(ctx, d, s.Session) {
			if err != nil {
				return fmt.Errorf("read session %s: %w", s.Session, err)
			}
			take(e)
		}
		return nil
	}
	blob := func(sha256 string) ([]byte, error) { return d.Blobs().Get(ctx, sha256) }
	again := func(seq uint64) (*events.Event, error) {
		for e, err := range d.Feed(ctx, s.Session, seq-1, nil, false) {
			events.Catalogue().Decode(&e)
			return &e, err
		}
		return nil, fmt.Errorf("session %s no longer has event %d", s.Session, seq)
	}
	return pastSession{each: each, running: running, blob: blob, again: again, close: d.Close}, nil
}
