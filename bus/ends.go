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

	"manualslop/bus/durable"
	"manualslop/events"
)

// ends is what a store held when it was last looked at. It is the lower bound
// for the next start: what is missing of it was lost.
type ends struct {
	// Made is set when the making of the store is complete. Before, nothing
	// was acknowledged.
	Made bool `json:"made"`
	// Closed is set by an orderly stop: the store must be as recorded.
	Closed bool `json:"closed"`
	// Boot names the run of the machine; empty where the system does not tell.
	Boot       string             `json:"boot,omitempty"`
	Durability string             `json:"durability"`
	Log        streamEnd          `json:"log"`
	Claims     streamEnd          `json:"claims"`
	Blobs      streamEnd          `json:"blobs"`
	Pools      map[string]poolEnd `json:"pools,omitempty"`
	// ClaimsLost is set while damaged claims are being replaced.
	ClaimsLost bool `json:"claims_lost,omitempty"`
}

// streamEnd is the end of a stream: what stood there, and what is on the disk
// for sure.
type streamEnd struct {
	Seq     uint64    `json:"seq"`
	Subject string    `json:"subject,omitempty"`
	ID      string    `json:"id,omitempty"`
	Time    time.Time `json:"time,omitzero"`
	Synced  uint64    `json:"synced"`
}

// poolEnd is the position of a pool: the sequence up to which everything is
// done, and the last one that was handed out.
type poolEnd struct {
	Floor     uint64 `json:"floor"`
	Delivered uint64 `json:"delivered"`
}

// of is the recorded end of a stream.
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

// readEnds reads the record of a store; the zero value where there is none.
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

// lostEnds is the damage of a store whose record is not what was written.
func lostEnds(store, how string) error {
	return &DamageError{
		What: fmt.Sprintf("%s, which records how long the log is, %s", endsPath(store), how),
		Remedy: "Restore the data folder from a copy, or run `slop doctor --repair`: " +
			"if everything else can be read, it takes the log as it is and gives every open call that may have begun to a person",
	}
}

// write replaces the record, with its checksum in a second line.
func (e ends) write(store string) error {
	body, err := json.Marshal(e)
	if err != nil {
		return err
	}
	return durable.WriteFile(endsPath(store), fmt.Appendf(nil, "%s\n%s\n", body, events.Digest(body)))
}

// powerLost tells whether the store may have lost its newest part without
// damage: relaxed durability, and the machine started again since.
func (e ends) powerLost() bool {
	return e.Durability == Relaxed && !e.Closed && (e.Boot == "" || e.Boot != bootID())
}

// Between two records of the guard other parts of the store tell how long the
// log was: who claimed a call saw its approval there, and a snapshot names the
// event up to which it was made.

// holdClaims makes sure that the approval of every claim is on the log. Settled
// calls have no claim, so they are few.
func (s *Server) holdClaims(ctx context.Context, before *survey) error {
	return s.admin.eachClaim(ctx, func(key string, value []byte) error {
		var claim struct {
			Approved uint64 `json:"approved"`
		}
		if json.Unmarshal(value, &claim) != nil || claim.Approved == 0 {
			return nil // it does not tell
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
			fmt.Sprintf("a call of session %s was begun on event %d, and that event is not there", session, claim.Approved))
	})
}

// holdNewestSnapshot makes sure that the event of the newest snapshot is on the log.
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
		At position `json:"at"` // of a decider
	}
	err = readSnapshot(m.Body, &snap)
	seq := max(snap.Seq, snap.At.Seq)
	if err != nil || seq == 0 {
		return nil // it does not tell
	}
	at, err := s.admin.storedAt(ctx, seq)
	if err != nil {
		return err
	}
	if at == nil {
		return before.damage(StreamEvents, fmt.Sprintf("a snapshot was made at event %d, and that event is not there", seq))
	}
	return nil
}

// newest is the last message of a stream; nil if it is deleted or there is none.
func (s *Server) newest(ctx context.Context, stream string) (*stored, error) {
	info, err := s.admin.stream(ctx, stream)
	if err != nil || info.State.LastSeq == 0 {
		return nil, err
	}
	return s.admin.directGet(ctx, apiDirectGet+stream, getRequest{Seq: info.State.LastSeq})
}
