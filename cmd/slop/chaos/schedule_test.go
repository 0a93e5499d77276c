package chaos

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// Arrangements of processes. An act is a time in one of them.
const (
	split  = "split"  // bus, gateway, three orchestrators, three workers
	serve  = "serve"  // one engine, and a worker beside it
	single = "single" // one slop run with an engine of its own, and a worker beside it
)

// Kinds of faults.
const (
	faultKill   = "kill"      // SIGKILL, and a start some time later
	faultPause  = "pause"     // SIGSTOP, and SIGCONT some time later
	faultAll    = "pause all" // as a machine that sleeps
	faultStop   = "stop"      // SIGTERM or SIGINT, its end, and a start
	faultDouble = "double"    // the same process a second time
	faultCut    = "cut"       // every connection of a role is closed, and none is accepted for some time
	faultDelay  = "delay"     // every byte between a role and the bus is late
	faultHalf   = "half"      // one direction of a role's connections falls silent
	faultFill   = "fill"      // the disk of the project is full
	faultGuest  = "guest"     // another project's worker on the same bus
	faultCradle = "cradle"    // an engine is killed while it makes a new data folder
	faultClient = "client"    // a person's slop run is killed
	faultWord   = "word"      // a person kills or retries a ticket, or closes a session
	faultSchema = "schema"    // a person's client offers a tool whose schema must not be used
	faultClaims = "claims"    // the bucket of claims is full
	faultCrowd  = "crowd"     // scripts hold every place of the workers until a preview is built
)

// Kinds of damage, done between two acts while nothing runs.
const (
	damageNone      = "nothing"
	damageSnapshots = "snapshots" // bits of the snapshot store
	damageNoStore   = "no snapshots"
	damageIndex     = "index"    // bits of the search index
	damageLogFiles  = "logs"     // the session's log files, cut
	damageCopy      = "log copy" // bits of the log of a copy
	damageClaims    = "claims"   // the record of started calls, emptied or cut
	damageClock     = "clock"    // the clock of the act's processes is an hour back
)

// fault is one thing that happens to one process, at a time after the act's begin.
type fault struct {
	at     time.Duration
	kind   string
	target int           // index of a process, modulo how many there are
	lasts  time.Duration // until it is taken back
	choice int           // among the forms of the fault
}

// act is a time in one arrangement.
type act struct {
	arrangement string
	damage      string // before it begins
	kill        bool   // the arrangement before it is killed, not stopped
	lasts       time.Duration
	faults      []fault
}

// schedule is the acts of a seed, without end. Nothing in it depends on how a
// run goes or on how long it is.
type schedule struct {
	random *rand.Rand
	acts   int
}

func newSchedule(seed uint64) *schedule { return &schedule{random: rand.New(rand.NewPCG(seed, 11))} }

// weighted is something of a draw and its share.
type weighted struct {
	what  string
	share int
}

func (s *schedule) draw(from []weighted) string {
	sum := 0
	for _, w := range from {
		sum += w.share
	}
	at := s.random.IntN(sum)
	for _, w := range from {
		if at -= w.share; at < 0 {
			return w.what
		}
	}
	return ""
}

// between draws a time.
func (s *schedule) between(least, most time.Duration) time.Duration {
	return least + time.Duration(s.random.Int64N(int64(most-least)))
}

// next is the next act. The first one is always split and undamaged.
func (s *schedule) next() act {
	a := act{arrangement: split, damage: damageNone}
	if s.acts > 0 {
		a.arrangement = s.draw([]weighted{{split, 6}, {serve, 3}, {single, 2}})
		a.damage = s.draw(damages())
		a.kill = s.random.IntN(2) == 0
	}
	s.acts++
	a.lasts = s.between(10*time.Second, 25*time.Second)
	for at := s.between(0, time.Second); at < a.lasts; at += s.between(200*time.Millisecond, 1600*time.Millisecond) {
		f := fault{at: at, kind: s.draw(faults()), target: s.random.IntN(1 << 16), choice: s.random.IntN(1 << 16)}
		f.lasts = s.between(20*time.Millisecond, 900*time.Millisecond)
		if s.random.IntN(5) == 0 {
			f.lasts = s.between(time.Second, 4*time.Second)
		}
		a.faults = append(a.faults, f)
	}
	return a
}

func faults() []weighted {
	return []weighted{{faultKill, 10}, {faultPause, 5}, {faultAll, 1}, {faultStop, 4}, {faultDouble, 3}, {faultCut, 5},
		{faultDelay, 3}, {faultHalf, 3}, {faultFill, 2}, {faultGuest, 1}, {faultCradle, 2}, {faultClient, 2}, {faultWord, 3},
		{faultSchema, 2}, {faultClaims, 1}, {faultCrowd, 1}}
}

func damages() []weighted {
	return []weighted{{damageNone, 2}, {damageSnapshots, 2}, {damageNoStore, 1}, {damageIndex, 1}, {damageLogFiles, 1},
		{damageCopy, 2},
		{damageClaims, 2}, {damageClock, 2}}
}

func TestASeedRepeatsTheSchedule(t *testing.T) {
	t.Parallel()
	one, same, other := newSchedule(7), newSchedule(7), newSchedule(8)
	differs := false
	for range 40 {
		a := one.next()
		require.Equal(t, a, same.next())
		differs = differs || fmt.Sprint(a) != fmt.Sprint(other.next())
	}
	require.True(t, differs)
}

func TestEveryFaultAndDamageIsDrawn(t *testing.T) {
	t.Parallel()
	drawn := map[string]bool{}
	s := newSchedule(1)
	for range 400 {
		a := s.next()
		drawn[a.damage] = true
		for _, f := range a.faults {
			drawn[f.kind] = true
		}
	}
	for _, w := range append(faults(), damages()...) {
		require.True(t, drawn[w.what], w.what)
	}
}
