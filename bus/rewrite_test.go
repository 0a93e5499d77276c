package bus_test

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"manualslop/bus"
	"manualslop/bus/bustest"
	"manualslop/events"
	"manualslop/events/eventstest"
)

// twoSessions is the folder of a store with the sessions s1 and s2, whose events
// alternate, and the events of s2.
func twoSessions(t *testing.T) (cfg bus.Config, kept []events.Event, blobs map[string]string) {
	t.Helper()
	cfg = bus.Config{Dir: t.TempDir(), Durability: bus.Relaxed, Host: "test", MaxBytes: 1 << 30}
	b := setup(t, func(c *bus.Config) { c.Dir = cfg.Dir })
	c, person := b.as(t, approval), b.as(t, ada)
	blobs = map[string]string{}
	for name, text := range map[string]string{"shared": "both name me", "mine": "s1 names me", "yours": "s2 names me"} {
		ref, err := person.Put(b.ctx, []byte(text), "text/plain")
		require.NoError(t, err)
		blobs[name] = ref.SHA256
	}
	for i := range 10 {
		for _, session := range []string{"s1", "s2"} {
			b.Session = session
			goal := "goal " + blobs["shared"]
			if session == "s1" {
				goal += blobs["mine"]
			} else {
				goal += blobs["yours"]
			}
			e := b.Event(t, "ada", events.GoalSubmitted{Goal: goal})
			_, err := person.Append(b.ctx, e, nil)
			require.NoError(t, err)
			if session == "s2" {
				kept = append(kept, e)
			}
			e = b.Event(t, events.ActorApproval, events.ToolApproved{Call: "c", Tool: "read_file", Args: []byte(`{}`)})
			_, err = c.Append(b.ctx, e, nil)
			require.NoError(t, err)
			if session == "s2" {
				kept = append(kept, e)
			}
		}
		if i == 4 { // half of the work is done
			b.takeAll(t, 10)
		}
	}
	drained := b.Event(t, string(bus.Gateway), events.EventsDrained{Client: "", Through: 20})
	_, err := b.as(t, bus.Role{Kind: bus.Gateway}).Append(b.ctx, drained, nil)
	require.NoError(t, err)
	kept = append(kept, drained)
	for _, key := range []string{"s1.c", "s2.c"} {
		_, err := b.as(t, worker1).CreateClaim(b.ctx, key, []byte(`{"worker":"w","approved":4}`))
		require.NoError(t, err)
	}
	require.NoError(t, b.srv.Close())
	return cfg, kept, blobs
}

// takeAll takes the n deliveries that wait in the pool of tools.
func (b *bench) takeAll(t *testing.T, n int) (seen []uint64) {
	t.Helper()
	ctx, cancel := context.WithCancel(b.ctx)
	taken := make(chan uint64, n)
	over := make(chan error, 1)
	go func() {
		over <- b.as(t, worker1).Work(ctx, toolPool, 1, func(_ context.Context, d events.Delivery) error {
			taken <- d.Event.Seq
			return nil
		})
	}()
	for range n {
		seen = append(seen, <-taken)
	}
	looks := b.as(t, reader)
	require.Eventually(t, func() bool {
		f, err := looks.Figures(b.ctx, "p1")
		require.NoError(t, err)
		return !slices.ContainsFunc(f.Pools, func(p bus.PoolFigures) bool { return p.Running > 0 })
	}, eventstest.Patience, time.Millisecond)
	cancel()
	require.NoError(t, <-over)
	return seen
}

func withoutS1(cfg bus.Config) *bus.Rewrite {
	return &bus.Rewrite{Config: cfg, Keep: func(_, session string) bool { return session != "s1" }}
}

// reopened is the bus on a store that exists.
func reopened(t *testing.T, cfg bus.Config) *bench {
	t.Helper()
	return setup(t, func(c *bus.Config) { c.Dir = cfg.Dir })
}

func (b *bench) requireKept(t *testing.T, kept []events.Event) {
	t.Helper()
	got, err := read(t, b.ctx, b.as(t, reader), events.Filter{})
	require.NoError(t, err)
	require.Len(t, got, len(kept))
	for i, e := range got {
		require.EqualValues(t, i+1, e.Seq)
		require.Equal(t, kept[i].ID, e.ID)
		require.True(t, kept[i].Time.Equal(e.Time))
		if e.Type != "EventsDrained" {
			require.JSONEq(t, string(kept[i].Data), string(e.Data))
		}
	}
}

