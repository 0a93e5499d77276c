package bus

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/nats-io/nats.go/jetstream"
)

// survey is what lay on disk before the server started.
type survey struct {
	streams map[string]bool // folders of streams
	lastSeq uint64          // of SLOP_EV when it was last recorded; 0: never
}

// marker is the file that remembers that there was a log and how long it was.
type marker struct {
	Stream  string `json:"stream"`
	LastSeq uint64 `json:"last_seq"`
	Created bool   `json:"created"`
}

func markerPath(store string) string { return filepath.Join(store, "log.json") }

// surveyStore looks at the folders of streams and the marker before the server
// touches them.
func surveyStore(store string) (survey, error) {
	s := survey{streams: map[string]bool{}}
	entries, err := os.ReadDir(filepath.Join(store, "jetstream", "$G", "streams"))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return s, fmt.Errorf("survey of the store: %w", err)
	}
	for _, e := range entries {
		s.streams[e.Name()] = true
	}
	body, err := os.ReadFile(markerPath(store))
	if errors.Is(err, fs.ErrNotExist) {
		return s, nil
	}
	if err != nil {
		return s, fmt.Errorf("survey of the store: %w", err)
	}
	var m marker
	if err := json.Unmarshal(body, &m); err != nil {
		return s, fmt.Errorf("%w: %s: %w", ErrDamaged, markerPath(store), err)
	}
	s.lastSeq = m.LastSeq
	if m.Created {
		s.streams[m.Stream] = true
	}
	return s, nil
}

// prepareStreams creates the streams of a new store and checks those of an old
// one. A stream that was on disk and is not found would be wiped by creating
// it, so that ends the start.
func (s *Server) prepareStreams(ctx context.Context, before survey) error {
	for _, want := range streamConfigs(s.cfg.budget(), 1) {
		if before.streams[want.Name] {
			if err := s.checkStream(ctx, want, before); err != nil {
				return err
			}
			continue
		}
		if before.streams[StreamEvents] && want.Name != StreamEvents && before.lastSeq > 0 {
			return fmt.Errorf("%w: the log is there and stream %s is not", ErrDamaged, want.Name)
		}
		if err := s.admin.ensureStream(ctx, want); err != nil {
			return err
		}
	}
	return s.recordEnd()
}

// checkStream refuses a stream that is lost or has lost messages.
func (s *Server) checkStream(ctx context.Context, want jetstream.StreamConfig, before survey) error {
	info, err := s.admin.stream(ctx, want.Name)
	if err != nil {
		return fmt.Errorf("%w: stream %s is on disk under %s and the server does not find it (%w); "+
			"restore the folder from a copy, or move it away to begin anew", ErrDamaged, want.Name, s.cfg.store(), err)
	}
	if err := checkState(want.Name, info.State, before.lastSeq); err != nil {
		return err
	}
	if diff := differences(info.Config, want); len(diff) > 0 {
		return &MismatchError{want.Name, diff}
	}
	if s.cfg.MaxBytes > 0 && want.MaxBytes > info.Config.MaxBytes {
		if err := s.admin.api(ctx, apiStreamUpdate+want.Name, want, &info); err != nil {
			return fmt.Errorf("raise the disk budget of %s: %w", want.Name, err)
		}
		s.log.Info("disk budget raised", "stream", want.Name, "bytes", want.MaxBytes)
	}
	return nil
}

// checkState looks for traces of lost messages. Only the log itself must be
// whole from 1 on: buckets drop old values of a key.
func checkState(name string, st jetstream.StreamState, recorded uint64) error {
	if st.Lost != nil {
		return fmt.Errorf("%w: stream %s has lost %d messages", ErrDamaged, name, len(st.Lost.Msgs))
	}
	if name != StreamEvents {
		return nil
	}
	switch {
	case st.Msgs > 0 && st.FirstSeq != 1:
		return fmt.Errorf("%w: the log begins at %d instead of 1", ErrDamaged, st.FirstSeq)
	case st.NumDeleted != 0:
		return fmt.Errorf("%w: %d events of the log are missing", ErrDamaged, st.NumDeleted)
	case st.Msgs != st.LastSeq:
		return fmt.Errorf("%w: the log holds %d events of %d", ErrDamaged, st.Msgs, st.LastSeq)
	case st.LastSeq < recorded:
		return fmt.Errorf("%w: the log ends at %d and once reached %d", ErrDamaged, st.LastSeq, recorded)
	}
	return nil
}

// recordEnd remembers how long the log is, as a lower bound for the next start.
func (s *Server) recordEnd() error {
	ctx, cancel := context.WithTimeout(context.Background(), startTimeout)
	defer cancel()
	info, err := s.admin.stream(ctx, StreamEvents)
	if err != nil {
		return fmt.Errorf("record the end of the log: %w", err)
	}
	body, err := json.Marshal(marker{Stream: StreamEvents, LastSeq: info.State.LastSeq, Created: true})
	if err != nil {
		return fmt.Errorf("record the end of the log: %w", err)
	}
	return writeFile(markerPath(s.cfg.store()), body)
}
