package bus_test

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"manualslop/bus"
	"manualslop/bus/bustest"
	"manualslop/events"
	"manualslop/events/eventstest"
)

// childFolder tells the test binary to be the process that is killed.
const childFolder = "SLOP_BUS_TEST_CHILD"

func TestMain(m *testing.M) {
	bustest.Node()
	if dir := os.Getenv(childFolder); dir != "" {
		durability := os.Getenv(childFolder + "_DURABILITY")
		if os.Getenv(childFolder+"_WORKS") != "" {
			os.Exit(workUntilKilled(dir, durability))
		}
		os.Exit(appendUntilKilled(dir, durability))
	}
	os.Exit(m.Run())
}

// appendUntilKilled prints each sequence after its acknowledgement.
func appendUntilKilled(dir, durability string) int {
	ctx := context.Background()
	s, err := bus.Open(ctx, bus.Config{Dir: dir, Durability: durability, MaxBytes: 1 << 30})
	if err != nil {
		fmt.Println(err)
		return 1
	}
	c, err := s.Connect(conductor)
	if err != nil {
		fmt.Println(err)
		return 1
	}
	for i := 1; ; i++ {
		e, err := events.New(events.Origin{ID: fmt.Sprintf("e%d", i), Time: time.Now(), Project: "p1", Session: "s1",
			Actor: events.ActorConductor},
			events.TicketReady{Ticket: strconv.Itoa(i)})
		if err == nil {
			_, err = c.Append(ctx, e, nil)
		}
		if err != nil {
			fmt.Println(err)
			return 1
		}
		fmt.Println(i)
	}
}

func TestKilledServerLosesNoAcknowledgedEvent(t *testing.T) {
	t.Parallel()
	for _, durability := range []string{bus.Relaxed, bus.Sync} {
		t.Run(durability, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			acknowledged := killAfter(t, dir, durability, 500)
			s := bustest.Open(t, func(c *bus.Config) { c.Dir, c.Durability = dir, durability })
			ctx, cancel := context.WithTimeout(t.Context(), eventstest.Patience)
			defer cancel()
			list, err := read(t, ctx, bustest.Connect(t, s, reader), events.Filter{})
			require.NoError(t, err)
			require.GreaterOrEqual(t, len(list), acknowledged)
			for i, e := range list {
				require.Equal(t, fmt.Sprintf("e%d", i+1), e.ID)
			}
		})
	}
}

// killAfter runs a child that appends, kills it when it has reported n
// acknowledgements, and returns how many it reported in all.
func killAfter(t *testing.T, dir, durability string, n int, env ...string) int {
	t.Helper()
	child := exec.Command(os.Args[0], "-test.run=^$")
	child.Env = append(os.Environ(), childFolder+"="+dir, childFolder+"_DURABILITY="+durability)
	child.Env = append(child.Env, env...)
	out, err := child.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, child.Start())
	last := 0
	for lines := bufio.NewScanner(out); lines.Scan(); {
		seq, err := strconv.Atoi(lines.Text())
		require.NoError(t, err, lines.Text())
		if last = seq; last == n {
			require.NoError(t, child.Process.Kill())
		}
	}
	require.Error(t, child.Wait(), "it was killed")
	require.GreaterOrEqual(t, last, n)
	return last
}

// killAfterTime runs a child that opens a bus and kills it after a while.
func killAfterTime(t *testing.T, dir string, after time.Duration) {
	t.Helper()
	child := exec.Command(os.Args[0], "-test.run=^$")
	child.Env = append(os.Environ(), childFolder+"="+dir, childFolder+"_DURABILITY="+bus.Sync)
	require.NoError(t, child.Start())
	time.AfterFunc(after, func() { _ = child.Process.Kill() }) // it cannot have ended before
	require.Error(t, child.Wait())
}