func TestRewriteKeepsTheOtherSessionsAndForgetsTheRest(t *testing.T) {
	t.Parallel()
	cfg, kept, blobs := twoSessions(t)
	r := withoutS1(cfg)
	r.Plan = true
	plan, err := r.Do(t.Context())
	require.NoError(t, err)
	require.EqualValues(t, 41, plan.Old)
	require.EqualValues(t, 21, plan.New)
	require.Equal(t, 1, plan.Blobs)

	result, err := withoutS1(cfg).Do(t.Context())
	require.NoError(t, err)
	require.Equal(t, plan, result, "the plan tells what happens")

	b := reopened(t, cfg)
	b.requireKept(t, kept)
	c := b.as(t, ada)
	for name, digest := range blobs {
		_, err := c.Get(b.ctx, digest)
		if name == "mine" {
			require.ErrorIs(t, err, events.ErrNoBlob)
			continue
		}
		require.NoError(t, err, name)
	}
	last, found, err := c.LastEvent(b.ctx, events.Filter{Type: "EventsDrained"})
	require.NoError(t, err)
	require.True(t, found)
	require.JSONEq(t, `{"client":"","through":10}`, string(last.Data), "positions move with the events")
	worker := b.as(t, worker1)
	keys, err := worker.ClaimKeys(b.ctx)
	require.NoError(t, err)
	require.Equal(t, []string{"s2.c"}, keys)
	claim, _, err := worker.Claim(b.ctx, "s2.c")
	require.NoError(t, err)
	require.JSONEq(t, `{"worker":"w","approved":2}`, string(claim))
	require.Equal(t, []uint64{12, 14, 16, 18, 20}, b.takeAll(t, 5), "work that is done is not handed out again")
	e := b.Event(t, "ada", events.GoalSubmitted{Goal: "the log goes on"})
	seq, err := c.Append(b.ctx, e, nil)
	require.NoError(t, err)
	require.EqualValues(t, 22, seq)
}

// TestKilledRewriteLeavesOneStoreWhole makes the folder look as after a kill at each step.
func TestKilledRewriteLeavesOneStoreWhole(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		killed func(t *testing.T, dir string)
		undone bool
		says   string
	}{
		"while the new store is made": {func(t *testing.T, dir string) {
			require.NoError(t, os.MkdirAll(filepath.Join(dir, "rewrite", "bus", "jetstream"), 0o700))
		}, true, "undid"},
		"when the new store is whole": {func(t *testing.T, dir string) {
			copyTree(t, dir, "new", filepath.Join("rewrite",
				"bus"))
		}, true, "undid"},
		"between the two stores": {func(t *testing.T, dir string) {
			copyTree(t, dir, "new", filepath.Join("rewrite", "bus"))
			require.NoError(t, os.Rename(filepath.Join(dir, "bus"), filepath.Join(dir, "bus.old")))
		}, false, "finished"},
		"before the old store is gone": {func(t *testing.T, dir string) {
			require.NoError(t, os.Rename(filepath.Join(dir, "bus"), filepath.Join(dir, "bus.old")))
			copyTree(t, dir, "new", "bus")
		}, false, "finished"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			cfg, kept, _ := twoSessions(t)
			copyTree(t, cfg.Dir, "bus", "before")
			_, err := withoutS1(cfg).Do(t.Context())
			require.NoError(t, err)
			require.NoError(t, os.Rename(filepath.Join(cfg.Dir, "bus"), filepath.Join(cfg.Dir, "new")))
			require.NoError(t, os.Rename(filepath.Join(cfg.Dir, "before"), filepath.Join(cfg.Dir, "bus")))
			c.killed(t, cfg.Dir)
			b := reopened(t, cfg)
			require.Len(t, b.srv.Remarks(), 1)
			require.Contains(t, b.srv.Remarks()[0], c.says)
			for _, left := range []string{"rewrite", "bus.old"} {
				require.NoDirExists(t, filepath.Join(cfg.Dir, left))
			}
			if !c.undone {
				b.requireKept(t, kept)
				return
			}
			last, err := b.as(t, reader).Last(b.ctx, events.Filter{})
			require.NoError(t, err)
			require.EqualValues(t, 41, last)
		})
	}
}

func copyTree(t *testing.T, dir, from, to string) {
	t.Helper()
	require.NoError(t, os.CopyFS(filepath.Join(dir, to), os.DirFS(filepath.Join(dir, from))))
}

func TestRewriteIsRefusedWhileAnEngineRuns(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	_ = bustest.Open(t, func(c *bus.Config) { c.Dir = dir })
	_, err := withoutS1(bus.Config{Dir: dir}).Do(t.Context())
	require.ErrorIs(t, err, bus.ErrLocked)
}
