package main

import (
	"context"
	"fmt"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"manualslop/bus"
	"manualslop/bus/bustest"
	"manualslop/events"
)

// clusterRun is a demo at work on a cluster.
type clusterRun struct {
	*fleet
	conn  *bus.Conn
	cmd   *exec.Cmd
	said  lockedBuffer
	acked func() []string
	begun <-chan struct{}
}

// runOn starts a fleet on a cluster and the demo's goal on it.
func runOn(ctx context.Context, t *testing.T, name string, cluster *bustest.Cluster) *clusterRun {
	t.Helper()
	r := &clusterRun{fleet: newClusterFleet(t, name, cluster)}
	r.start()
	r.conn = r.person(ctx)
	r.acked, r.begun = r.watch(ctx, r.conn)
	r.cmd = r.run(ctx)
	r.cmd.Stdout, r.cmd.Stderr = &r.said, &r.said
	require.NoError(t, r.cmd.Start())
	return r
}

// nth waits for the n-th event of a type (any where it is empty) of the fleet's
// project from a position on, and returns its place.
func (r *clusterRun) nth(ctx context.Context, n int, typ string, from uint64) uint64 {
	r.t.Helper()
	_, feed, err := r.conn.Watch(ctx, events.Filter{Project: filepath.Base(r.dir), Type: typ}, from)
	require.NoError(r.t, err)
	for e, err := range feed {
		require.NoError(r.t, err)
		if n--; n == 0 {
			return e.Seq
		}
	}
	require.FailNow(r.t, "no event", "%s from %d: %s", typ, from, r.said.String())
	return 0
}

// took is the time from the first event of the run to its last.
func (r *clusterRun) took() time.Duration {
	log := history(r.t, r.conn, filepath.Base(r.dir))
	return log[len(log)-1].Time.Sub(log[0].Time)
}

// requireEnd waits for the end of the run and compares what it came to.
func (r *clusterRun) requireEnd(want any) {
	r.t.Helper()
	require.NoError(r.t, r.cmd.Wait(), "%s", r.said.String())
	log := history(r.t, r.conn, filepath.Base(r.dir))
	requireVerified(r.t, log)
	require.Equal(r.t, want, any(endState(log)), "%s", r.said.String())
	requireNoWriteTwice(r.t, log)
	requireAll(r.t, r.acked(), log)
	requireSampleWorks(r.t, r.dir, r.env)
}

// requireDoctorSays runs slop doctor against the cluster until it says so.
func requireDoctorSays(t *testing.T, r *clusterRun, parts ...string) {
	t.Helper()
	for ctx := t.Context(); ; {
		cmd := exec.CommandContext(ctx, "slop", "doctor", "--project", r.dir, "--nats", r.url, "--creds", r.personKeys(),
			"--config", r.config)
		cmd.Env = r.env
		said, err := cmd.CombinedOutput()
		missing := slices.DeleteFunc(slices.Clone(parts), func(part string) bool {
			return strings.Contains(string(said),
				part)
		})
		if len(missing) == 0 {
			return
		}
		require.NoError(t, ctx.Err(), "%v: %s %v", missing, said, err)
	}
}

// demoCalls is how many calls the demo settles.
const demoCalls = 13

// TestTwoDemosOnAClusterEndTheSameWhileItsLeaderIsKilled runs two projects in
// one account of three servers, each with processes of its own, and kills the
// server that leads the log when the first tool has run. SLOP_LOAD=full does so
// at more points.
func TestTwoDemosOnAClusterEndTheSameWhileItsLeaderIsKilled(t *testing.T) {
	t.Parallel()
	want := endState(historyOf(t, runAlone(t)))
	for round := range load(1, 8) {
		cluster := bustest.StartCluster(t, person)
		ctx, cancel := context.WithTimeout(context.Background(), patience)
		defer cancel()
		demos := []*clusterRun{runOn(ctx, t, "sample", cluster), runOn(ctx, t, "second", cluster)}
		one := demos[0]
		one.nth(ctx, 1+demoCalls*round/8, "ToolSettled", 1)
		leader := cluster.Leader()
		killed := time.Now()
		cluster.Kill(leader)
		cluster.Start(leader)
		last, err := one.conn.Last(ctx, events.Filter{})
		require.NoError(t, err)
		one.nth(ctx, 1, "", last+1)
		t.Logf("the log stood still for %s", time.Since(killed).Round(time.Millisecond))
		for _, demo := range demos {
			demo.requireEnd(want)
			t.Logf("%s took %s", filepath.Base(demo.dir), demo.took().Round(time.Millisecond))
			demo.stop()
		}
		requireDoctorSays(t, one, "SLOP_EV has 3 copies", "all are current")
		down := (cluster.Leader() + 1) % 3
		cluster.Kill(down)
		requireDoctorSays(t, one, fmt.Sprintf("n%d does not answer", down+1))
	}
}
