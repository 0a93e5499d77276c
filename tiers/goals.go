package tiers

import (
	"fmt"
	"slices"
	"strings"

	"manualslop/events"
	"manualslop/tiers/fence"
)

// Limits of what a prompt says about earlier goals.
const (
	// MaxEarlier is how many of the newest goals are named.
	MaxEarlier = 10
	// MaxEarlierFiles is how many changed files are named for each goal.
	MaxEarlierFiles = 8
	// maxEarlierName limits a goal's text and the name of a file, in bytes.
	maxEarlierName = 160
)

// Goals is a fold of what the goals of a session did, for the prompts of later ones. The zero value is a session
// without goals.
type Goals struct {
	of    map[string]*goalDeeds // by track, and by ticket
	goals map[string]*goalDeeds // by id
	calls map[string]*goalDeeds // by call without an outcome
	solo  map[string]bool       // tickets that carry out a goal without a plan
	ended []*goalDeeds          // the newest that ended, at most MaxEarlier, oldest first
	more  int                   // that ended before those
}

// goalDeeds is what one goal did.
type goalDeeds struct {
	text    string
	outcome string // empty while it is under way
	files   []string
	more    int  // further files
	unseen  bool // a call may have changed others, too
	branch  string
}

// Evolve folds one event.
func (g *Goals) Evolve(e *events.Event) {
	switch p := e.Payload.(type) {
	case events.GoalSubmitted:
		if g.goals == nil {
			*g = Goals{of: map[string]*goalDeeds{}, goals: map[string]*goalDeeds{}, calls: map[string]*goalDeeds{},
				solo: map[string]bool{}}
		}
		g.goals[e.ID] = &goalDeeds{text: Line(Clip(p.Goal, maxEarlierName))}
	case events.TrackStarted:
		g.has(p.Track.ID, g.goals[p.Goal])
	case events.TicketsPlanned:
		for _, t := range p.Tickets {
			g.has(t.ID, g.of[p.Track])
		}
	case events.TicketsAdded:
		for _, t := range p.Tickets {
			if g.has(t.ID, g.goals[p.Request]) {
				g.solo[t.ID] = true
			}
		}
	case events.GraphMutated:
		for _, op := range p.Ops {
			if op.Op == events.GraphAddTicket && op.New != nil {
				track := g.of[op.Track]
				if track == nil && len(op.New.DependsOn) > 0 {
					track = g.of[op.New.DependsOn[0]]
				}
				g.has(op.New.ID, track)
			}
		}
	case events.GoalCompleted:
		g.ends(g.goals[p.Goal], "completed")
	case events.GoalFailed:
		g.ends(g.goals[p.Goal], "failed")
	default:
		g.evolveCall(e)
	}
}

// evolveCall folds an event about a call or a merge.
func (g *Goals) evolveCall(e *events.Event) {
	switch p := e.Payload.(type) {
	case events.ToolRequested:
		if d := g.of[p.Ticket]; d != nil {
			g.calls[p.Call] = d
		}
	case events.ToolDenied:
		delete(g.calls, p.Call)
	case events.ToolSettled:
		d := g.calls[p.Call]
		if d == nil {
			return
		}
		if p.Outcome != events.ToolInterrupted {
			delete(g.calls, p.Call)
		}
		d.wrote(p)
	case events.MergeSettled:
		if d := g.of[p.Ticket]; d != nil && p.Outcome == events.MergeDone {
			d.branch = Line(Clip(p.Branch, maxEarlierName))
		}
	}
}

// has records that a track or ticket belongs to a goal; false if the goal is nil.
func (g *Goals) has(id string, d *goalDeeds) bool {
	if d != nil {
		g.of[id] = d
	}
	return d != nil
}

// ends records the end of a goal, or that one which failed was completed after all.
func (g *Goals) ends(d *goalDeeds, outcome string) {
	if d == nil {
		return
	}
	if d.outcome == "" {
		g.ended = append(g.ended, d)
	}
	if d.outcome = outcome; len(g.ended) > MaxEarlier {
		g.ended = slices.Delete(g.ended, 0, 1)
		g.more++
	}
}

func (d *goalDeeds) wrote(p events.ToolSettled) {
	d.unseen = d.unseen || p.Unseen
	for _, f := range p.Files {
		name := Line(Clip(f.Path, maxEarlierName))
		switch {
		case !f.Written || f.Before == f.SHA256 || slices.Contains(d.files, name):
		case len(d.files) == MaxEarlierFiles:
			d.more++
		default:
			d.files = append(d.files, name)
		}
	}
}

// String says in one line what the goal did.
func (d *goalDeeds) String() string {
	out := "- " + d.text + ": " + d.outcome
	switch {
	case d.more > 0:
		out += fmt.Sprintf(", changed %s and %d more", strings.Join(d.files, ", "), d.more)
	case len(d.files) > 0:
		out += ", changed " + strings.Join(d.files, ", ")
	case !d.unseen:
		out += ", changed no file"
	}
	if d.unseen {
		out += ", may have changed other files"
	}
	if d.branch != "" {
		out += ", on the branch " + d.branch
	}
	return out
}

// Solo reports whether a ticket carries out a goal without a plan.
func (g *Goals) Solo(ticket string) bool { return g.solo[ticket] }

// Earlier returns a part of a prompt with one line about each ended goal; none if no goal has ended. It is fenced,
// because models choose the names of files. The fence belongs to the built views of the prompt.
func (g *Goals) Earlier(built string, views int) []events.Part {
	if len(g.ended) == 0 {
		return nil
	}
	var lines []string
	if g.more > 0 {
		lines = append(lines, fmt.Sprintf("(older goals left out: %d)", g.more))
	}
	for _, d := range g.ended {
		lines = append(lines, d.String())
	}
	return []events.Part{{Role: "user", Prefix: "# Earlier goals of this session, oldest first\n\n",
		Text: strings.Join(lines, "\n"), Suffix: "\n", Origin: fence.Repo, Fence: fence.Nonce(built, views)}}
}
