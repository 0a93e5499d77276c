package tiers

import (
	"fmt"
	"slices"

	"manualslop/events"
)

// # Decision versions
//
// Each decider has a version number for its decisions. A change gets a new number here and, at the
// place of the decision, a new branch next to the old one:
//
//	if s.basis.Decision(events.ActorContributor) >= 2 {
//
// with one test that covers both. A session decides with the numbers in its record and takes new
// ones only through [events.DecisionsUpgraded]. A number is never reused. An old branch is removed
// only in a release that rejects, by their numbers, the sessions that need it.

// Decisions returns the newest number of each decider; they are defined only here.
func Decisions() map[string]int {
	return map[string]int{
		// 2: rules for commands, a text with Own does not taint, and a question passes on what its attempt read,
		// and edited arguments count once a worker has shown that they can run, and scripts may name a time limit
		events.ActorApproval: 2,
		// 2: a ticket starts at once if its start needs no approval; 3: turns can be killed, a ticket that could
		// not be reviewed is blocked, a review knows answers to questions, and a start is asked about with files
		events.ActorConductor: 3,
		// 2: a reading call checks whether known files changed; 3: turns in discussions, a
		// refresh compares tracked files with the start of the attempt, and a view
		// that a user chose is used for small files, too; steps show messages and calls;
		// the only ticket of a goal knows what earlier goals did
		events.ActorContributor: 3,
		// 2: the planning model may request files; 3: a plan knows what earlier goals did
		events.ActorLead: 3,
		// 2: one ticket may be enough for a goal, and a plan knows what earlier goals did
		events.ActorPlanner: 2,
		events.ActorQA:      1,
	}
}

// KnowsBasis returns nil if this program can decide as a session's basis requires. Otherwise it
// returns events.ErrNewer with what is missing in plain words.
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

// knowsDecisions checks the numbers that an event sets for a session against ours.
func knowsDecisions(e *events.Event) error {
	if basis, given := (events.Basis{}).Changed(e.Payload); given {
		return KnowsBasis(e.Session, basis)
	}
	return nil
}

// Words returns the text of a basis with this name as a system part of a prompt; none if the
// session has no such text.
func Words(b events.Basis, name string) []events.Part {
	t, has := b.Text(name)
	if !has {
		return nil
	}
	return []events.Part{{Role: "system", SHA256: t.SHA256, Size: t.Size}}
}
