package bus

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"manualslop/events"
)

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
