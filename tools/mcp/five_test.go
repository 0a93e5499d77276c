package mcp

import (
	"context"
	"encoding/json"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

const five = 5

// fiveServers starts nothing yet. Each server runs the test binary with the variables.
func fiveServers(t testing.TB, env map[string]string) []Server {
	t.Helper()
	self, err := os.Executable()
	require.NoError(t, err)
	user, project := t.TempDir(), t.TempDir()
	var all []any
	for i := range five {
		all = append(all, map[string]any{"name": fmt.Sprint("s", i), "command": []string{self}, "env": env})
	}
	data, err := json.Marshal(map[string]any{"servers": all})
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(filepath.Join(user, FileName), data, 0o600))
	m, err := Open(user, project, nil, Surroundings{})
	require.NoError(t, err)
	var out []Server
	for _, s := range m.Servers() {
		server, err := NewServer(s, project, Surroundings{})
		require.NoError(t, err)
		out = append(out, server)
	}
	return out
}

// together calls do for each server at once and returns when all have returned.
func together(t testing.TB, servers []Server, do func(Server) error) {
	t.Helper()
	errs := make(chan error, len(servers))
	for _, s := range servers {
		go func() { errs <- do(s) }()
	}
	for range servers {
		require.NoError(t, <-errs)
	}
}

// Each of five servers answers only when all five were started: servers that start one after the other never would.
func TestRequirement09ServersStartAtOnce(t *testing.T) {
	t.Parallel()
	socket := filepath.Join(t.TempDir(), "s")
	l, err := net.Listen("unix", socket)
	require.NoError(t, err)
	defer l.Close()
	go func() {
		var all []net.Conn
		for range five {
			c, err := l.Accept()
			if err != nil {
				return
			}
			all = append(all, c)
		}
		for _, c := range all {
			_ = c.Close() // lets the server go
		}
	}()
	servers := fiveServers(t, map[string]string{misbehave: "good", "MEET": socket})
	together(t, servers, func(s Server) error { return s.Start(context.WithoutCancel(t.Context())) })
	together(t, servers, Server.Stop)
}

// meeting is a server that stops only when others stop at the same time.
type meeting struct {
	Server
	all *sync.WaitGroup
}

func (m meeting) Stop() error {
	m.all.Done()
	m.all.Wait()
	return nil
}

func TestRequirement09ServersStopAtOnce(t *testing.T) {
	t.Parallel()
	var all sync.WaitGroup
	all.Add(five)
	m := &Manager{running: map[string]Server{}}
	for i := range five {
		m.running[fmt.Sprint(i)] = meeting{all: &all}
	}
	require.NoError(t, m.StopAll())
}

// BenchmarkFiveServers reports how long five servers take to start that need half a second each, beside one of them,
// and how long it takes to stop five that ignore the end of their input and SIGTERM, beside the grace time.
func BenchmarkFiveServers(b *testing.B) {
	for b.Loop() {
		servers := fiveServers(b, map[string]string{misbehave: "stubborn", "SLOW": "500ms"})
		alone := fiveServers(b, map[string]string{misbehave: "good", "SLOW": "500ms"})[:1]
		start := func(s Server) error { return s.Start(context.WithoutCancel(b.Context())) }
		took := func(servers []Server, do func(Server) error) float64 {
			began := time.Now()
			together(b, servers, do)
			return time.Since(began).Seconds()
		}
		one := took(alone, start)
		b.ReportMetric(took(servers, start)/one, "x-start-of-one")
		b.ReportMetric(took(servers, Server.Stop)/grace.Seconds(), "x-grace")
		together(b, alone, Server.Stop)
	}
}
