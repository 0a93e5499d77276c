package approval

import (
	"fmt"

	"manualslop/events"
)

// work is one attempt at a ticket.
type work struct {
	ticket  string
	attempt int
}

// guarded reports whether a call can conflict with another ticket's work in the same folder
// because it changes files that its arguments or its preview name.
func (s *State) guarded(c *call) bool {
	return s.settings.Isolation == events.IsolationShared && c.request.Ticket != "" && c.tool.previews()
}

// files returns the files that a call is known to change.
func (s *State) files(c *call) []string {
	out := s.subjectOf(c).paths
	for _, change := range c.shown {
		out = append(out, change.Path)
	}
	return out
}

// heldBy returns the ticket that holds a file which a call would change, and
// the file; empty if there is none. A ticket never conflicts with itself.
func (s *State) heldBy(c *call) (ticket, file string) {
	if len(s.held) == 0 || !s.guarded(c) {
		return "", ""
	}
	for _, f := range s.files(c) {
		if h, taken := s.held[fold(f)]; taken && h.ticket != c.request.Ticket {
			return h.ticket, f
		}
	}
	return "", ""
}

// refuseHeld denies a call that would change a file which another ticket has locked. It does not
// delay the call, because the arguments were written for a file that will have changed, and
// because calls that never wait cannot deadlock.
func (s *State) refuseHeld(c *call) bool {
	ticket, file := s.heldBy(c)
	if ticket == "" {
		return false
	}
	file = line(file)
	s.owe(events.ToolDenied{Call: c.request.Call, Tool: c.request.Tool, Ticket: c.request.Ticket, By: "engine",
		HeldBy: ticket, File: file,
		Reason: fmt.Sprintf("%s is being changed by ticket %s, which is still at work, so nothing was written. Do what "+
			"does not need this file. "+
			"If nothing is left to do, end with BLOCKED: waits for %s; you are started again when it has ended.", file, ticket,
			ticket)})
	s.lastWord(c, nil)
	return true
}

// hold locks the files of an approved call for other tickets until its attempt
// ends.
func (s *State) hold(c *call) {
	if s.guarded(c) {
		s.holdAll(c.request, s.files(c))
	}
}

// holdWritten does the same for files that only the outcome names.
func (s *State) holdWritten(c *call, files []events.FileState) {
	if !s.guarded(c) {
		return
	}
	for _, f := range files {
		if f.Written {
			s.holdAll(c.request, []string{f.Path})
		}
	}
}

func (s *State) holdAll(r events.ToolRequested, files []string) {
	if r.Attempt <= s.ended[r.Ticket] || s.over(r.Ticket, r.Attempt) {
		return
	}
	for _, f := range files {
		if _, taken := s.held[fold(f)]; !taken {
			s.held[fold(f)] = work{r.Ticket, r.Attempt}
		}
	}
}

// release unlocks the files of an ended attempt, and of earlier ones.
func (s *State) release(ticket string, attempt int) {
	s.ended[ticket] = max(s.ended[ticket], attempt)
	// order-independent: each entry is checked separately
	for f, h := range s.held {
		if h.ticket == ticket && h.attempt <= attempt {
			delete(s.held, f)
		}
	}
}
