package planner

import (
	"errors"
	"fmt"
	"strconv"

	"manualslop/events"
	"manualslop/tiers/planning"
)

// MaxTracks limits the number of tracks of one goal.
const MaxTracks = 64

// trackIDs holds the ids of the session's tracks.
type trackIDs struct {
	used  map[string]bool
	order []string
}

func (t *trackIDs) add(tracks []events.Track) {
	for _, track := range tracks {
		t.used[track.ID] = true
		t.order = append(t.order, track.ID)
	}
}

// soloAnswer is the item of a plan that says that one ticket is enough.
type soloAnswer struct {
	OneTicket bool `json:"one_ticket"`
}

// errNotSolo rejects a plan that is not exactly one [soloAnswer].
var errNotSolo = errors.New("it does not say that one ticket is enough")

// readSolo reports whether a reply says that one ticket is enough for the current goal.
func readSolo(reply string) bool {
	_, err := planning.Read(reply, "tracks", func(items []soloAnswer) error {
		if len(items) != 1 || !items[0].OneTicket {
			return errNotSolo
		}
		return nil
	})
	return err == nil
}

// read parses the plan of the current goal in a reply.
func (s *State) read(reply string) (events.Payload, error) {
	if s.desk.Basis.Decision(events.ActorPlanner) >= 2 && readSolo(reply) {
		if why := s.needsTracks(); why != "" {
			// our words: needsTracks writes this text.
			return nil, errors.New("one_ticket is not possible for this goal, because " + why + ": write tracks")
		}
		return events.PlanSkipped{Goal: s.goal.id}, nil
	}
	tracks, err := planning.Read(reply, "tracks", s.check)
	if err != nil {
		return nil, err
	}
	s.taken.fill(tracks)
	return events.TracksProposed{Goal: s.goal.id, Tracks: tracks}, nil
}

func (s *State) check(tracks []events.Track) error {
	switch {
	case len(tracks) == 0:
		return errors.New("the array holds no track")
	case len(tracks) > MaxTracks:
		return fmt.Errorf("%d tracks, at most %d are allowed", len(tracks), MaxTracks)
	}
	seen := make(map[string]bool, len(tracks))
	for i, t := range tracks {
		err := planning.CheckText(t.Description)
		if err == nil {
			err = planning.CheckPersona(s.desk.Settings.Roster, t.Persona)
		}
		if err == nil {
			err = planning.CheckSize(t, planning.MaxItemBytes)
		}
		if err == nil && t.ID != "" {
			err = s.checkID(t.ID, seen)
		}
		if err != nil {
			return fmt.Errorf("track %d: %w", i+1, err)
		}
	}
	return nil
}

func (s *State) checkID(id string, seen map[string]bool) error {
	switch {
	case seen[id]:
		return fmt.Errorf("the id %s is used twice", id)
	case s.taken.used[id]:
		return fmt.Errorf("the id %s belongs to an earlier goal", id)
	}
	seen[id] = true
	return planning.CheckID(id)
}

// fill sets the id of tracks without one to TR-<n>, where n is the track's number in the session,
// skipping ids in use.
func (t *trackIDs) fill(tracks []events.Track) {
	seen := make(map[string]bool, len(tracks))
	for _, track := range tracks {
		seen[track.ID] = true
	}
	n := len(t.order)
	for i := range tracks {
		n++
		if tracks[i].ID != "" {
			continue
		}
		id := "TR-" + strconv.Itoa(n)
		for seen[id] || t.used[id] {
			n++
			id = "TR-" + strconv.Itoa(n)
		}
		tracks[i].ID = id
		seen[id] = true
	}
}
