package bus_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"manualslop/bus"
	"manualslop/bus/bustest"
	"manualslop/events"
)

func TestLostClaimsAreReplacedSoThatNoCallRunsTwice(t *testing.T) {
	t.Parallel()
	dir, n := killedStore(t, bus.Sync, 60)
	require.NoError(t, os.RemoveAll(streamFolder(dir, "KV_SLOP_CLAIMS")))
	_, err := open(t, dir)
	require.ErrorIs(t, err, bus.ErrDamaged)
	require.ErrorContains(t, err, "slop doctor --repair")
	s, err := open(t, dir, func(c *bus.Config) { c.Repair = true })
	require.NoError(t, err)
	require.Contains(t, strings.Join(s.Remarks(), "\n"), "approved calls may have started; each is reported to a person")
	c := bustest.Connect(t, s, worker1)
	for i := 1; i <= n; i++ {
		_, err := c.CreateClaim(t.Context(), "s1."+callName(i), []byte(`{}`))
		if i%2 == 0 {
			require.NoError(t, err, "call %d has its outcome", i)
			continue
		}
		require.ErrorIs(t, err, events.ErrClaimed, "call %d may have begun", i)
		value, _, err := c.Claim(t.Context(), "s1."+callName(i))
		require.NoError(t, err)
		var lost bus.LostClaim
		require.NoError(t, json.Unmarshal(value, &lost))
		require.NotZero(t, lost.Approved)
		lost.Approved = 0
		require.Equal(t, bus.LostClaim{Worker: bus.LostWorker, Tool: "run_powershell", Lost: true}, lost)
	}
}

func TestRepairTakesAStoreWithoutItsRecordAsItIs(t *testing.T) {
	t.Parallel()
	killed, n := killedStore(t, bus.Sync, 40)
	for name, harm := range map[string]func(path string) error{
		"removed": os.Remove,
		"emptied": func(path string) error { return os.Truncate(path, 0) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := copyOf(t, killed)
			require.NoError(t, harm(filepath.Join(dir, "bus", "ends.json")))
			_, err := open(t, dir)
			require.ErrorIs(t, err, bus.ErrDamaged)
			require.ErrorContains(t, err, "slop doctor --repair")
			s, err := open(t, dir, func(c *bus.Config) { c.Repair = true })
			require.NoError(t, err)
			require.Contains(t, strings.Join(s.Remarks(), "\n"), "the store is accepted as it is")
			list, err := read(t, t.Context(), bustest.Connect(t, s, reader), events.Filter{Actor: events.ActorApproval})
			require.NoError(t, err)
			require.GreaterOrEqual(t, len(list), n)
			value, _, err := bustest.Connect(t, s, worker1).Claim(t.Context(), "s1."+callName(1))
			require.NoError(t, err)
			require.NotContains(t, string(value), "lost", "a claim that is there stands")
		})
	}
}

func TestRepairOfAWholeStoreChangesNothing(t *testing.T) {
	t.Parallel()
	dir, _ := killedStore(t, bus.Sync, 20)
	s, err := open(t, dir, func(c *bus.Config) { c.Repair = true })
	require.NoError(t, err)
	require.NotContains(t, strings.Join(s.Remarks(), "\n"), "calls")
	value, _, err := bustest.Connect(t, s, worker1).Claim(t.Context(), "s1."+callName(1))
	require.NoError(t, err)
	require.NotContains(t, string(value), "lost")
}
