package bus_test

import (
	"encoding/base64"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"manualslop/bus"
	"manualslop/events"
	"manualslop/events/eventstest"
)

func TestSecondServerOnAFolderIsRefusedByName(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	setup(t, func(c *bus.Config) { c.Dir, c.Serves = dir, "slop run" })
	_, err := bus.Open(t.Context(), bus.Config{Dir: dir, Durability: bus.Relaxed})
	require.ErrorIs(t, err, bus.ErrLocked)
	var locked *bus.LockedError
	require.ErrorAs(t, err, &locked)
	require.Equal(t, os.Getpid(), locked.PID)
	require.Equal(t, "slop run", locked.Serves)
	require.ErrorContains(t, err, fmt.Sprintf("process %d (slop run)", os.Getpid()))
}

func TestConfigurationThatMakesNoSenseIsRefused(t *testing.T) {
	t.Parallel()
	for name, cfg := range map[string]bus.Config{
		"no folder":       {},
		"durability":      {Dir: t.TempDir(), Durability: "async"},
		"negative budget": {Dir: t.TempDir(), MaxBytes: -1},
		"small budget":    {Dir: t.TempDir(), MaxBytes: bus.MinBudget - 1},
		"listen":          {Dir: t.TempDir(), Listen: "here"},
	} {
		_, err := bus.Open(t.Context(), cfg)
		require.ErrorIs(t, err, bus.ErrConfig, name)
	}
}

// filled opens a bus on dir, stores n events and closes it.
func filled(t *testing.T, dir string, n int) {
	t.Helper()
	s, err := bus.Open(t.Context(), bus.Config{Dir: dir, Durability: bus.Relaxed, MaxBytes: 1 << 30})
	require.NoError(t, err)
	c, err := s.Connect(conductor)
	require.NoError(t, err)
	build := &eventstest.Builder{Project: "p1", Session: "s1"}
	for range n {
		_, err := c.Append(t.Context(), build.Event(t, events.ActorConductor, events.TicketReady{Ticket: strings.Repeat("T",
			512)}), nil)
		require.NoError(t, err)
	}
	c.Close()
	require.NoError(t, s.Close())
}

func streamDir(dir string) string {
	return filepath.Join(dir, "bus", "jetstream", "$G", "streams", "SLOP_EV")
}

func TestReopenedStoreHoldsEverything(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	filled(t, dir, 100)
	b := setup(t, func(c *bus.Config) { c.Dir, c.MaxBytes = dir, 0 })
	list, err := read(t, b.ctx, b.as(t, reader), events.Filter{})
	require.NoError(t, err)
	require.Len(t, list, 100)
}

func TestDamagedStoreIsRefusedAndLeftAlone(t *testing.T) {
	t.Parallel()
	for name, harm := range map[string]func(*testing.T, string){
		"emptied meta.inf": func(t *testing.T, dir string) {
			require.NoError(t, os.WriteFile(filepath.Join(streamDir(dir), "meta.inf"), nil, 0o600))
		},
		"removed meta.inf": func(t *testing.T, dir string) {
			require.NoError(t, os.Remove(filepath.Join(streamDir(dir), "meta.inf")))
		},
		"emptied stream folder": func(t *testing.T, dir string) {
			require.NoError(t, os.RemoveAll(streamDir(dir)))
			require.NoError(t, os.Mkdir(streamDir(dir), 0o700))
		},
		"removed stream folder": func(t *testing.T, dir string) {
			require.NoError(t, os.RemoveAll(streamDir(dir)))
		},
		"removed store": func(t *testing.T, dir string) {
			require.NoError(t, os.RemoveAll(filepath.Join(dir, "bus", "jetstream")))
		},
		"removed blocks": func(t *testing.T, dir string) {
			blocks, err := filepath.Glob(filepath.Join(streamDir(dir), "msgs", "*.blk"))
			require.NoError(t, err)
			require.NotEmpty(t, blocks)
			for _, b := range blocks {
				require.NoError(t, os.Remove(b))
			}
		},
		"truncated block": func(t *testing.T, dir string) {
			require.NoError(t, os.Truncate(filepath.Join(streamDir(dir), "msgs", "1.blk"), 4000))
		},
		"removed claims": func(t *testing.T, dir string) {
			require.NoError(t, os.RemoveAll(filepath.Join(filepath.Dir(streamDir(dir)), "KV_SLOP_CLAIMS")))
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			filled(t, dir, 50)
			harm(t, dir)
			_, err := bus.Open(t.Context(), bus.Config{Dir: dir, Durability: bus.Relaxed})
			require.ErrorIs(t, err, bus.ErrDamaged)
			_, err = bus.Open(t.Context(), bus.Config{Dir: dir, Durability: bus.Relaxed})
			require.ErrorIs(t, err, bus.ErrDamaged, "the second attempt creates nothing either")
		})
	}
}

// flip changes one bit in the middle of the first block.
func flip(t *testing.T, dir string) {
	t.Helper()
	path := filepath.Join(streamDir(dir), "msgs", "1.blk")
	body, err := os.ReadFile(path)
	require.NoError(t, err)
	body[len(body)/2] ^= 1
	require.NoError(t, os.WriteFile(path, body, 0o600))
}

