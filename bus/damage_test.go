package bus_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"manualslop/bus"
	"manualslop/bus/bustest"
	"manualslop/events"
	"manualslop/events/eventstest"
)

func TestFlippedBitAfterAKillIsNamedAndNothingBehindItIsCutOff(t *testing.T) {
	t.Parallel()
	killed, _ := killedStore(t, bus.Sync, 120)
	for name, stream := range map[string]string{"log": "SLOP_EV", "claims": "KV_SLOP_CLAIMS"} {
		for _, at := range []float64{0.02, 0.5, 0.97} {
			t.Run(fmt.Sprintf("%s at %.0f %%", name, 100*at), func(t *testing.T) {
				t.Parallel()
				dir := copyOf(t, killed)
				block := filepath.Join(streamFolder(dir, stream), "msgs", "1.blk")
				info, err := os.Stat(block)
				require.NoError(t, err)
				forgetEnds(t, dir)
				flipAt(t, block, int(at*float64(info.Size())), 1)
				before, err := os.ReadFile(block)
				require.NoError(t, err)
				for range 2 {
					_, err = open(t, dir)
					require.ErrorIs(t, err, bus.ErrDamaged)
					require.ErrorContains(t, err, "from a copy")
				}
				after, err := os.ReadFile(block)
				require.NoError(t, err)
				require.Equal(t, before, after, "what is behind the bit can still be rescued")
			})
		}
	}
}

func TestLogCutBetweenTwoRecordsIsToldByWhatFollowedIt(t *testing.T) {
	t.Parallel()
	killed, _ := killedStore(t, bus.Sync, 300) // long enough for a pool's position to be on the disk
	cut := func(t *testing.T, dir string) {
		forgetEnds(t, dir)
		block := filepath.Join(streamDir(dir), "msgs", "1.blk")
		info, err := os.Stat(block)
		require.NoError(t, err)
		require.NoError(t, os.Truncate(block, info.Size()/20))
	}
	only := func(t *testing.T, dir string, streams ...string) {
		if !strings.Contains(strings.Join(streams, " "), "pools") {
			require.NoError(t, os.RemoveAll(filepath.Join(streamDir(dir), "obs")))
		}
		for _, stream := range []string{"KV_SLOP_CLAIMS", "KV_SLOP_SNAPSHOTS"} {
			if !strings.Contains(strings.Join(streams, " "), stream) {
				blocks, err := filepath.Glob(filepath.Join(streamFolder(dir, stream), "msgs", "*"))
				require.NoError(t, err)
				for _, b := range blocks {
					require.NoError(t, os.Remove(b))
				}
			}
		}
	}
	for witness, said := range map[string]string{
		"pools": "was given event", "KV_SLOP_CLAIMS": "started at event",
		"KV_SLOP_SNAPSHOTS": "a snapshot was taken at event",
	} {
		t.Run(witness, func(t *testing.T) {
			t.Parallel()
			dir := copyOf(t, killed)
			cut(t, dir)
			only(t, dir, witness)
			_, err := open(t, dir)
			require.ErrorIs(t, err, bus.ErrDamaged)
			require.ErrorContains(t, err, said)
		})
	}
}

func TestWhatCanBeComputedAgainIsMadeAgain(t *testing.T) {
	t.Parallel()
	killed, n := killedStore(t, bus.Sync, 60)
	for name, harm := range map[string]func(t *testing.T, dir string){
		"snapshots removed": func(t *testing.T, dir string) {
			require.NoError(t, os.RemoveAll(streamFolder(dir, "KV_SLOP_SNAPSHOTS")))
		},
		"description of snapshots emptied": func(t *testing.T, dir string) {
			require.NoError(t, os.Truncate(filepath.Join(streamFolder(dir, "KV_SLOP_SNAPSHOTS"), "meta.inf"), 0))
		},
		"snapshots a file": func(t *testing.T, dir string) {
			require.NoError(t, os.RemoveAll(streamFolder(dir, "KV_SLOP_SNAPSHOTS")))
			require.NoError(t, os.WriteFile(streamFolder(dir, "KV_SLOP_SNAPSHOTS"), nil, 0o600))
		},
		"pool's description changed": func(t *testing.T, dir string) {
			flipAt(t, filepath.Join(streamDir(dir), "obs", toolPool, "meta.inf"), 3, 1)
		},
		"pool's position emptied": func(t *testing.T, dir string) {
			require.NoError(t, os.Truncate(filepath.Join(streamDir(dir), "obs", toolPool, "o.dat"), 1))
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := copyOf(t, killed)
			harm(t, dir)
			s, err := open(t, dir)
			require.NoError(t, err)
			require.NotEmpty(t, s.Remarks())
			list, err := read(t, t.Context(), bustest.Connect(t, s, reader), events.Filter{Actor: events.ActorApproval})
			require.NoError(t, err)
			require.GreaterOrEqual(t, len(list), n)
			decides := bustest.Connect(t, s, approval)
			require.NoError(t, decides.PutSnapshot(t.Context(), "states.p1.s1.approval", 1))
			e, err := approvedEvent(len(list) + 1)
			require.NoError(t, err)
			_, err = decides.Append(t.Context(), e, nil)
			require.NoError(t, err)
			ctx, stop := context.WithTimeout(t.Context(), eventstest.Patience)
			defer stop()
			require.NoError(t, bustest.Connect(t, s, worker1).Work(ctx, toolPool, 1, func(_ context.Context,
				d events.Delivery) error {
				if d.Event.ID == e.ID {
					stop()
				}
				return nil
			}))
			require.ErrorIs(t, ctx.Err(), context.Canceled, "the pool hands out what comes now")
		})
	}
}

