package contributor

import (
	"cmp"
	"fmt"
	"slices"

	"manualslop/events"
	"manualslop/events/chars"
	"manualslop/tiers"
)

// MaxTurnFiles limits how many screenshots and tracked files a turn shows; the others are only counted.
const MaxTurnFiles = 64

// remindAnswer is the reminder after an empty reply to a user.
const remindAnswer = "Your reply was empty. Go on with a tool call, or answer the user."

// turn is the part of a run that answers a turn of a discussion instead of a ticket.
type turn struct {
	request string // id of the requesting event
	asked   events.TurnRequested
	left    int // number of files that are not shown
}

// takesTurns reports whether the session's decisions support turns.
func (s *State) takesTurns() bool { return s.basis.Decision(events.ActorContributor) >= 3 }

// ask begins a user's turn, or refuses it.
func (s *State) ask(e *events.Event, p events.TurnRequested) {
	id := events.TurnTicket(e.ID)
	if s.runs[id] != nil {
		return
	}
	r := &run{tier: cmp.Or(p.Tier, tier), ticket: p.Ticket(id), attempt: 1, phase: needContext, round: 1,
		files: map[string]events.FileState{}, turn: &turn{request: e.ID, asked: p}}
	s.runs[id], s.touched = r, r
	wrong := p.Check()
	switch {
	case !s.takesTurns():
		r.endTurn(events.TurnRefused, "the session uses the decisions of an older program, which has no turns; slop "+
			"sessions upgrade switches it to this program's")
	case wrong != nil:
		// our words: Check writes this text.
		r.endTurn(events.TurnRefused, wrong.Error())
	case s.talking[p.Discussion] != "":
		r.endTurn(events.TurnRefused, "the discussion waits for the answer to another turn")
	case p.Compact && !s.words(textCompact):
		r.endTurn(events.TurnRefused, "the session uses the prompts of an older program, which cannot make discussions "+
			"shorter; slop sessions upgrade switches it to this program's")
	default:
		s.talking[p.Discussion] = id
		if p.Compact {
			r.openCompact(s)
		}
	}
}

// endTurn ends a turn without an answer.
func (r *run) endTurn(outcome, reason string) {
	r.end(events.ResolvedBlocked, "", reason)
	r.outcome.Outcome = outcome
}

// stopTurn ends a turn at a user's request; answers that it waits for are ignored from now on.
func (s *State) stopTurn(r *run, by string) {
	delete(s.requests, r.pending)
	s.forget(r.calls)
	r.calls, r.unrequested = nil, nil
	r.endTurn(events.TurnStopped, "stopped by "+by)
}

// turnEnded drops the state of a turn.
func (s *State) turnEnded(p events.TurnEnded) {
	if s.talking[p.Discussion] == p.Turn {
		delete(s.talking, p.Discussion)
	}
	if r := s.running(p.Turn, 1); r != nil {
		s.over(r)
		delete(s.runs, p.Turn)
	}
}

// result returns the fact that ends a run.
func (r *run) result() events.Payload {
	if r.turn == nil {
		return r.outcome
	}
	outcome := r.outcome.Outcome
	if outcome == events.ResolvedBlocked {
		outcome = events.TurnFailed
	}
	return events.TurnEnded{Turn: r.ticket.ID, Discussion: r.turn.asked.Discussion, Outcome: outcome,
		Reason: r.outcome.Reason, Changes: r.outcome.Changes}
}

// trackedFiles returns the files that a turn shows, with the way in which the project wants them
// shown: screenshots first, then the tracked files.
func (r *run) trackedFiles(s *State) []events.TrackedFile {
	out := slices.Clone(s.screenshots)
	for _, name := range s.settings.Tracked {
		f := s.shown[name] // the zero value if the project does not set it
		f.Path = name
		out = append(out, f)
	}
	n := min(len(out), MaxTurnFiles)
	r.turn.left = len(out) - n
	return out[:n]
}

// retrieval returns what to look for in the project's files: what fits the user's message. It returns
// nil if the run is about a ticket, or if nothing is wanted.
func (r *run) retrieval() *events.Retrieval {
	if r.turn == nil || r.turn.asked.Retrieval == nil {
		return nil
	}
	want := *r.turn.asked.Retrieval
	want.Query = tiers.Clip(r.turn.asked.Text, MaxQuery)
	return &want
}

// DiscussionHeading precedes the entries of a discussion.
const DiscussionHeading = "# Discussion\n"

// retrievedWords precedes the passages that fit a user's message.
const retrievedWords = "# Passages of the project's files\n\nA search found them for the message below. They may be beside " +
	"the point, and they show only parts of files: read what you need of the rest with tools.\n"

// passages adds the passages that were found for the user's message, best first.
func (r *run) passages(s *State, built string, views []events.View) {
	begun := false
	for i, v := range views {
		if v.View != events.ViewRetrieved || v.Error != "" || v.Slice == nil {
			continue
		}
		if !begun {
			begun = true
			r.talk.Open(events.Part{Role: "user", Text: retrievedWords})
		}
		r.learnText(s, v.SHA256, v.Text)
		lines := fmt.Sprintf("%s:%d-%d", v.Path, v.Slice.StartLine, v.Slice.EndLine)
		r.talk.Show(lines, tiers.ViewPart(built, i, v, "## "+tiers.Line(lines)+"\n"))
	}
}

// openTurn adds the discussion to the conversation: files, entries, passages that fit the user's
// message, and then the message. The passages come late because they differ from turn to turn, and
// providers cache what is the same at the beginning.
func (r *run) openTurn(s *State, built string, views []events.View) {
	t := r.turn
	if t.left > 0 {
		r.talk.Open(events.Part{Role: "user", Text: fmt.Sprintf("%d more files are tracked; read what you need of them with "+
			"tools.\n", t.left)})
	}
	r.openEntries(s)
	r.passages(s, built, views)
	r.learnText(s, events.Digest([]byte(t.asked.Text)), t.asked.Text)
	r.talk.Open(events.Part{Role: "user", Kind: events.PartEntry, From: t.request,
		SHA256: events.Digest([]byte(t.asked.Text)), Size: int64(len(t.asked.Text))})
	t.asked.Entries = nil
}

// openEntries adds the entries of the discussion to the conversation.
func (r *run) openEntries(s *State) {
	t := r.turn
	r.talk.Open(events.Part{Role: "user", Text: DiscussionHeading})
	for i, n := range t.asked.Entries {
		p := tiers.EntryPart(t.request, i, n, s.origins)
		if n.Role == events.RoleContext || n.Role == events.RoleTool {
			r.talk.Show(cmp.Or(n.Path, n.Tool, n.Role), p)
		} else {
			r.talk.Open(p)
		}
	}
}

// replies folds an answer to a user; an empty one is answered with a reminder.
func (r *run) replies(s *State, id string, p events.ModelReplied) {
	said := chars.Trim(tiers.WithoutThoughts(p.Text))
	if said == "" {
		r.remindOrStop(s, remindAnswer, "the model sent an empty reply")
		return
	}
	r.say(id, p)
	if writtenCall(said, r.tools, true) {
		r.remindOrStop(s, remindCall, "the model wrote its tool calls as text")
		return
	}
	r.end(events.ResolvedDone, p.Text, "")
}
