package planning

import (
	"fmt"

	"manualslop/events"
	"manualslop/tiers"
)

// MaxRawBytes limits the size of a file that a planning prompt shows in full; a larger one is only
// named.
const MaxRawBytes = 64 << 10

// ViewPart returns the i-th view of a ContextBuilt as a part of a prompt, with a heading. The
// bytes are not copied: the part refers to them.
func ViewPart(built *events.Event, i int, v events.View, heading string) events.Part {
	heading = "# " + tiers.Line(heading) + "\n\n"
	switch {
	case v.Error != "":
		return events.Part{Role: "user", Text: heading + "It cannot be shown: " +
			tiers.Line(tiers.Clip(v.Error, MaxErrorBytes)) + "\n"}
	case v.View == events.ViewRaw && v.Size > MaxRawBytes:
		return events.Part{Role: "user", Text: fmt.Sprintf("%sIt is too large to show: %d bytes.\n", heading, v.Size)}
	}
	return tiers.ViewPart(built.ID, i, v, heading)
}
