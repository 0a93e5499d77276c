package approval

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"manualslop/events"
	"manualslop/tiers"
	"manualslop/tiers/fence"
)

// maxSources limits how many sources of untrusted text an ask names.
const maxSources = 6

// conversation is one attempt at a ticket, or the writing of a plan. What a model reads in it may
// influence its later calls and the tickets that it writes.
type conversation struct {
	ticket  string
	attempt int
	plan    string // the goal or track that is planned; empty for a ticket
}

// shownTo returns the conversation that reads the views of a request. A review of a ticket, like a
// plan, influences the ticket's next attempts.
func (s *State) shownTo(p events.ContextRequested) conversation {
	switch {
	case p.Ticket == "":
		return conversation{plan: cmp.Or(p.Track, p.Goal)}
	case p.Tier == workerTier || s.turns[p.Ticket] > 0:
		return conversation{ticket: p.Ticket, attempt: p.Attempt}
	}
	return conversation{ticket: p.Ticket}
}

// taint is the text that a conversation has read and that neither the engine nor a user wrote.
type taint struct {
	sources []string // the first sources, in the order read
	more    int
	foreign bool // some of it came from the web or an external server
}

// add records a source.
func (t *taint) add(origin, source string) {
	t.foreign = t.foreign || origin == fence.Web || origin == fence.MCP
	t.note(origin + ": " + line(source))
}

func (t *taint) note(source string) {
	switch {
	case slices.Contains(t.sources, source):
	case len(t.sources) == maxSources:
		t.more++
	default:
		t.sources = append(t.sources, source)
	}
}

// with returns the union of t, which may be nil, and o.
func (t *taint) with(o *taint) *taint {
	if t == nil {
		return o
	}
	out := &taint{sources: slices.Clone(t.sources), more: t.more + o.more, foreign: t.foreign || o.foreign}
	for _, source := range o.sources {
		out.note(source)
	}
	return out
}

// list returns the names of the sources.
func (t *taint) list() []string {
	if t.more == 0 {
		return slices.Clone(t.sources)
	}
	return append(slices.Clone(t.sources), fmt.Sprintf("and %d more", t.more))
}

// reads records that a conversation was shown a text.
func (s *State) reads(c conversation, origin, source string) {
	if c == (conversation{}) {
		return
	}
	if s.taints[c] == nil {
		s.taints[c] = &taint{}
	}
	s.taints[c].add(origin, source)
}

// foldViews tracks the project views that workers show to a conversation. Lists of file names do
// not count.
func (s *State) foldViews(e *events.Event) {
	switch p := e.Payload.(type) {
	case events.ContextRequested:
		s.showing[e.ID] = s.shownTo(p)
	case events.RefreshRequested:
		s.showing[e.ID] = conversation{ticket: p.Ticket, attempt: p.Attempt}
	case events.ContextBuilt:
		to := s.showing[p.Request]
		if s.projectSpeaks(to) {
			s.reads(to, fence.Repo, "instructions of the project")
		}
		for _, v := range p.Views {
			if v.Error == "" && v.View != events.ViewTree && v.View != events.ViewState {
				s.reads(to, fence.Repo, v.Path)
			}
		}
		delete(s.showing, p.Request)
	case events.FilesUpdated:
		for _, f := range p.Files {
			s.reads(s.showing[p.Request], fence.Repo, f.Path)
		}
		delete(s.showing, p.Request)
	case events.ReviewRequested:
		s.passes(conversation{ticket: p.Ticket.ID, attempt: p.Attempt}, conversation{ticket: p.Ticket.ID})
	}
}

// passes records that one conversation is shown text of another one, and so indirectly what that
// one has read: the next attempt's brief contains the reasons of a review, and repeats questions that
// a user answered.
func (s *State) passes(from, to conversation) { s.pass(s.taints[from], to) }

// passPlans passes on what was read while the plans were written.
func (s *State) passPlans(to conversation) {
	var plans []string
	// order-independent: sorted below
	for c := range s.taints {
		if c.plan != "" {
			plans = append(plans, c.plan)
		}
	}
	slices.Sort(plans)
	for _, plan := range plans {
		s.passes(conversation{plan: plan}, to)
	}
}

