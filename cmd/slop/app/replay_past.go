package app

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"

	"manualslop/events"
	"manualslop/replay"
	"manualslop/tiers/llm"
)

// pastSession is a recorded session.
type pastSession struct {
	// each hands out the events, decoded, in stream order, and says what is wrong
	// with the record itself, which may be only its end.
	each    func(ctx context.Context, take func(events.Event)) error
	running bool     // its engine may still be at work on it
	blob    llm.Blob // until close
	close   func()
}

// readPast opens a session in a file, where there is one of that name, or on the
// record.
func (g *globals) readPast(ctx context.Context, word string, verify bool) (pastSession, error) {
	if word == "-" {
		return readPipe(ctx, g.in, word, verify)
	}
	f, err := os.Open(word)
	if errors.Is(err, fs.ErrNotExist) && strings.ContainsAny(word, `./\`) { // no session is called that
		return pastSession{}, failed(exitFailed, "there is no file %q", word)
	}
	if errors.Is(err, fs.ErrNotExist) {
		return g.readSession(ctx, word)
	}
	if err != nil {
		return pastSession{}, failed(exitFailed, "%w", err)
	}
	if info, err := f.Stat(); err != nil || !info.Mode().IsRegular() {
		defer f.Close()
		return readPipe(ctx, f, word, verify)
	}
	past, err := readPastFile(ctx, f, word, verify)
	if err != nil {
		f.Close()
		return pastSession{}, failed(exitFailed, "%s: %w", word, err)
	}
	past.close = func() { f.Close() }
	return past, nil
}

// readPastFile reads a session from a file. To verify prompts it looks for the
// blobs first, which stand behind the events that name them.
func readPastFile(ctx context.Context, f *os.File, name string, verify bool) (pastSession, error) {
	past := pastSession{each: fileEvents(f, name), close: func() {}}
	if !verify {
		return past, nil
	}
	info, err := f.Stat()
	if err != nil {
		return pastSession{}, err
	}
	blobs, err := replay.IndexBlobs(ctx, f, info.Size())
	if err != nil {
		return pastSession{}, err
	}
	past.blob = blobs.Blob
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

// readPipe reads a session from a file that is read once. To verify it, the file
// is kept for as long as that takes.
func readPipe(ctx context.Context, r io.Reader, name string, verify bool) (pastSession, error) {
	if !verify {
		return pastSession{each: fileEvents(r, name), close: func() {}}, nil
	}
	kept, err := os.CreateTemp("", "slop-replay-*.jsonl")
	if err != nil {
		return pastSession{}, failed(exitFailed, "keep standard input: %w", err)
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
		return pastSession{}, failed(exitFailed, "keep standard input: %w", err)
	}
	past.close = drop
	return past, nil
}

func (g *globals) readSession(ctx context.Context, word string) (pastSession, error) {
	p, err := g.place()
	if err != nil {
		return pastSession{}, err
	}
	_, err = findEngine(p.data)
	running := err == nil || g.remote(p)
	d, err := g.openRecord(ctx, p)
	if err != nil {
		return pastSession{}, err
	}
	s, err := pickSession(ctx, d, word)
	if err != nil {
		d.close()
		return pastSession{}, err
	}
	each := func(ctx context.Context, take func(events.Event)) error {
		for e, err := range historyOf(ctx, d, s.Session) {
			if err != nil {
				return fmt.Errorf("read session %s: %w", s.Session, err)
			}
			take(e)
		}
		return nil
	}
	blob := func(sha256 string) ([]byte, error) { return d.blobs().Get(ctx, sha256) }
	return pastSession{each: each, running: running, blob: blob, close: d.close}, nil
}