func TestFlippedBitInTheNewestBlockIsFoundAtTheStart(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	filled(t, dir, 50)
	flip(t, dir)
	_, err := bus.Open(t.Context(), bus.Config{Dir: dir, Durability: bus.Relaxed})
	require.ErrorIs(t, err, bus.ErrDamaged, "the server cuts the block off there and says nothing")
}

// filledTwoBlocks makes a store with more than one block of 8 MiB.
func filledTwoBlocks(t *testing.T, dir string) {
	t.Helper()
	s, err := bus.Open(t.Context(), bus.Config{Dir: dir, Durability: bus.Relaxed, MaxBytes: 1 << 30})
	require.NoError(t, err)
	build, noise := &eventstest.Builder{Project: "p1", Session: "s1"}, rand.NewChaCha8([32]byte{1})
	c, err := s.Connect(ada)
	require.NoError(t, err)
	for range 100 {
		goal := make([]byte, 75<<10)
		_, err := noise.Read(goal)
		require.NoError(t, err)
		_, err = c.Append(t.Context(),
			build.Event(t, "ada", events.GoalSubmitted{Goal: base64.StdEncoding.EncodeToString(goal)}), nil)
		require.NoError(t, err)
	}
	c.Close()
	require.NoError(t, s.Close())
}

// TestDamageInAnOlderBlockIsFoundBesideTheWork has an engine that nobody asks
// for what is damaged.
func TestDamageInAnOlderBlockIsFoundBesideTheWork(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	filledTwoBlocks(t, dir)
	flip(t, dir)
	said := &heard{}
	setup(t, func(c *bus.Config) { c.Dir, c.Logger = dir, slog.New(slog.NewTextHandler(said, nil)) })
	require.Eventually(t, func() bool { return strings.Contains(said.String(), "the log lost data: 1.blk") },
		eventstest.Patience, 10*time.Millisecond)
}

// heard is what a logger said.
type heard struct {
	mu   sync.Mutex
	text strings.Builder
}

func (h *heard) Write(b []byte) (int, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.text.Write(b)
}

func (h *heard) String() string {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.text.String()
}

// The server trusts its index of older blocks, skips what it cannot read and
// tells nobody.
func TestFlippedBitInAnOlderBlockIsAHoleForEveryReader(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	filledTwoBlocks(t, dir)
	flip(t, dir)

	b := setup(t, func(c *bus.Config) { c.Dir = dir })
	log := b.as(t, reader)
	list, err := read(t, b.ctx, log, events.Filter{Session: "s1"})
	require.ErrorIs(t, err, events.ErrHole)
	require.Less(t, len(list), 100)
	_, feed, err := log.Watch(b.ctx, events.Filter{}, 1)
	require.NoError(t, err)
	for _, ferr := range feed {
		err = ferr
	}
	require.ErrorIs(t, err, events.ErrHole)
}

// TestABusyServerIsNotAHole has a consumer deliver nothing for a while, as behind
// many blocks in which nothing matches.
func TestABusyServerIsNotAHole(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.approve(t, b.as(t, approval), 3)
	log := b.as(t, reader)
	require.NoError(t, log.Undelivered(b.ctx, events.Filter{}, 3), "the server can read event 3")
	require.ErrorIs(t, log.Undelivered(b.ctx, events.Filter{}, 4), events.ErrHole)
}

func TestFullStoreRefusesAndForgetsNothing(t *testing.T) {
	t.Parallel()
	b := setup(t, func(c *bus.Config) { c.MaxBytes = bus.MinBudget })
	c := b.as(t, conductor)
	stored := 0
	var err error
	for err == nil {
		_, err = c.Append(b.ctx, b.Event(t, events.ActorConductor, events.TicketReady{Ticket: strings.Repeat("x", 200<<10)}),
			nil)
		if err == nil {
			stored++
		}
	}
	require.ErrorIs(t, err, events.ErrFull)
	require.NotZero(t, stored)
	list, err := read(t, b.ctx, c, events.Filter{})
	require.NoError(t, err)
	require.Len(t, list, stored)
	_, err = c.Append(b.ctx, b.Event(t, events.ActorConductor, events.TicketReady{Ticket: strings.Repeat("x", 200<<10)}),
		nil)
	require.ErrorIs(t, err, events.ErrFull, "and it stays so")
}

func TestBudgetIsRaisedAndNeverLowered(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	filled(t, dir, 20)
	for _, budget := range []int64{bus.MinBudget, 2 << 30} {
		s, err := bus.Open(t.Context(), bus.Config{Dir: dir, Durability: bus.Relaxed, MaxBytes: budget})
		require.NoError(t, err)
		c, err := s.Connect(conductor)
		require.NoError(t, err)
		list, err := read(t, t.Context(), c, events.Filter{})
		require.NoError(t, err)
		require.Len(t, list, 20)
		c.Close()
		require.NoError(t, s.Close())
	}
}

func TestAddressInUseIsSaidAtOnce(t *testing.T) {
	t.Parallel()
	holder := setup(t, func(c *bus.Config) { c.Listen = "127.0.0.1:0" })
	taken := strings.TrimPrefix(holder.srv.URL(), "nats://")
	_, err := bus.Open(t.Context(), bus.Config{Dir: t.TempDir(), Durability: bus.Relaxed, Listen: taken})
	require.ErrorIs(t, err, syscall.EADDRINUSE)
	require.ErrorContains(t, err, taken)
}
