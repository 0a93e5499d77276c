package conductor

import (
	"fmt"
	"strings"

	"manualslop/events"
	"manualslop/events/chars"
	"manualslop/tiers"
)

// maxSubject limits the subject line of a commit, in bytes.
const maxSubject = 120

// workspacePrepared folds a worker's report on the workspace of an attempt.
func (s *State) workspacePrepared(x events.WorkspacePrepared) {
	t := s.attempt(x.Ticket, x.Attempt, preparing)
	switch {
	case t == nil || x.Name != t.workspace:
	case x.Error != "":
		t.kind, t.verdict = events.BlockWorkspace, brief(x.Error)
		s.move(t, denied)
	default:
		s.move(t, prepared)
		if s.paused {
			s.held = append(s.held, t)
		}
	}
}

// mergeDue requests the merge of the ticket that has waited longest. A ticket starts only after
// its dependencies were merged, so merges follow the order of dependencies.
func (s *State) mergeDue() events.Payload {
	if s.merging != nil || len(s.merges) == 0 {
		return nil
	}
	t := s.merges[0]
	subject, _, _ := strings.Cut(chars.Trim(t.Description), "\n")
	return events.MergeRequested{Ticket: t.ID, Attempt: t.attempt, Try: t.try + 1, Name: t.workspace,
		Title: tiers.Clip(t.ID+": "+chars.Trim(subject), maxSubject), Resolves: t.resolves, Take: t.take}
}

// queueMerge appends a ticket to the merge queue.
func (s *State) queueMerge(t *ticket) {
	s.move(t, merging)
	s.merges = append(s.merges, t)
}

// mergeRequested records that the first ticket of the queue is being merged.
func (s *State) mergeRequested(x events.MergeRequested) {
	s.merging, s.merges = s.merges[0], s.merges[1:]
	s.merging.try = x.Try
}

// mergeSettled folds a worker's report on the current merge.
func (s *State) mergeSettled(x events.MergeSettled) {
	t := s.merging
	if t == nil || t.ID != x.Ticket || t.attempt != x.Attempt || t.try != x.Try {
		return
	}
	s.merging = nil
	if x.Outcome == events.MergeDone {
		s.move(t, resolved)
		return
	}
	if t.tries = t.tries.Then(x); t.tries.Stuck() {
		t.kind, t.verdict = events.BlockMerge, brief(fmt.Sprintf("%d tries to merge its work ended in the same way; it "+
			"stays where it is", tiers.MaxSameMerges))
		s.move(t, denied)
		return
	}
	if x.Onto != "" {
		t.resolves = x.Onto
	}
	s.move(t, conflicted)
}

// mergeAnswered folds a user's decision on a failed merge.
func (s *State) mergeAnswered(x events.MergeAnswered) {
	t := s.attempt(x.Ticket, x.Attempt, conflicted)
	switch {
	case t == nil || t.try != x.Try:
	case x.Retry:
		t.take = x.Take
		s.queueMerge(t)
	default:
		t.kind, t.verdict = events.BlockMerge, brief(because(x.Reason, "its work was not merged; it stays where it is"))
		s.move(t, denied)
	}
}
