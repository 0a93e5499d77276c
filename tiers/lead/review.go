package lead

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"manualslop/events"
	"manualslop/events/chars"
	"manualslop/tiers"
	"manualslop/tiers/conversation"
	"manualslop/tiers/fence"
	"manualslop/tiers/planning"
)

// Limits of a review.
const (
	// MaxDiffs limits the files whose changes are shown.
	MaxDiffs = 20
	// MaxReasons and MaxReasonBytes limit the reasons for sending a ticket back.
	MaxReasons     = 10
	MaxReasonBytes = 1 << 10
)

// review starts the review of an attempt, by the persona that planned the track.
func (s *State) review(x events.ReviewRequested) {
	subject := planning.Subject{Tier: tier, StreamID: "Tier 2", Track: x.Track, Ticket: x.Ticket.ID, Attempt: x.Attempt,
		Place: x.Workspace}
	if planned := s.byTrack[x.Track]; planned != nil {
		subject.Persona = s.persona(planned.track)
	}
	w := &work{review: &x, job: planning.Begin(subject, diffs(x))}
	s.reviews[x.Ticket.ID] = w
	s.due = append(s.due, w)
}

// dropReview drops the review of an attempt that a user killed.
func (s *State) dropReview(x events.TicketKilled) {
	w := s.reviews[x.Ticket]
	if w == nil || w.review.Attempt > x.Attempt {
		return
	}
	delete(s.reviews, x.Ticket)
	s.due = slices.DeleteFunc(s.due, func(d *work) bool { return d == w })
	// order-independent: at most one entry belongs to this work
	for id, waiting := range s.waiting {
		if waiting == w {
			delete(s.waiting, id)
		}
	}
}

// diffs returns requests for the project's rules and for the changes of an attempt; if there are
// none, for the ticket's target file.
func diffs(x events.ReviewRequested) []events.ViewRequest {
	out := tiers.RuleViews()
	if len(x.Changes) == 0 && x.Ticket.TargetFile != "" {
		return append(out, events.ViewRequest{Path: x.Ticket.TargetFile, View: events.ViewRaw})
	}
	for _, c := range x.Changes[:min(len(x.Changes), MaxDiffs)] {
		out = append(out, events.ViewRequest{Path: c.Path, View: events.ViewDiff, Before: c.Before})
	}
	return out
}

// reviewPrompt returns the complete manifest of the first request: rules, the ticket, the
// contributor's report, the changes.
func (s *State) reviewPrompt(w *work, built *events.Event, views events.ContextBuilt) *conversation.Thread {
	x := w.review
	talk, others := w.job.Opening(&s.desk, textReview, built, views)
	talk.Open(events.Part{Role: "user", Text: reviewBrief(x)})
	if x.Text != "" {
		talk.Show("what the contributor says", events.Part{Role: "user", Prefix: "The contributor says:\n", Text: x.Text,
			Suffix: "\n", Origin: fence.Program, Fence: fence.Nonce(built.ID, len(views.Views))})
	}
	for _, i := range others {
		v := views.Views[i]
		heading := "Changes of " + v.Path
		if v.View == events.ViewRaw {
			heading = v.Path + " as it is"
		}
		talk.Show(heading, planning.ViewPart(built, i, v, heading))
	}
	return talk
}

func reviewBrief(x *events.ReviewRequested) string {
	var b strings.Builder
	fmt.Fprintf(&b, "# Ticket %s, attempt %d\n\n%s\n", x.Ticket.ID, x.Attempt, x.Ticket.Description)
	if x.Ticket.TargetFile != "" {
		b.WriteString("\nTarget file: " + tiers.Line(x.Ticket.TargetFile) + "\n")
	}
	switch over := len(x.Changes) - MaxDiffs; {
	case len(x.Changes) == 0:
		b.WriteString("\nNo file was changed.\n")
	case over > 0:
		fmt.Fprintf(&b, "\n%d files were changed; the first %d are shown.\n", len(x.Changes), MaxDiffs)
	}
	return fence.Neutralise(b.String())
}

// verdict is the reply of a review.
type verdict struct {
	Verdict string   `json:"verdict"`
	Reasons []string `json:"reasons"`
}

// readReview parses the verdict in a reply.
func readReview(x *events.ReviewRequested, text string) (events.Payload, error) {
	all, err := planning.Read(text, "review", checkVerdict)
	if err != nil {
		return nil, err
	}
	if !unanimous(text) {
		return nil, errors.New("it holds more than one verdict; write yours alone, and quote none")
	}
	out := events.TicketReviewed{Ticket: x.Ticket.ID, Attempt: x.Attempt, Verdict: all[0].Verdict}
	if out.Verdict == events.ReviewSentBack {
		for _, reason := range all[0].Reasons {
			out.Reasons = append(out.Reasons, tiers.Clip(chars.Trim(reason), MaxReasonBytes))
		}
	}
	return out, nil
}

// unanimous reports whether all verdicts in a reply agree. If they do not, one of them may be quoted
// from a file.
func unanimous(text string) bool {
	said := map[string]bool{}
	_, _ = planning.Read(text, "review", func(all []verdict) error {
		if err := checkVerdict(all); err != nil {
			return err
		}
		said[all[0].Verdict] = true
		return errors.New("read on")
	})
	return len(said) == 1
}

func checkVerdict(all []verdict) error {
	if len(all) != 1 {
		return fmt.Errorf("the array must have one object, and has %d", len(all))
	}
	blank := func(reason string) bool { return chars.Trim(reason) == "" }
	switch v := all[0]; {
	case v.Verdict == events.ReviewApproved:
		return nil
	case v.Verdict != events.ReviewSentBack:
		return errors.New(`"verdict" must be "approve" or "send_back"`)
	case len(v.Reasons) == 0 || len(v.Reasons) > MaxReasons || slices.ContainsFunc(v.Reasons, blank):
		return fmt.Errorf(`"reasons" must have 1 to %d entries that say something`, MaxReasons)
	}
	return nil
}
