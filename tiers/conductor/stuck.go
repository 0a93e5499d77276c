package conductor

import (
	"fmt"
	"strings"

	"manualslop/events"
	"manualslop/tiers"
)

// Limits of a reason.
const (
	// maxReason limits a text that is copied from another event, in bytes.
	maxReason = 2 << 10
	// maxLine limits the text for one of several tickets, in bytes.
	maxLine = 200
	// maxStuck limits the whole reason of a blocked track, in bytes.
	maxStuck = 8 << 10
	// maxNamed limits how many tickets a reason names.
	maxNamed = 20
)

// stuck reports whether nothing in the track can progress without a user. A ticket that waits
// for another track's ticket is not stuck while that track progresses.
func (tr *track) stuck() bool {
	if tr.moving > 0 {
		return false
	}
	for _, t := range tr.tickets {
		if t.phase != todo {
			continue
		}
		for _, d := range t.deps {
			if d.track != tr && d.phase != completed && !d.track.blocked {
				return false
			}
		}
	}
	return true
}

// whyBlocked returns the reason of TrackBlocked.
func (tr *track) whyBlocked() string {
	if tr.fault != "" {
		return tr.fault
	}
	return tr.whyStuck()
}

// whyStuck returns which tickets are not completed, and why.
func (tr *track) whyStuck() string {
	var why []string
	for _, t := range tr.tickets {
		if t.phase == completed {
			continue
		}
		if len(why) == maxNamed {
			why = append(why, fmt.Sprintf("and %d more", tr.open-maxNamed))
			break
		}
		why = append(why, t.whyWaiting())
	}
	return tiers.Clip(strings.Join(why, "; "), maxStuck)
}

func (t *ticket) whyWaiting() string {
	if t.phase == blocked && t.kind != events.BlockDependency {
		return fmt.Sprintf("%s is blocked (%s): %s", t.ID, t.kind, tiers.Clip(t.BlockedReason, maxLine))
	}
	var waits []string
	for _, d := range t.deps {
		switch {
		case d.phase == blocked:
			waits = append(waits, d.ID+", which is blocked")
		case d.phase != completed:
			waits = append(waits, d.ID+", which is not completed")
		}
	}
	for _, id := range t.unknown {
		waits = append(waits, tiers.Clip(id, maxLine)+", which does not exist")
	}
	if len(waits) > maxNamed {
		waits = append(waits[:maxNamed:maxNamed], fmt.Sprintf("%d more", len(waits)-maxNamed))
	}
	return t.ID + " waits for " + strings.Join(waits, " and for ")
}

// brief shortens a text from another author.
func brief(s string) string { return tiers.Clip(s, maxReason) }
