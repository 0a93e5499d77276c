package tiers

import (
	"cmp"

	"manualslop/events"
	"manualslop/events/chars"
	"manualslop/tiers/fence"
)

// EntryPart returns entry i of an event with the id holder as a part of a prompt. A model's own
// entries, even if edited, keep the role of the assistant; entries of other roles are shown under
// the name of their role. Text that neither the engine nor a user wrote is fenced; origins holds the
// origin of each tool's results.
func EntryPart(holder string, i int, n events.TurnEntry, origins map[string]string) events.Part {
	p := events.Part{Role: "user", Kind: events.PartEntry, Text: n.Text, From: n.From, Index: n.Index, SHA256: n.SHA256,
		Size: n.Size}
	if n.From != "" {
		holder, i = n.From, n.Index
	}
	switch n.Role {
	case events.RoleAI:
		p.Role = "assistant"
	case events.RoleUser:
	case events.RoleContext:
		if n.View == events.ViewImage {
			return ViewPart(n.From, n.Index, events.View{View: n.View, SHA256: n.SHA256, Size: n.Size},
				"## "+Line(n.Path)+" (image)\n")
		}
		p.Prefix, p.Suffix = "## "+Line(cmp.Or(n.Path, n.Role)), "\n"
		if n.View != "" {
			p.Prefix += " (" + Line(n.View) + ")"
		}
		p.Prefix += "\n"
		p.Origin, p.Fence = fence.Repo, fence.Nonce(holder, i)
	case events.RoleTool:
		p.Prefix, p.Suffix = "["+chars.Trim(n.Role+" "+Line(n.Tool))+"]\n", "\n"
		p.Origin, p.Fence = cmp.Or(origins[n.Tool], fence.Program), fence.Nonce(holder, i)
	default:
		p.Prefix = "[" + Line(n.Role) + "]\n"
	}
	return p
}

// Talk is a discussion that a user attached to a goal or a ticket.
type Talk struct {
	ID string // of the event
	events.TalkAttached
}

// Heading returns the part that precedes the entries.
func (t Talk) Heading() events.Part {
	return events.Part{Role: "user", Text: "# Discussion " + Line(t.Discussion) +
		"\n\nThe user attached this discussion. It is what was said before; the task is yours.\n"}
}

// Parts returns the entries as parts of a prompt of another conversation: what a model said is
// fenced, because it may repeat what it read.
func (t Talk) Parts(origins map[string]string) []events.Part {
	out := make([]events.Part, len(t.Entries))
	for i, n := range t.Entries {
		p := EntryPart(t.ID, i, n, origins)
		switch n.Role {
		case events.RoleAI, events.RoleSummary:
			holder, at := t.ID, i
			if n.From != "" {
				holder, at = n.From, n.Index
			}
			p.Role, p.Prefix, p.Suffix = "user", "["+n.Role+"]\n", "\n"
			p.Origin, p.Fence = fence.Program, fence.Nonce(holder, at)
		case events.RoleUser:
			p.Prefix, p.Suffix = "[User]\n", "\n"
		}
		out[i] = p
	}
	return out
}

// Talks are the discussions that are attached to goals and tickets, by goal or ticket.
type Talks map[string][]Talk

// Evolve folds an event. It ignores an invalid discussion and any beyond the limit. A discussion is
// dropped when the goal or ticket that it is attached to ends, or when a request for tickets is
// answered; the caller attaches the discussions of the request to the new tickets.
func (t Talks) Evolve(e *events.Event) {
	switch p := e.Payload.(type) {
	case events.TalkAttached:
		if p.Check() == nil && len(t[p.To]) < events.MaxTalks {
			t[p.To] = append(t[p.To], Talk{e.ID, p})
		}
	case events.TicketsAdded:
		delete(t, p.Request)
	case events.TicketCompleted:
		delete(t, p.Ticket)
	case events.GoalCompleted:
		delete(t, p.Goal)
	case events.GoalFailed:
		delete(t, p.Goal)
	}
}
