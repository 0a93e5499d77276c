// Package chaos runs the real program under faults and checks that what
// docs/chaos.md promises holds. A seed gives a schedule of acts: an arrangement
// of processes, damage before it, and faults while scripted sessions run, a
// scripted person answers and a program asks questions. When the time is over
// every fault is taken back, everything must come to its end, and the record
// is held against what scripts left outside of every undo.
package chaos

import (
	"cmp"
	"context"
	"flag"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"manualslop/bus/bustest"
	"manualslop/events"
	"manualslop/events/eventstest"
)

var (
	chaosTime = flag.Duration("chaos.time", time.Minute, "how long faults go on; a longer run begins as a shorter one")
	chaosSeed = flag.Uint64("chaos.seed", 1, "seed of the schedule; 0 takes one from the clock")
	chaosDir  = flag.String("chaos.dir", "", "folder of the run; it is kept where something does not hold")
)

// mostPlays bounds the goals of a run; the script of a model has at most 10,000 lines.
const mostPlays = 450

// mostCrowds bounds the plays that take every place of the workers.
const mostCrowds = 6

// run is one run of chaos.
type run struct {
	t    *testing.T
	seed uint64
	dir  string // of everything
	env  []string
	// In dir: the project, the person's configuration, the model's script, and
	// the file that scripts write, outside of every undo.
	project, config, script, outside string

	bus     string // address of the bus in every act
	plays   int
	crowds  int
	person  *person
	links   map[string]*proxy
	crew    []*member // of the act of now
	noDisk  error     // why the disk cannot be filled
	noClock error     // why the clock cannot be set
	filling sync.Mutex
	over    context.Context // ended when the time of the faults is
	clients clients

	mu         sync.Mutex
	counts     map[string]int
	violations []violation
	exits      []string       // processes that ended by themselves
	pids       map[int]string // who had a process id
	births     map[int]time.Time
	hooks      string // where the gateway of now is
	numbers    int
	played     int
	crowded    int
	back       time.Duration // by how much the clock of processes is set back
	lastBack   time.Duration // by how much that of the process that started last is
	clocks     int           // how often a process started with another clock than the one before
}

// violation is something that does not hold, under a name.
type violation struct{ name, what string }

// violate records what does not hold.
func (r *run) violate(name, format string, args ...any) {
	r.mu.Lock()
	defer r.mu.Unlock()
	v := violation{name, fmt.Sprintf(format, args...)}
	r.violations = append(r.violations, v)
	r.t.Logf("violation %s: %.300q", v.name, v.what)
}

func (r *run) count(what string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.counts[what]++
}

// number is another one each time.
func (r *run) number() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.numbers++
	return r.numbers
}

func (r *run) born(pid int, name string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.pids[pid], r.births[pid] = name, time.Now()
}

// ended takes note of a process that ended by itself.
func (r *run) ended(name, file string, err error) {
	raw, _ := os.ReadFile(file)
	said := strings.TrimSpace(string(raw[max(0, len(raw)-300):]))
	r.mu.Lock()
	defer r.mu.Unlock()
	if strings.Contains(said, events.ErrFull.Error()) { // as it should
		r.counts["ended without room: "+name]++
		return
	}
	r.exits = append(r.exits, fmt.Sprintf("%s: %v: %s", name, err, said))
}

// pause lets time pass, which is a part of a fault and not a wait for something.
func pause(d time.Duration) { <-time.After(d) }

// rest waits; false when the time of the faults is over.
func (r *run) rest(d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return r.over.Err() == nil
	case <-r.over.Done():
		return false
	}
}

func (r *run) patience() (context.Context, context.CancelFunc) {
	return context.WithTimeout(context.Background(), eventstest.Patience)
}

func (r *run) disk() string { return filepath.Join(r.dir, "disk") }
func (r *run) data() string { return filepath.Join(r.project, ".slop") }

// holds is the folder of the files that crowds of scripts wait for; one that is
// removed lets its crowd go on.
func (r *run) holds() string { return filepath.Join(r.dir, "holds") }
func (r *run) name() string  { return filepath.Base(r.project) }

func sorted[K cmp.Ordered, V any](m map[K]V) []K { return slices.Sorted(maps.Keys(m)) }

