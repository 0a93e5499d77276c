package tiers

import (
	"fmt"
	"slices"

	"manualslop/events"
)

// # Decision versions
//
// How a decider decides has a number. A change of it is a new number here and,
// where it decides, the new branch beside the old one:
//
//	if s.basis.Decision(events.ActorContributor) >= 2 {
//
// with one test that shows both. A session decides under the numbers that its
// record names and takes new ones only by [events.DecisionsUpgraded]. A number is
// never used twice. An old branch goes only with a release that refuses the
// sessions that need it, by their numbers.

// Decisions returns the newest number of each decider, and the only place where
// they stand.
func Decisions() map[string]int {
	return map[string]int{
		events.ActorApproval:  1,
		events.ActorConductor: 3, // 2: a ticket whose start asks nobody starts at once; 3: turns can be killed
		// 2: a reading call looks whether known files changed; 3: turns in discussions, and a refresh compares tracked
		// files with the beginning of the attempt
		events.ActorContributor: 3,
		events.ActorLead:        2, // a plan's model may ask to be shown files
		events.ActorPlanner:     1,
		events.ActorQA:          1,
	}
}

// KnowsBasis is nil if this program can decide as a session's basis says; else
// events.ErrNewer, with what it takes in plain words.
func KnowsBasis(session string, b events.Basis) error {
	known := Decisions()
	deciders := make([]string, 0, len(b.Decisions))
	// order-independent: sorted below
	for decider := range b.Decisions {
		deciders = append(deciders, decider)
	}
	slices.Sort(deciders)
	for _, decider := range deciders {
		if n := b.Decisions[decider]; n > known[decider] {
			by := ""
			if b.Program != "" {
				by = ", as slop " + b.Program + " has it"
			}
			return fmt.Errorf("%w: session %s needs slop with %s decisions %d%s; this program knows up to %d",
				events.ErrNewer, session, decider, n, by, known[decider])
		}
	}
	return nil
}

// knowsDecisions holds the numbers that an event gives a session against ours.
func knowsDecisions(e *events.Event) error {
	if basis, given := (events.Basis{}).Changed(e.Payload); given {
		return KnowsBasis(e.Session, basis)
	}
	return nil
}

// Words returns the text of a basis with this name as a part of a prompt that
// the system says; none if the session has no such text.
func Words(b events.Basis, name string) []events.Part {
	t, has := b.Text(name)
	if !has {
		return nil
	}
	return []events.Part{{Role: "system", SHA256: t.SHA256, Size: t.Size}}
}