// pass passes on a taint; nil means none.
func (s *State) pass(read *taint, to conversation) {
	if read == nil {
		return
	}
	if s.taints[to] == nil {
		s.taints[to] = &taint{}
	}
	s.taints[to] = s.taints[to].with(read)
}

// projectSpeaks reports whether text from the project's document, persona or preset is part of a
// conversation.
func (s *State) projectSpeaks(c conversation) bool {
	seats := []tiers.Seat{s.seat(c.ticket)}
	if c.attempt == 0 { // a plan of tier 1 or 2, or a review
		seats = []tiers.Seat{{Tier: 1}, {Tier: 2, Persona: s.leads[cmp.Or(c.plan, s.tracks[c.ticket])]}}
	}
	return slices.ContainsFunc(seats, func(seat tiers.Seat) bool { return len(seat.Take(s.settings).Project("")) > 0 })
}

// foldPlan records which conversation wrote a ticket.
func (s *State) foldPlan(p events.Payload) {
	switch p := p.(type) {
	case events.TrackStarted:
		s.goals[p.Track.ID], s.leads[p.Track.ID] = p.Goal, p.Track.Persona
	case events.TicketsPlanned:
		for _, t := range p.Tickets {
			s.tracks[t.ID] = p.Track
		}
	}
}

// answeredCall records that the model of a call reads its result.
func (s *State) answeredCall(c *call) {
	if c.request.Ticket == "" {
		return // the user's own call
	}
	s.reads(conversation{ticket: c.request.Ticket, attempt: c.request.Attempt}, tiers.OriginOf(c.request.Tool,
		c.tool.offer.Effect), CallTitle(c.request.Tool, c.args))
}

// taintOf returns the taint of an attempt: what its conversation read, and what the
// conversations that wrote its ticket read. It returns nil if there is none or no ticket.
func (s *State) taintOf(ticket string, attempt int) *taint {
	if ticket == "" {
		return nil
	}
	var out *taint
	track := s.tracks[ticket]
	for _, c := range []conversation{{ticket: ticket, attempt: attempt}, {ticket: ticket}, {plan: track},
		{plan: s.goals[track]}} {
		if t := s.taints[c]; t != nil {
			out = out.with(t)
		}
	}
	return out
}

// hazard returns why a user must decide about a call although a rule allows it: how long it may
// run, or what it would do, and what its conversation has read. Both are empty if the rule applies.
func (s *State) hazard(c *call) (why string, sources []string) {
	why, sources = s.tainted(c)
	if long := s.overTime(c); long != "" && why != "" {
		why = long + "; " + why
	} else if long != "" {
		why = long
	}
	return why, sources
}

// tainted returns why what its conversation has read makes a call hazardous.
func (s *State) tainted(c *call) (why string, sources []string) {
	t := s.taintOf(c.request.Ticket, c.request.Attempt)
	if t == nil {
		return "", nil
	}
	what := s.reaches(c)
	if what == "" && t.foreign && !c.tool.only(effectReads, effectWrites, effectWide, effectNetwork) {
		what = "does what nobody can foresee"
	}
	if what == "" {
		return "", nil
	}
	return "it " + what + ", and its conversation has read what nobody vouches for (" + strings.Join(t.list(), "; ") + ")",
		t.list()
}

// reaches returns how a call goes beyond work on the project's files: outside the workspace, to
// other machines, or to files that steer programs and agents. It returns "" if it does not.
func (s *State) reaches(c *call) string {
	on := subject{tool: c.request.Tool, workspace: folder(s.workspace), place: s.placeOf(c), exact: true}
	on.read(c.args)
	if c.tool.has(effectWrites) {
		if !on.exact {
			return "may write outside of the workspace"
		}
		for _, p := range on.paths {
			if name, steering := instructs(p); steering {
				return "changes " + name + ", which steers programs or agents"
			}
		}
	}
	if c.tool.has(effectNetwork) {
		return s.strangeHost(c)
	}
	return ""
}

// instructs returns the element of a path that steers programs or that agents read as project
// instructions.
func instructs(path string) (string, bool) {
	if name, is := steers(path); is {
		return name, true
	}
	for element := range strings.SplitSeq(path, "/") {
		for _, name := range []string{"AGENTS.md", "CLAUDE.md", "GEMINI.md", ".cursorrules", "copilot-instructions.md"} {
			if fold(element) == fold(name) {
				return name, true
			}
		}
	}
	return "", false
}
