package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"manualslop/bus/bustest"
)

// TestAClusterIsSetUpFromTheCommandLine writes the credentials of three servers
// and creates the streams on them, as docs/cluster.md says.
func TestAClusterIsSetUpFromTheCommandLine(t *testing.T) {
	t.Parallel()
	s := newSite(t, twoFiles)
	replicas(s, 3)
	s.fails(2, "keys", "--cluster", "nats://127.0.0.1:1")
	s.fails(2, "keys", "--cluster", "nats://127.0.0.1:1", "--dir", "mine")
	s.fails(2, "provision")
	cluster := bustest.StartEmptyCluster(t, func(dir, url string) error {
		s.ok("keys", "--cluster", url, "--dir", dir)
		before, err := os.ReadFile(filepath.Join(dir, "worker.json"))
		if err != nil {
			return err
		}
		s.ok("keys", "--cluster", url, "--dir", dir)
		again, err := os.ReadFile(filepath.Join(dir, "worker.json"))
		if err == nil && string(again) != string(before) {
			err = fmt.Errorf("keys that are there were replaced")
		}
		return err
	})
	as := func(file string, args ...string) []string {
		return append(args, "--nats", cluster.URL, "--creds", filepath.Join(cluster.Keys, file), "--json")
	}
	for _, file := range []string{"worker.json", "admin.json", "accounts.conf", "person-" + person + ".json"} {
		info, err := os.Stat(filepath.Join(cluster.Keys, file))
		require.NoError(t, err)
		require.Equal(t, os.FileMode(0o600), info.Mode().Perm(), file)
	}
	require.Contains(t, s.fails(1, as("worker.json", "provision")...), "no credentials for admin")
	var ready struct {
		Stream   string
		Replicas int
	}
	// Servers of a busy machine take their time to elect a leader.
	require.Eventually(t, func() bool { return s.slop(as("admin.json", "provision")...).status == 0 }, patience,
		time.Millisecond)
	for range 2 { // now it checks what is there
		require.NoError(t, json.Unmarshal([]byte(s.ok(as("admin.json", "provision")...)), &ready))
		require.Equal(t, "SLOP_EV", ready.Stream)
		require.Equal(t, 3, ready.Replicas)
	}
	require.Contains(t, s.ok("doctor", "--nats", cluster.URL, "--creds", filepath.Join(cluster.Keys, "person-"+person+
		".json")), "SLOP_EV has 3 copies")
	replicas(s, 1)
	require.Contains(t, s.fails(1, as("admin.json", "provision")...), "replicas: is 3, must be 1")
}

// replicas has the person's configuration ask for so many copies.
func replicas(s *site, n int) {
	s.configure(strings.Replace(scriptConfig, "[bus]\n", fmt.Sprintf("[bus]\nreplicas = %d\n", n), 1))
}
