package conductor

import (
	"manualslop/events"
	"manualslop/tiers"
)

// State is the conductor's state for a session. Maps are only used for look-ups; all iteration is
// over slices.
type State struct {
	basis    events.Basis
	settings events.Settings
	closed   bool
	paused   bool

	goals   map[string]*goal
	tracks  map[string]*track
	tickets map[string]*ticket
	removed map[string]bool      // removed ids, which are not used again
	awaited map[string][]*ticket // tickets that depend on a missing id, by that id
	workers map[string]string    // tickets of requested workers, by request id
	turns   map[string]bool      // unfinished turns of discussions

	targets map[string]*ticket // by file: the ticket that is working on it

	merges  []*ticket // tickets done in their own workspace, longest waiting first
	merging *ticket   // the ticket that a worker is merging

	ready   []*ticket // tickets that wait for a slot, in the order in which they start
	held    []*ticket // tickets approved while paused
	busy    int       // slots in use
	extra   int       // tickets that people added
	planned int       // tickets ever planned

	request *events.Event // a user's request that must be answered

	touchedTickets []*ticket
	touchedTracks  []*track
	touchedGoals   []*goal
}

// phase is the progress of a ticket. Several phases map to one of the four statuses in events.
type phase int

const (
	// todo waits for its dependencies.
	todo phase = iota
	// ready waits for a slot.
	ready
	// spawning waits for approval.
	spawning
	// approved may start unless the session is paused.
	approved
	// preparing waits for its workspace.
	preparing
	// prepared may start in its workspace unless the session is paused.
	prepared
	// denied was refused its start or its end; its block is due.
	denied
	// running is running.
	running
	// finished was reported as done by its worker; its review is due.
	finished
	// reviewing waits for tier 2's verdict.
	reviewing
	// resolved is confirmed as done; its completion is due.
	resolved
	// gaveUp was given up by its worker; a retry or a block is due.
	gaveUp
	// merging was reported as done and waits to be merged.
	merging
	// conflicted waits for a user's decision on a failed merge.
	conflicted
	// completed is finally done.
	completed
	// blocked waits for a user, or for a dependency that does.
	blocked
	// removed was removed from the graph.
	removed
)

// String describes the phase for a user.
func (p phase) String() string {
	return [...]string{
		"waiting for its dependencies", "waiting for a free worker", "waiting for approval to start", "about to start",
		"waiting for its workspace", "about to start", "refused", "running", "about to be reviewed", "waiting for its review",
		"about to be completed", "about to end",
		"waiting to be merged", "waiting for a word on its merge", "completed", "blocked", "removed",
	}[p]
}

// usesSlot reports whether the ticket counts towards MaxWorkers.
func (p phase) usesSlot() bool { return p >= spawning && p <= gaveUp }

// moves reports whether the ticket progresses without a user.
func (p phase) moves() bool { return p >= ready && p <= conflicted }

// unstarted reports whether there is no workspace and no running attempt, so that a user can
// block the ticket.
func (p phase) unstarted() bool { return p <= approved }

type ticket struct {
	events.Ticket
	track   *track
	order   int // position in the planned order of the session
	phase   phase
	touched bool

	attempt int                   // of the newest SpawnRequested
	prompt  string                // the prompt that a user wrote when approving the start
	files   []string              // the files that the user chose then; nil if none were chosen
	notes   []string              // of people, and their answers: the newest events.MaxNotes
	noted   int                   // number of all notes
	asking  string                // newest question of the attempt, on one line
	said    events.TicketResolved // report of the newest attempt that was done
	asks    []string              // what the review of an earlier attempt asked for
	verdict string                // why it was denied, or why it gave up
	final   bool                  // it gave up because a user said no, so there is no automatic retry
	kind    string                // of its block

	warned bool    // its overlap was reported
	behind *ticket // its next attempt waits until this ticket's attempt has ended
	closed string  // the file that is the reason

	workspace string // workspace of the attempt; empty means the user's folder
	try       int    // number of the newest MergeRequested
	tries     tiers.MergeTries
	resolves  string            // commit whose conflicts are in the workspace
	take      map[string]string // a user's resolution of files in conflict

	deps        []*ticket // existing dependencies
	unknown     []string  // dependencies on missing ids
	dependants  []*ticket
	openDeps    int // number of dependencies that are not completed, including missing ones
	blockedDeps int
}

type track struct {
	events.Track
	goal    *goal // nil if a user requested the track
	tickets []*ticket
	touched bool

	planned   bool
	fault     string // why there is no usable plan
	completed bool
	blocked   bool // TrackBlocked was emitted and still holds
	open      int  // number of tickets that are not completed
	moving    int  // number of tickets that progress without a user
}

// stage is the progress of a goal.
type stage int

const (
	// planning waits for tier 1.
	planning stage = iota
	// review waits for a user to accept the tracks.
	review
	// underway is working through its tracks.
	underway
	// over was completed or has finally failed.
	over
)

type goal struct {
	id      string
	stage   stage
	touched bool

	text    string         // of the goal
	solo    bool           // one ticket carries it out
	fault   string         // why there are no tracks
	failed  bool           // GoalFailed was emitted and still holds
	tracks  []events.Track // the proposed tracks, later the accepted ones
	next    int
	current *track
}

// rest clears what the last cause affected, because everything due for it was emitted.
func (s *State) rest() {
	for _, t := range s.touchedTickets {
		t.touched = false
	}
	for _, tr := range s.touchedTracks {
		tr.touched = false
	}
	for _, g := range s.touchedGoals {
		g.touched = false
	}
	s.touchedTickets, s.touchedTracks, s.touchedGoals = s.touchedTickets[:0], s.touchedTracks[:0], s.touchedGoals[:0]
	s.request = nil
}

func (s *State) touch(t *ticket) {
	if !t.touched {
		t.touched = true
		s.touchedTickets = append(s.touchedTickets, t)
	}
	s.touchTrack(t.track)
}

func (s *State) touchTrack(tr *track) {
	if !tr.touched {
		tr.touched = true
		s.touchedTracks = append(s.touchedTracks, tr)
	}
	if tr.goal != nil {
		s.touchGoal(tr.goal)
	}
}

func (s *State) touchGoal(g *goal) {
	if !g.touched {
		g.touched = true
		s.touchedGoals = append(s.touchedGoals, g)
	}
}