// newRun lays out the folder of a run.
func newRun(t *testing.T, seed uint64, lasts time.Duration) *run {
	dir := *chaosDir
	if dir == "" {
		var err error
		dir, err = os.MkdirTemp("", "slop-chaos-")
		require.NoError(t, err)
	}
	r := &run{t: t, seed: seed, dir: dir, project: filepath.Join(dir, "disk", "stage"), config: filepath.Join(dir, "home",
		"config.toml"),
		script: filepath.Join(dir, "script.jsonl"), outside: filepath.Join(dir, "outside.log"), bus: bustest.Address(t),
		plays:  min(20+int(lasts/time.Second), mostPlays),
		crowds: min(1+int(lasts/(2*time.Minute)), mostCrowds),
		links:  map[string]*proxy{}, counts: map[string]int{}, pids: map[int]string{}, births: map[int]time.Time{}}
	for _, sub := range []string{"disk", "home", "stderr"} {
		require.NoError(t, os.MkdirAll(filepath.Join(dir, sub), 0o755))
	}
	if r.noDisk = mountDisk(r.disk()); r.noDisk == nil {
		t.Cleanup(func() { _ = unmountDisk(r.disk()) })
	} else {
		t.Logf("no disk is filled: %v", r.noDisk)
	}
	if r.noClock = clockBack(0); r.noClock != nil {
		t.Logf("no clock is set back: %v", r.noClock)
	}
	require.NoError(t, os.MkdirAll(r.project, 0o755))
	require.NoError(t, os.WriteFile(r.config, []byte("[user]\nname = \""+personName+"\"\n[bus]\ndurability = "+
		"\"relaxed\"\nmax_bytes = 536870912\n"+
		"[hooks]\nlisten = \"127.0.0.1:0\"\n[shell]\ntimeout_s = 86400\n"), 0o600))
	r.env = append(os.Environ(), "XDG_CONFIG_HOME="+filepath.Join(dir, "home"), "XDG_STATE_HOME="+filepath.Join(dir,
		"state"))
	r.person = newPerson(r)
	r.stage()
	return r
}

// TestChaos runs the schedule of a seed and checks what must hold.
func TestChaos(t *testing.T) {
	if raceDetector() {
		t.Skip("a process under the race detector takes ten times as long to start; make test runs chaos without it")
	}
	seed := *chaosSeed
	if seed == 0 {
		seed = uint64(time.Now().UnixNano())
	}
	r := newRun(t, seed, *chaosTime)
	t.Logf("-chaos.seed %d -chaos.time %s, in %s", seed, *chaosTime, r.dir)
	r.play(*chaosTime)
	r.report()
}

// play acts until the time is over, and then waits for every end.
func (r *run) play(lasts time.Duration) {
	over, enough := context.WithTimeout(context.Background(), lasts)
	defer enough()
	r.over = over
	if out, status := r.slop("keys", "keys", "--project", r.project, "--config", r.config); status != 0 {
		r.violate("harness", "keys: %d %s", status, out)
		return
	}
	life, leave := context.WithCancel(context.Background())
	var wg sync.WaitGroup
	wg.Go(func() { r.person.follow(life) })
	wg.Go(func() { r.person.answer(life) })
	pushing, enoughPushed := context.WithCancel(life)
	wg.Go(func() { r.person.push(pushing) })
	wg.Go(func() { r.ask(over) })
	schedule, random := newSchedule(r.seed), rand.New(rand.NewPCG(r.seed, 5))
	for over.Err() == nil {
		a := schedule.next()
		r.setClock(a.damage == damageClock)
		r.damage(a.damage, random)
		r.count("act: " + a.arrangement)
		r.perform(a)
	}
	enoughPushed()
	r.setClock(false)
	r.letGo()
	leave()
	wg.Wait()
	_ = os.RemoveAll(r.holds()) // no script outlives the run
	r.judge()
}

// report prints what was done and found, and fails the test where something
// does not hold. Then the folder stays.
func (r *run) report() {
	var b strings.Builder
	fmt.Fprintf(&b, "\nchaos: seed %d\n", r.seed)
	for _, what := range sorted(r.counts) {
		fmt.Fprintf(&b, "  %-34s %d\n", what, r.counts[what])
	}
	for _, e := range r.exits {
		fmt.Fprintf(&b, "  ended by itself: %s\n", e)
	}
	names := map[string]int{}
	for _, v := range r.violations {
		names[v.name]++
	}
	for _, name := range sorted(names) {
		fmt.Fprintf(&b, "  VIOLATION %-24s %d\n", name, names[name])
	}
	r.t.Log(b.String())
	if len(r.violations) == 0 {
		_ = unmountDisk(r.disk())
		require.NoError(r.t, os.RemoveAll(r.dir))
		return
	}
	var all strings.Builder
	for _, v := range r.violations {
		fmt.Fprintf(&all, "%s: %s\n", v.name, v.what)
	}
	require.NoError(r.t, os.WriteFile(filepath.Join(r.dir, "violations.log"), []byte(all.String()), 0o600))
	r.t.Errorf("%d violations; the folder %s is kept: begin with violations.log, outside.log and stderr",
		len(r.violations), r.dir)
	if r.noDisk == nil {
		require.NoError(r.t, os.CopyFS(filepath.Join(r.dir, "stage"), os.DirFS(r.project)))
	}
}

// raceDetector tells whether this program was built with the race detector.
func raceDetector() bool {
	info, ok := debug.ReadBuildInfo()
	return ok && slices.Contains(info.Settings, debug.BuildSetting{Key: "-race", Value: "true"})
}
