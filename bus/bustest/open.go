package bustest

import (
	"context"
	"testing"
	"time"

	"manualslop/bus"
)

// Project is the project for which the bus of [Open] has pools.
const Project = "p1"

// patience is generous because a loaded machine starts many servers at once.
const patience = 2 * time.Minute

// Open runs a bus in its own folder until the test ends. Its durability is
// relaxed unless an option changes that.
func Open(tb testing.TB, options ...func(*bus.Config)) *bus.Server {
	tb.Helper()
	cfg := bus.Config{Dir: tb.TempDir(), Project: Project, Durability: bus.Relaxed, Serves: tb.Name(), Host: "test",
		MaxBytes: 1 << 30}
	for _, o := range options {
		o(&cfg)
	}
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	s, err := bus.Open(ctx, cfg)
	if err != nil {
		tb.Fatalf("open bus: %v", err)
	}
	tb.Cleanup(func() {
		if err := s.Close(); err != nil {
			tb.Errorf("close bus: %v", err)
		}
	})
	return s
}

// Connect returns a connection in the given role, closed when the test ends.
func Connect(tb testing.TB, s *bus.Server, role bus.Role) *bus.Conn {
	tb.Helper()
	c, err := s.Connect(role)
	if err != nil {
		tb.Fatalf("connect as %s: %v", role, err)
	}
	tb.Cleanup(c.Close)
	return c
}
