package bus

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"manualslop/bus/durable"
	"manualslop/events"
)

// DamageError describes which part of a store is damaged and what to do. The
// store was not changed.
type DamageError struct {
	What   string
	Remedy string
}

// Error returns the damage and the remedy.
func (e *DamageError) Error() string { return fmt.Sprintf("%v: %s. %s", ErrDamaged, e.What, e.Remedy) }

// Is makes the error match ErrDamaged.
func (e *DamageError) Is(target error) bool { return target == ErrDamaged }

// remedyCopy returns the remedy for data that cannot be recomputed.
func remedyCopy(store string) string {
	return fmt.Sprintf("Nothing was changed. Restore %s from a copy, or move it away to start over", store)
}

// remedyClaims is the remedy for damaged claims.
const remedyClaims = "No calls run, because a call that has started could run twice. Restore the data folder " +
	"from a copy, " +
	"or run `slop doctor --repair`; then you are asked about every open call that may have started"

// damage returns a DamageError for a stream.
func (s *survey) damage(stream, what string) error { return damageOf(s.store, stream, what) }

func damageOf(store, stream, what string) error {
	e := &DamageError{What: titles[stream] + " lost data: " + what, Remedy: remedyCopy(store)}
	if stream == streamClaims {
		e.Remedy = remedyClaims
	}
	return e
}

