package chaos

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"syscall"
	"time"

	"manualslop/bus"
	"manualslop/events/eventstest"
)

// creds is how a role reaches the bus.
func (r *run) creds(link *proxy, role string) []string {
	return []string{"--nats", link.url(), "--creds", filepath.Join(r.data(), "keys", role+".json")}
}

// common are the flags of every process.
func (r *run) common(args ...string) []string {
	return append(args, "--project", r.project, "--config", r.config, "--json")
}

// link is the proxy of a role; it outlives the role's processes.
func (r *run) link(name string) *proxy {
	if r.links[name] == nil {
		r.links[name] = newProxy(r.t, r.bus)
	}
	return r.links[name]
}

// remote hires a role that reaches the bus over its proxy.
func (r *run) remote(name, role string, ready func(string), args ...string) *member {
	link := r.link(name)
	return r.hire(name, link, ready, r.common(append(args, r.creds(link, role)...)...)...)
}

// answersAt remembers where the gateway is.
func (r *run) answersAt(line string) {
	var ready struct{ Hooks string }
	if json.Unmarshal([]byte(line), &ready) == nil && ready.Hooks != "" {
		r.mu.Lock()
		defer r.mu.Unlock()
		r.hooks = ready.Hooks
	}
}

// raise hires the members of an arrangement; the first one has the store.
func (r *run) raise(arrangement string) []*member {
	listen := []string{"--nats-listen", r.bus}
	scripted := []string{"--script", r.script}
	var crew []*member
	switch arrangement {
	case split:
		crew = []*member{
			r.hire("bus", nil, nil, r.common(append([]string{"bus"}, listen...)...)...),
			r.remote("gateway", "gateway", r.answersAt, "gateway", "--listen", "127.0.0.1:0"),
			r.remote("judge", "orchestrator", nil, "orchestrator", "--only", "conductor,approval"),
			r.remote("rest", "orchestrator", nil,
				append([]string{"orchestrator", "--only", "planner,lead,contributor,qa,timers"}, scripted...)...),
			r.remote("models", "orchestrator", nil, append([]string{"orchestrator", "--only", "models"}, scripted...)...),
			r.remote("worker two", "worker", nil, "worker"),
			r.remote("worker three", "worker", nil, "worker"),
		}
	case serve:
		crew = []*member{r.hire("serve", nil, r.answersAt,
			r.common(append(append([]string{"serve", "--listen", "127.0.0.1:0"}, listen...), scripted...)...)...)}
	case single:
		args := append(append([]string{"run", "--wait", "--listen", "127.0.0.1:0"}, listen...), scripted...)
		m := r.hireAnew("run", nil, nil,
			func() []string { return r.common(append(slices.Clone(args), r.nextPlay().goal())...) })
		m.mayEnd()
		crew = []*member{m}
	}
	return append(crew, r.remote("worker one", "worker", nil, "worker"))
}

// mayEnd says that the process comes to its end by itself.
func (m *member) mayEnd() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.ends = true
}

// perform plays one act: its arrangement, under its faults, until it is over or
// the run's time is.
func (r *run) perform(a act) {
	r.crew = r.raise(a.arrangement)
	begun := time.Now()
	var wg sync.WaitGroup
	for _, f := range a.faults {
		if !r.rest(time.Until(begun.Add(f.at))) {
			break
		}
		wg.Go(func() { r.inflict(f) })
	}
	r.rest(time.Until(begun.Add(a.lasts)))
	wg.Wait()
	r.end(r.crew, a.kill)
	r.crew = nil
}

// end dismisses members, in order or by a kill. The one that has the store goes last.
func (r *run) end(crew []*member, kill bool) {
	var how os.Signal = syscall.SIGTERM
	if kill {
		how = os.Kill
	}
	var wg sync.WaitGroup
	for _, m := range crew[1:] {
		wg.Go(func() { m.dismiss(how) })
	}
	wg.Wait()
	crew[0].dismiss(how)
}

// inflict makes one fault happen, and takes it back.
func (r *run) inflict(f fault) {
	m := r.crew[f.target%len(r.crew)]
	r.count(f.kind)
	switch f.kind {
	case faultAll:
		r.suspend(f.lasts)
		return
	case faultFill:
		r.fill(f.lasts)
		return
	case faultGuest:
		r.guest(f.lasts * 4)
		return
	case faultCradle:
		r.cradle(f)
		return
	case faultClient:
		r.killClient(f.target)
		return
	case faultWord:
		r.person.meddle(context.Background(), f.target, f.choice)
		return
	case faultSchema:
		r.person.offer(context.Background(), f.target, f.choice)
		return
	case faultClaims:
		r.fillClaims(f.lasts)
		return
	case faultCrowd:
		r.crowd()
		return
	case faultDouble:
		r.double(m, f)
		return
	}
	m.turn.Lock()
	defer m.turn.Unlock()
	r.one(m, f)
}

