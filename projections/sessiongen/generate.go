package sessiongen

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"time"

	"manualslop/events"
)

// MinEvents is the length of the shortest session with a plan and an end.
const MinEvents = 40

// Project and person of every generated session.
const (
	Project = "p1"
	person  = "ada"
)

// epoch is the time of the first event for seed 0.
var epoch = time.Date(2026, 1, 2, 3, 0, 0, 0, time.UTC)

// SessionID returns the id of the session that a seed gives.
func SessionID(seed uint64) string { return fmt.Sprintf("01SESSION%017d", seed) }

// GenerateSession generates a closed session of exactly n events, with Seq 1 to n and decoded
// payloads. It panics if n is less than MinEvents.
func GenerateSession(seed uint64, n int) []events.Event {
	if n < MinEvents {
		panic(fmt.Sprintf("sessiongen: a session needs %d events, not %d", MinEvents, n))
	}
	g := &generator{
		random: rand.New(rand.NewPCG(seed, 0x5eed)), session: SessionID(seed), at: epoch.Add(time.Duration(seed) * time.Hour),
		counts: map[string]uint64{}, log: make([]events.Event, 0, n), text: prose(),
		output: outputBytes + openingBytes/n,
	}
	g.run(n)
	return g.log
}

// generator generates one session.
type generator struct {
	random  *rand.Rand
	session string
	at      time.Time
	counts  map[string]uint64
	log     []events.Event
	text    string
	goal    string
	tickets []*ticket
	shells  int
	output  int // mean size of a tool's output in bytes
}

// ticket is a ticket in progress.
type ticket struct {
	events.Ticket
	rounds int
	parts  []events.Part
	asked  string        // id of its newest request
	before []events.Part // complete manifest of that request, which the next request continues
}

const (
	trackID = "TR-1"
	// epilogue is the number of events at the end of a session, for the track, the goal and the
	// session; each ticket in progress needs endOfTicket more.
	epilogue    = 3
	endOfTicket = 4
	// roundMost is the maximum number of events of one round, and roundLeast the number for a
	// round that reads a single file.
	roundMost  = 22
	roundLeast = 7
	atWork     = 3
)

// run writes the opening, interleaved rounds of tickets while there is room, their ends, and
// pushed entries to fill up to the requested length.
func (g *generator) run(n int) {
	g.open(n)
	next := 0
	var working []*ticket
	for {
		room := n - len(g.log) - epilogue - endOfTicket*(len(working)+1)
		if room < roundLeast {
			break
		}
		if len(working) == 0 || len(working) < atWork && next < len(g.tickets) && room > 2*roundMost {
			working = append(working, g.start(g.tickets[next]))
			next++
			continue
		}
		i := g.random.IntN(len(working))
		g.round(working[i], room < roundMost)
		if next < len(g.tickets) && room > 2*roundMost && working[i].rounds > 2+g.random.IntN(4) {
			g.finish(working[i])
			working = append(working[:i], working[i+1:]...)
		}
	}
	for _, t := range working {
		g.finish(t)
	}
	for n-len(g.log) > epilogue {
		g.emit(person, events.EventPushed{Kind: "note", Payload: []byte(`{"text":"` + g.words(200) + `"}`)})
	}
	g.emit(events.ActorConductor, events.TrackCompleted{Track: trackID})
	g.emit(events.ActorConductor, events.GoalCompleted{Goal: g.goal})
	g.emit(person, events.SessionClosed{Reason: "done"})
}

// emit appends a payload as the next event, caused by the previous one.
func (g *generator) emit(actor string, p events.Payload) events.Event {
	cause := events.Event{ID: g.session, Time: g.at}
	if len(g.log) > 0 {
		cause = g.log[len(g.log)-1]
	}
	g.at = g.at.Add(time.Duration(1+g.random.IntN(900)) * time.Millisecond)
	o := events.Origin{
		ID: events.DecidedID(actor, cause, len(g.log)), Time: g.at, Project: Project, Session: g.session, Actor: actor,
		Cause: cause.ID,
	}
	if events.IsDecider(actor) || events.IsWorker(actor) {
		g.counts[actor]++
		o.N = g.counts[actor]
	}
	e, err := events.New(o, p)
	if err != nil {
		panic("sessiongen: " + err.Error()) // payloads are made here, so this cannot fail
	}
	e.Seq = uint64(len(g.log) + 1)
	g.log = append(g.log, e)
	return e
}

// words returns about size bytes from a fixed text.
func (g *generator) words(size int) string {
	from := g.random.IntN(len(g.text) - size)
	return strings.ToValidUTF8(g.text[from:from+size], "")
}

// lines is like words, with line breaks, quotes and tabs as in source code.
func (g *generator) lines(size int) string {
	var b strings.Builder
	b.Grow(size)
	for b.Len() < size {
		fmt.Fprintf(&b, "\tif name == \"%s\" {\n\t\treturn %d // %s\n\t}\n", g.words(12), g.random.IntN(1000), g.words(30))
	}
	return b.String()
}

// prose returns the text from which words takes its parts.
func prose() string {
	return strings.Repeat("the parser reads one line at a time and keeps what it cannot use for the next call so that "+
		"nothing is lost when a frame ends early ", 40)
}