func TestKillsAndPurgedClaimsNeverLookLikeDamage(t *testing.T) {
	t.Parallel()
	for _, durability := range []string{bus.Sync, bus.Relaxed} {
		t.Run(durability, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			for round := range 8 {
				killAfter(t, dir, durability, 5+7*round, childFolder+"_WORKS=1", fmt.Sprintf("%s_ROUND=%d", childFolder, round))
				s, err := bus.Open(t.Context(), bus.Config{Dir: dir, Durability: durability})
				require.NoError(t, err)
				c, err := s.Connect(worker1)
				require.NoError(t, err)
				keys, err := c.ClaimKeys(t.Context())
				require.NoError(t, err)
				for _, key := range keys {
					_, rev, err := c.Claim(t.Context(), key)
					require.NoError(t, err)
					require.NoError(t, c.PurgeClaim(t.Context(), key, rev))
				}
				c.Close()
				if round%2 == 0 {
					require.NoError(t, s.Close())
					continue
				}
				killed := copyOf(t, dir) // as a crash leaves it, with no claim at all
				require.NoError(t, s.Close())
				_, err = open(t, killed, func(c *bus.Config) { c.Durability = durability })
				require.NoError(t, err)
			}
		})
	}
}

// content is all that a store holds and cannot compute again.
type content struct {
	events []events.Event
	claims map[string]string
	blob   string
}

// contentOf reads everything; an error says that something is not there.
func contentOf(t *testing.T, s *bus.Server, n int) (content, error) {
	t.Helper()
	c := content{claims: map[string]string{}}
	var err error
	if c.events, err = read(t, t.Context(), bustest.Connect(t, s, reader), events.Filter{}); err != nil {
		return c, err
	}
	works := bustest.Connect(t, s, worker1)
	for i := 1; i <= n; i++ {
		value, _, err := works.Claim(t.Context(), "s1."+callName(i))
		if i%4 == 0 && errors.Is(err, events.ErrNoKey) { // purged
			continue
		}
		if err != nil {
			return c, err
		}
		c.claims[callName(i)] = string(value)
	}
	b, err := works.Get(t.Context(), events.Digest([]byte(largeText)))
	c.blob = string(b)
	return c, err
}

// TestEveryFlippedBitIsHarmlessOrNamed is run longer with SLOP_DAMAGE set to a
// number of rounds.
func TestEveryFlippedBitIsHarmlessOrNamed(t *testing.T) {
	t.Parallel()
	rounds := uint64(40)
	if more, err := strconv.ParseUint(os.Getenv("SLOP_DAMAGE"), 10, 64); err == nil {
		rounds = more
	}
	killed, n := killedStore(t, bus.Sync, 30)
	closed := copyOf(t, killed)
	s, err := bus.Open(t.Context(), bus.Config{Dir: closed, Project: bustest.Project})
	require.NoError(t, err)
	whole, err := contentOf(t, s, n)
	require.NoError(t, err)
	require.NoError(t, s.Close())
	named := 0
	for seed := range rounds {
		chance := rand.New(rand.NewPCG(seed, 4))
		dir := copyOf(t, []string{killed, closed}[chance.IntN(2)])
		file, at := flipAnywhere(t, dir, chance)
		s, err := bus.Open(t.Context(), bus.Config{Dir: dir, Project: bustest.Project})
		if err != nil {
			named++
			continue
		}
		got, err := contentOf(t, s, n)
		remarks := s.Remarks()
		require.NoError(t, s.Close())
		if err != nil || len(remarks) > 0 && len(got.events) == len(whole.events)-1 {
			named++
			continue
		}
		require.Equal(t, whole, got, "seed %d: %s at %d", seed, file, at)
	}
	t.Logf("%d of %d were named", named, rounds)
}

// flipAnywhere flips a bit of a file of the store, of large and small ones alike.
func flipAnywhere(t *testing.T, dir string, chance *rand.Rand) (file string, at int) {
	t.Helper()
	var files []string
	require.NoError(t, filepath.WalkDir(filepath.Join(dir, "bus"), func(path string, e os.DirEntry, err error) error {
		if info, ierr := e.Info(); err == nil && ierr == nil && e.Type().IsRegular() && info.Size() > 0 {
			files = append(files, path)
		}
		return err
	}))
	file = files[chance.IntN(len(files))]
	info, err := os.Stat(file)
	require.NoError(t, err)
	at = chance.IntN(int(info.Size()))
	flipAt(t, file, at, 1<<chance.IntN(8))
	return file, at
}