// prepareStreams creates the streams of a new store and checks those of an existing one. Creating a stream that
// was on disk but is not found would wipe it, so in that case the start fails. Snapshots are the exception.
func (s *Server) prepareStreams(ctx context.Context, before *survey) error {
	for _, want := range streamConfigs(s.cfg.budget(), 1) {
		var err error
		switch {
		case !before.found[want.Name]:
			err = s.admin.ensureStream(ctx, want)
		case want.Name == streamSnapshots:
			err = s.checkSnapshots(ctx, want, before)
		default:
			err = s.checkStream(ctx, want, before)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// checkStream rejects a stream that is lost or has lost messages.
func (s *Server) checkStream(ctx context.Context, want jetstream.StreamConfig, before *survey) error {
	info, err := s.admin.stream(ctx, want.Name)
	if err != nil {
		return before.damage(want.Name, fmt.Sprintf("stream %s is on disk, but the server cannot find it "+
			"(%v)", want.Name,
			err))
	}
	if what := lossOf(want.Name, info.State); what != "" {
		return before.damage(want.Name, what)
	}
	if last := before.scan[want.Name].last; want.Name != streamBlobs && info.State.LastSeq < last {
		return before.damage(want.Name, fmt.Sprintf("the server can read it only up to sequence %d of "+
			"%d", info.State.LastSeq, last))
	}
	if diff := differences(info.Config, want); len(diff) > 0 {
		return &MismatchError{want.Name, diff}
	}
	return s.raiseBudget(ctx, want, info)
}

func (s *Server) raiseBudget(ctx context.Context, want jetstream.StreamConfig, info streamInfo) error {
	if s.cfg.MaxBytes <= 0 || want.MaxBytes <= info.Config.MaxBytes {
		return nil
	}
	if err := s.admin.api(ctx, apiStreamUpdate+want.Name, want, &info); err != nil {
		return fmt.Errorf("raise the disk budget of %s: %w", want.Name, err)
	}
	s.log.Info("disk budget raised", "stream", want.Name, "bytes", want.MaxBytes)
	return nil
}

// checkSnapshots deletes the snapshots if they are damaged or have another
// format, because they can be recomputed.
func (s *Server) checkSnapshots(ctx context.Context, want jetstream.StreamConfig, before *survey) error {
	info, err := s.admin.stream(ctx, want.Name)
	if err == nil && info.State.Lost == nil && len(differences(info.Config, want)) == 0 {
		return s.raiseBudget(ctx, want, info)
	}
	if err == nil || !errors.Is(err, errNoStream) {
		var out struct{}
		if err := s.admin.api(ctx, apiStreamDelete+want.Name, nil, &out); err != nil && !errors.Is(err, errNoStream) {
			return fmt.Errorf("delete damaged snapshots: %w", err)
		}
	}
	before.remark("the snapshots were damaged and are being rebuilt")
	return s.admin.ensureStream(ctx, want)
}

// lossOf describes signs of lost messages, or returns "". Only the log must be complete from 1; in other streams
// messages may have been deleted.
func lossOf(name string, st jetstream.StreamState) string {
	switch {
	case st.Lost != nil:
		return fmt.Sprintf("stream %s has lost %d messages", name, len(st.Lost.Msgs))
	case name != StreamEvents:
	case st.Msgs > 0 && st.FirstSeq != 1:
		return fmt.Sprintf("it starts at event %d instead of 1", st.FirstSeq)
	case st.NumDeleted != 0:
		return fmt.Sprintf("%d events are missing", st.NumDeleted)
	case st.Msgs != st.LastSeq:
		return fmt.Sprintf("it holds %d events of %d", st.Msgs, st.LastSeq)
	}
	return ""
}

// verifyPause is the pause between two blocks that are verified in the background. A block has up to 8 MiB and
// takes about 10 ms.
const verifyPause = 500 * time.Millisecond

// verifyOlder reads the blocks that the survey skipped after an orderly stop, one at a time, and logs damage.
// These blocks are no longer written.
func (s *Server) verifyOlder(ctx context.Context, before *survey) {
	for _, name := range []string{StreamEvents, streamBlobs} {
		var scan streamScan
		if name == StreamEvents {
			scan.next = 1
		}
		for _, f := range before.scan[name].skipped {
			if pause(ctx, verifyPause); ctx.Err() != nil {
				return
			}
			what := ""
			body, err := os.ReadFile(f.path)
			if err != nil {
				what = err.Error()
			} else if scan.scanBlock(f, name, body, false); scan.damage != nil {
				what = scan.damage.String()
			}
			if what != "" {
				s.log.Error("the store is damaged; run `slop doctor` for details", "error", before.damage(name, what))
				break
			}
		}
	}
}

// watch starts the server's background tasks, which run until it is closed.
func (s *Server) watch(ctx context.Context, before *survey) {
	ctx, s.unwatch = context.WithCancel(context.WithoutCancel(ctx))
	s.watching.Go(func() { s.watchRoom(ctx) })
	s.watching.Go(func() { s.verifyOlder(ctx, before) })
}

// ends records the contents of a store when it was last checked. It is a lower bound for the next start: anything
// missing then was lost.
type ends struct {
	// Made is set once the store is completely created. Before that nothing was
	// acknowledged.
	Made bool `json:"made"`
	// Closed is set by an orderly stop: the store must match the record.
	Closed bool `json:"closed"`
	// Boot is the id of the boot; empty if the system does not provide one.
	Boot       string             `json:"boot,omitempty"`
	Durability string             `json:"durability"`
	Log        streamEnd          `json:"log"`
	Claims     streamEnd          `json:"claims"`
	Blobs      streamEnd          `json:"blobs"`
	Pools      map[string]poolEnd `json:"pools,omitempty"`
	// ClaimsLost is set while damaged claims are being replaced.
	ClaimsLost bool `json:"claims_lost,omitempty"`
}

// streamEnd is the end of a stream: its last message, and how much is certainly on disk.
type streamEnd struct {
	Seq     uint64    `json:"seq"`
	Subject string    `json:"subject,omitempty"`
	ID      string    `json:"id,omitempty"`
	Time    time.Time `json:"time,omitzero"`
	Synced  uint64    `json:"synced"`
}

// poolEnd is the position of a pool: the sequence up to which all work is done, and the last delivered sequence.
type poolEnd struct {
	Floor     uint64 `json:"floor"`
	Delivered uint64 `json:"delivered"`
}

// of returns the recorded end of a stream.
func (e ends) of(stream string) streamEnd {
	switch stream {
	case StreamEvents:
		return e.Log
	case streamClaims:
		return e.Claims
	}
	return e.Blobs
}

func (e ends) same(o ends) bool {
	return e.Made == o.Made && e.Closed == o.Closed && e.Boot == o.Boot && e.Durability == o.Durability &&
		e.Log == o.Log && e.Claims == o.Claims && e.Blobs == o.Blobs && e.ClaimsLost == o.ClaimsLost &&
		maps.Equal(e.Pools, o.Pools)
}

func endsPath(store string) string { return filepath.Join(store, "ends.json") }

// readEnds reads the record of a store. It returns the zero value if there is none.
func readEnds(store string) (ends, error) {
	var e ends
	raw, err := os.ReadFile(endsPath(store))
	if errors.Is(err, fs.ErrNotExist) {
		return e, nil
	}
	body, sum, _ := bytes.Cut(raw, []byte("\n"))
	if err == nil && string(bytes.TrimSpace(sum)) != events.Digest(body) {
		err = errors.New("its checksum does not match")
	}
	if err == nil {
		err = json.Unmarshal(body, &e)
	}
	if err != nil {
		return e, lostEnds(store, fmt.Sprintf("cannot be read (%v)", err))
	}
	return e, nil
}

// lostEnds returns the error for a store whose record is missing or altered.
func lostEnds(store, how string) error {
	return &DamageError{
		What: fmt.Sprintf("%s, which records the length of the log, %s", endsPath(store), how),
		Remedy: "Restore the data folder from a copy, or run `slop doctor --repair`: " +
			"if everything else can be read, it accepts the log as it is, and then you are asked about every open call that " +
			"may have started",
	}
}

// write replaces the record. Its checksum is in the second line.
func (e ends) write(store string) error {
	body, err := json.Marshal(e)
	if err != nil {
		return err
	}
	return durable.WriteFile(endsPath(store), fmt.Appendf(nil, "%s\n%s\n", body, events.Digest(body)))
}

// powerLost reports whether the store may have lost its newest part without being damaged: durability is relaxed,
// and the machine has rebooted since.
func (e ends) powerLost() bool {
	return e.Durability == Relaxed && !e.Closed && (e.Boot == "" || e.Boot != bootID())
}

// Other parts of the store show how long the log was between two records of the guard: the holder of a claim saw
// the call's approval, and a snapshot names its last event.

// holdClaims checks that the approval of every claim is in the log. Settled calls have no claim, so there are
// only a few.
func (s *Server) holdClaims(ctx context.Context, before *survey) error {
	return s.admin.eachClaim(ctx, func(key string, value []byte) error {
		var claim struct {
			Approved uint64 `json:"approved"`
		}
		if json.Unmarshal(value, &claim) != nil || claim.Approved == 0 {
			return nil // it does not name an event
		}
		at, err := s.admin.storedAt(ctx, claim.Approved)
		if err != nil {
			return err
		}
		session, _, _ := strings.Cut(key, ".")
		if at != nil {
			if place, err := events.ParseSubject(at.Subject); err == nil && place.Session == session {
				return nil
			}
		}
		return before.damage(StreamEvents,
			fmt.Sprintf("a call of session %s started at event %d, but that event is missing", session, claim.Approved))
	})
}

// holdNewestSnapshot checks that the event of the newest snapshot is in the log.
func (s *Server) holdNewestSnapshot(ctx context.Context, before *survey) error {
	m, err := s.newest(ctx, streamSnapshots)
	if err != nil || m == nil {
		return err
	}
	type position struct {
		Seq uint64 `json:"seq"`
	}
	var snap struct {
		position
		At position `json:"at"` // the decider's position
	}
	err = readSnapshot(m.Body, &snap)
	seq := max(snap.Seq, snap.At.Seq)
	if err != nil || seq == 0 {
		return nil // it does not name an event
	}
	at, err := s.admin.storedAt(ctx, seq)
	if err != nil {
		return err
	}
	if at == nil {
		return before.damage(StreamEvents, fmt.Sprintf("a snapshot was taken at event %d, but that event is missing", seq))
	}
	return nil
}

// newest returns the last message of a stream, or nil if it was deleted or does not exist.
func (s *Server) newest(ctx context.Context, stream string) (*stored, error) {
	info, err := s.admin.stream(ctx, stream)
	if err != nil || info.State.LastSeq == 0 {
		return nil, err
	}
	return s.admin.directGet(ctx, apiDirectGet+stream, getRequest{Seq: info.State.LastSeq})
}
