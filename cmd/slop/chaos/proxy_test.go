package chaos

import (
	"net"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// proxy carries one role's connections to the bus, and cuts, delays or
// silences them.
type proxy struct {
	listener net.Listener
	target   string

	mu     sync.Mutex
	closed bool          // it accepts none
	late   time.Duration // of every piece that passes
	silent int           // 1: what the bus says is held back, 2: what the role says
	pairs  map[net.Conn]net.Conn
}

func newProxy(t *testing.T, target string) *proxy {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	p := &proxy{listener: l, target: target, pairs: map[net.Conn]net.Conn{}}
	t.Cleanup(func() {
		_ = l.Close()
		p.cut()
	})
	go p.accept()
	return p
}

// url is where the role reaches the bus.
func (p *proxy) url() string { return "nats://" + p.listener.Addr().String() }

func (p *proxy) accept() {
	for {
		role, err := p.listener.Accept()
		if err != nil {
			return
		}
		bus, err := net.DialTimeout("tcp", p.target, 2*time.Second)
		if err != nil || !p.keep(role, bus) {
			_ = role.Close()
			if bus != nil {
				_ = bus.Close()
			}
			continue
		}
		go p.carry(bus, role, 1)
		go p.carry(role, bus, 2)
	}
}

// keep remembers a pair of connections, unless the proxy accepts none.
func (p *proxy) keep(role, bus net.Conn) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		return false
	}
	p.pairs[role] = bus
	return true
}

// carry copies one direction until either end is closed.
func (p *proxy) carry(from, to net.Conn, direction int) {
	defer from.Close()
	defer to.Close()
	buffer := make([]byte, 32<<10)
	for {
		n, err := from.Read(buffer)
		if n > 0 && p.wait(direction) {
			if _, err := to.Write(buffer[:n]); err != nil {
				return
			}
		}
		if err != nil {
			return
		}
	}
}

// wait holds a piece back as the fault of now says; false drops it.
func (p *proxy) wait(direction int) bool {
	p.mu.Lock()
	late, silent := p.late, p.silent
	p.mu.Unlock()
	pause(late)
	return silent != direction
}

// shut closes every connection and accepts none until heal.
func (p *proxy) shut() {
	p.mu.Lock()
	p.closed = true
	p.mu.Unlock()
	p.cut()
}

// delay makes every piece late.
func (p *proxy) delay(by time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.late = by
}

// silence drops what is said in one direction. What was dropped cannot be made
// good, so heal closes the connections.
func (p *proxy) silence(direction int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.silent = direction
}

// heal takes every fault back.
func (p *proxy) heal() {
	p.mu.Lock()
	broken := p.silent != 0
	p.closed, p.late, p.silent = false, 0, 0
	p.mu.Unlock()
	if broken {
		p.cut()
	}
}

// cut closes every connection.
func (p *proxy) cut() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for role, bus := range p.pairs { // order-independent: all are closed
		_ = role.Close()
		_ = bus.Close()
		delete(p.pairs, role)
	}
}
