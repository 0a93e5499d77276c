package planning

import (
	"errors"
	"fmt"
	"strings"

	"manualslop/events"
	"manualslop/events/chars"
	"manualslop/tiers"
)

// Bounds of a plan. Together they keep every event that repeats a part of it
// below events.MaxEventBytes.
const (
	// MaxPlanBytes bounds a plan as it will stand on the log, in bytes of JSON.
	MaxPlanBytes = 384 << 10
	// MaxItemBytes bounds one track or ticket in bytes of JSON.
	MaxItemBytes = 128 << 10
	// MaxTextBytes bounds the description of one track or ticket in bytes.
	MaxTextBytes = 32 << 10
	// MaxErrorBytes bounds the error text that goes on record and to the model.
	MaxErrorBytes = 2 << 10
)

// maxListed bounds the names listed in one sentence.
const maxListed = 100

// CheckSize refuses what is over limit in bytes of JSON.
func CheckSize(v any, limit int) error {
	n, err := events.SizeOf(v)
	if err != nil {
		return errors.New("it cannot be written as JSON")
	}
	if n > limit {
		return fmt.Errorf("it is %d bytes long as JSON, at most %d are allowed", n, limit)
	}
	return nil
}

// CheckID refuses what cannot name a track or ticket.
func CheckID(id string) error {
	if !events.ValidToken(id) {
		return fmt.Errorf("id %s is not 1 to %d characters of A-Z a-z 0-9 _ -", chars.Quote(tiers.Clip(id, events.MaxToken)),
			events.MaxToken)
	}
	return nil
}

// CheckText refuses a missing or overlong description, and one that the form of the
// prompt has in its place.
func CheckText(s string) error {
	switch trimmed := chars.Trim(s); {
	case strings.HasPrefix(trimmed, "<") && strings.HasSuffix(trimmed, ">") && strings.Count(trimmed, "<") == 1:
		return fmt.Errorf("the description is the form's own %s", chars.Quote(tiers.Clip(trimmed, events.MaxToken)))
	case chars.Trim(s) == "":
		return errors.New("the description is missing")
	case len(s) > MaxTextBytes:
		return fmt.Errorf("the description is %d bytes long, at most %d are allowed", len(s), MaxTextBytes)
	}
	return nil
}

// List joins names, at most a hundred of them.
func List(names []string) string {
	if len(names) > maxListed {
		return strings.Join(names[len(names)-maxListed:], ", ") + fmt.Sprintf(" and %d earlier ones", len(names)-maxListed)
	}
	return strings.Join(names, ", ")
}
