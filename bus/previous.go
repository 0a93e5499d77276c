package bus

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"manualslop/events"
)

// maxGivenBack bounds the sequences that are given back when a bus opens; more
// wait for their lease.
const maxGivenBack = 10_000

// giveBackOfBefore hands out what was pending in every pool when the server
// ended, because whoever was connected inside its process ended with it. Work
// that a process outside may have under way, and that must not run beside it,
// is left to its lease, which begins anew.
func (s *Server) giveBackOfBefore(ctx context.Context) error {
	pending := 0
	for _, p := range s.cfg.Pools {
		state, err := s.admin.PoolState(ctx, p.Name)
		if err != nil {
			return err
		}
		if pending += state.Pending; state.Pending == 0 {
			continue
		}
		keeps, err := s.keptOutside(ctx, p, state.Done)
		if err != nil {
			return fmt.Errorf("holders of pool %s: %w", p.Name, err)
		}
		var seqs []uint64
		for seq := state.Done + 1; seq <= state.Delivered && len(seqs) < maxGivenBack; seq++ {
			if !keeps(seq) {
				seqs = append(seqs, seq)
				continue
			}
			// The server counts from a time that lies ahead where the clock was set back.
			subject := fmt.Sprintf("$JS.ACK.%s.%s.1.%d.%d.0.0", StreamEvents, p.Name, seq, state.consumer)
			if err := s.admin.nc.Publish(subject, []byte("+WPI")); err != nil {
				return mapConn(err)
			}
		}
		if err := s.admin.GiveBack(ctx, p.Name, seqs); err != nil {
			return err
		}
	}
	if pending > 0 {
		return nil
	}
	return s.keys.outside.forget()
}

// keptOutside tells which events behind done a process outside may work on while
// nobody else may.
func (s *Server) keptOutside(ctx context.Context, p Pool, done uint64) (func(seq uint64) bool, error) {
	kind, project, _ := strings.Cut(p.Name, "-")
	var all bool
	kept := map[uint64]bool{}
	switch kind {
	case events.PoolShort: // what is only looked at may be looked at twice
	case events.PoolModels:
		all = s.keys.outside.has(Models)
	case events.PoolTools:
		if !s.keys.outside.has(Worker) {
			break
		}
		if err := s.claimedOutside(ctx, kept); err != nil {
			return nil, err
		}
		for _, t := range []events.Type{events.WorkspaceRequested{}.EventType(), events.MergeRequested{}.EventType()} {
			f := events.Filter{Project: project, Actor: events.ActorConductor, Type: t.Name}
			for e, err := range s.admin.Read(ctx, f, done+1, 0) {
				if err != nil {
					return nil, err
				}
				kept[e.Seq] = true
			}
		}
	default: // not ours to judge
		all = s.keys.outside.has(Models) || s.keys.outside.has(Worker)
	}
	return func(seq uint64) bool { return all || kept[seq] }, nil
}

// claimedOutside adds the approvals of calls that a process outside has claimed.
// A call without a claim has not begun, or changes nothing.
func (s *Server) claimedOutside(ctx context.Context, kept map[uint64]bool) error {
	return s.admin.eachClaim(ctx, func(_ string, value []byte) error {
		var claim struct {
			Process  string `json:"process"`
			Approved uint64 `json:"approved"`
		}
		if json.Unmarshal(value, &claim) == nil && !endsWithServer(claim.Process) {
			kept[claim.Approved] = true
		}
		return nil
	})
}
