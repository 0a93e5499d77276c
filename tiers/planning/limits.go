package planning

import (
	"errors"
	"fmt"
	"strings"

	"manualslop/events"
	"manualslop/events/chars"
	"manualslop/tiers"
)

// Limits of a plan. Together they keep every event that contains a part of it below
// events.MaxEventBytes.
const (
	// MaxPlanBytes limits a plan in the log, in bytes of JSON.
	MaxPlanBytes = 384 << 10
	// MaxItemBytes limits one track or ticket in bytes of JSON.
	MaxItemBytes = 128 << 10
	// MaxTextBytes limits the description of one track or ticket in bytes.
	MaxTextBytes = 32 << 10
	// MaxErrorBytes limits the error text that is recorded and sent to the model.
	MaxErrorBytes = 2 << 10
)

// maxListed limits how many names one sentence lists.
const maxListed = 100

// CheckSize rejects a value larger than limit, in bytes of JSON.
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

// CheckID rejects an invalid id of a track or ticket.
func CheckID(id string) error {
	if !events.ValidToken(id) {
		return fmt.Errorf("id %s is not 1 to %d characters of A-Z a-z 0-9 _ -", chars.Quote(tiers.Clip(id, events.MaxToken)),
			events.MaxToken)
	}
	return nil
}

// CheckText rejects a description that is missing, too long, or the placeholder of the prompt's
// template.
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

// List joins the last maxListed names.
func List(names []string) string {
	if len(names) > maxListed {
		return strings.Join(names[len(names)-maxListed:], ", ") + fmt.Sprintf(" and %d earlier ones", len(names)-maxListed)
	}
	return strings.Join(names, ", ")
}