// one is a fault of one process.
func (r *run) one(m *member, f fault) {
	switch {
	case f.kind == faultKill:
		r.count("kill: " + m.name)
		m.away(os.Kill, f.lasts/2)
	case f.kind == faultStop:
		m.away([]os.Signal{syscall.SIGTERM, os.Interrupt}[f.choice%2], f.lasts/2)
	case f.kind == faultPause, m.link == nil:
		lasts := f.lasts
		if f.choice%4 == 0 {
			r.count("pause longer than a lease")
			lasts += bus.Lease
		}
		m.signal(syscall.SIGSTOP)
		r.rest(lasts)
		m.signal(syscall.SIGCONT)
	case f.kind == faultCut:
		m.link.shut()
		r.rest(f.lasts)
		m.link.heal()
	case f.kind == faultDelay:
		m.link.delay(time.Duration(1+f.choice%150) * time.Millisecond)
		r.rest(2 * f.lasts)
		m.link.heal()
	case f.kind == faultHalf:
		m.link.silence(1 + f.choice%2)
		r.rest(2 * f.lasts)
		m.link.heal()
	}
}

// suspend has every process stand still, as a machine that sleeps.
func (r *run) suspend(lasts time.Duration) {
	for _, m := range r.crew { // all of them first: one that is told to end may need the others
		m.turn.Lock()
		defer m.turn.Unlock()
	}
	for _, m := range r.crew {
		m.signal(syscall.SIGSTOP)
	}
	r.rest(lasts)
	for _, m := range r.crew {
		m.signal(syscall.SIGCONT)
	}
}

// double starts a process a second time. Where it would have the store too, it
// must be refused; else it works beside the first one and ends when it is told.
func (r *run) double(m *member, f fault) {
	name := fmt.Sprintf("double-%d", r.number())
	if m.link == nil {
		m.turn.Lock() // nothing else happens to the one that has the store
		defer m.turn.Unlock()
		r.doubleStore(m, name)
		return
	}
	second := r.hire(name, m.link, nil, m.args()...)
	r.rest(f.lasts)
	second.dismiss([]os.Signal{syscall.SIGTERM, os.Kill}[f.choice%2])
}

// doubleStore starts the process that has the store a second time. The second
// one may take the store only where the first one has ended by itself.
func (r *run) doubleStore(m *member, name string) {
	cmd, out, file, err := r.command(name, m.args()...)
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		r.violate("process-not-started", "%s: %v", name, err)
		return
	}
	defer func() { _ = file.Close() }()
	answers, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		lines := bufio.NewReader(out)
		if _, err := lines.ReadString('\n'); err == nil {
			close(answers)
		}
		_, _ = io.Copy(io.Discard, lines)
		_ = cmd.Wait()
	}()
	select {
	case <-ended:
		if cmd.ProcessState.Success() && m.isReady() {
			r.violate("double-start", "a second %s on one store ended with status 0", m.name)
		}
		return
	case <-answers:
		if m.isReady() {
			r.violate("double-start", "a second %s answers on one store", m.name)
		}
	case <-time.After(eventstest.Patience):
		r.violate("process-hung", "a second %s is neither refused nor ready", m.name)
	}
	_ = cmd.Process.Kill()
	<-ended
}

// guest lets a worker of another project work on the same bus for a time.
func (r *run) guest(lasts time.Duration) {
	other := filepath.Join(r.dir, "guest")
	if err := os.MkdirAll(other, 0o755); err != nil {
		r.violate("harness", "%v", err)
		return
	}
	link := r.link("guest")
	args := append([]string{"worker", "--project", other, "--config", r.config, "--json"}, r.creds(link, "worker")...)
	m := r.hire(fmt.Sprintf("guest-%d", r.number()), link, nil, args...)
	m.mayEnd() // the bus may refuse it
	r.rest(lasts)
	m.dismiss(os.Kill)
}

// fill takes all room of the project's disk for a time.
func (r *run) fill(lasts time.Duration) {
	if r.noDisk != nil {
		return
	}
	r.filling.Lock()
	defer r.filling.Unlock()
	undo, err := fillDisk(r.disk())
	if err != nil {
		r.violate("harness", "fill the disk: %v", err)
		return
	}
	r.rest(lasts)
	undo()
}

// cradle kills engines while they make a new data folder. The next one must
// open it, or make it anew.
func (r *run) cradle(f fault) {
	n := r.number()
	dir := filepath.Join(r.dir, "cradles", fmt.Sprint(n))
	if err := os.MkdirAll(dir, 0o755); err != nil {
		r.violate("harness", "%v", err)
		return
	}
	args := []string{"serve", "--project", dir, "--config", r.config, "--listen", "127.0.0.1:0", "--json"}
	for i := range 1 + f.choice%2 {
		cmd, _, file, err := r.command(fmt.Sprintf("cradle-%d-%d", n, i), args...)
		if err == nil {
			err = cmd.Start()
		}
		if err != nil {
			r.violate("harness", "%v", err)
			return
		}
		r.rest(time.Duration(f.choice%250) * time.Millisecond)
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
		_ = file.Close()
	}
	if out, status := r.slop(fmt.Sprintf("cradle-%d-keys", n), "keys", "--project", dir, "--config",
		r.config); status != 0 {
		r.violate("cradle-unusable", "a data folder whose making was killed after %d ms cannot be used: status %d %s, see "+
			"cradle-%d-keys.log",
			f.choice%250, status, out, n)
	}
}
