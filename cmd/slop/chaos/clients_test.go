package chaos

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"time"
)

// Bounds of what goes on at once.
const (
	maxClients = 3
	maxOpen    = 5
)

// clients are the slop run processes of persons on the bus of somebody else.
type clients struct {
	mu    sync.Mutex
	alive []*exec.Cmd
	wg    sync.WaitGroup
}

// nextPlay is the next goal.
func (r *run) nextPlay() play {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.played++
	return newPlay(r.seed, r.played-1, r.outside)
}

// playsLeft tells whether there are goals that nobody has asked for.
func (r *run) playsLeft() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.played < r.plays
}

// ask has persons ask for one goal after the other until ctx ends.
func (r *run) ask(ctx context.Context) {
	for ctx.Err() == nil {
		if r.playsLeft() && r.clients.count() < maxClients && len(r.person.open()) < maxOpen && r.person.connected() {
			r.client(r.nextPlay())
		}
		r.rest(300 * time.Millisecond)
	}
}

func (c *clients) count() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.alive)
}

func (p *person) connected() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.conn != nil
}

// client starts a slop run that opens a session on the bus of now.
func (r *run) client(p play) {
	creds := filepath.Join(r.data(), "keys", "person-"+personName+".json")
	args := r.common("run", "--wait", "--nats", "nats://"+r.bus, "--creds", creds, "--script", r.script, "--label", p.name,
		p.goal())
	cmd, out, file, err := r.command(fmt.Sprintf("client-%d", r.number()), args...)
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		r.violate("process-not-started", "%v", err)
		return
	}
	c := &r.clients
	c.mu.Lock()
	c.alive = append(c.alive, cmd)
	c.mu.Unlock()
	c.wg.Go(func() {
		drain(out)
		_ = cmd.Wait() // a person whose run failed asks for something else
		_ = file.Close()
		c.mu.Lock()
		defer c.mu.Unlock()
		for i := range c.alive {
			if c.alive[i] == cmd {
				c.alive = append(c.alive[:i], c.alive[i+1:]...)
				break
			}
		}
	})
}

// killClient kills one of the runs, as a person who closes the terminal.
func (r *run) killClient(target int) {
	c := &r.clients
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.alive) > 0 {
		_ = c.alive[target%len(c.alive)].Process.Kill()
	}
}

// crowd has a person ask for the next play that needs more places than there are.
func (r *run) crowd() {
	if !r.person.connected() {
		return
	}
	r.mu.Lock()
	n := r.crowded
	r.crowded++
	r.mu.Unlock()
	if n < r.crowds {
		r.count("crowds of scripts")
		r.client(newCrowd(n, r.outside, r.holds()))
	}
}

// release lets the scripts of a crowd go on.
func (r *run) release(play string) { _ = os.Remove(filepath.Join(r.holds(), play)) }
