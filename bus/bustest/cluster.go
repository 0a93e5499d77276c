package bustest

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"manualslop/bus"
)

// clusterNodes is the size of a [Cluster].
const clusterNodes = 3

// clusterProjects are the projects that the keys of a [Cluster] give access to.
var clusterProjects = []string{Project, "sample", "second"}

// Cluster is three NATS servers on loopback, each a process of the test binary. They are set up as in
// docs/cluster.md, with the addresses and folders of the test, and with the accounts that bus.WriteAccounts
// writes.
type Cluster struct {
	// URL lists every server.
	URL string
	// Keys is the folder of key files.
	Keys string

	tb    testing.TB
	nodes []*node
	admin *bus.Conn
}

// node is one server, which may be killed and restarted.
type node struct {
	name, config, log string
	cmd               *exec.Cmd
	life              io.Closer // closing it ends the process
	said              bytes.Buffer
}

// StartCluster runs a cluster with three replicas of each slop stream until the
// test ends. People are the persons with credentials; workers run on the host
// "test" and on this one.
func StartCluster(tb testing.TB, people ...string) *Cluster {
	tb.Helper()
	c := StartEmptyCluster(tb, func(dir, url string) error {
		host, err := os.Hostname()
		if err != nil {
			return err
		}
		return bus.WriteAccounts(dir, bus.Accounts{URL: url, Projects: clusterProjects, Hosts: []string{"test", host},
			People: people, Agents: []string{"agent-hooks"}})
	})
	c.provision()
	return c
}

// StartEmptyCluster runs a cluster that has no streams, until the test ends.
// WriteKeys writes the credentials for its URL into a folder.
func StartEmptyCluster(tb testing.TB, writeKeys func(dir, url string) error) *Cluster {
	tb.Helper()
	dir := tb.TempDir()
	c := &Cluster{tb: tb, Keys: filepath.Join(dir, "keys")}
	var clients, routes []string
	for range clusterNodes {
		clients, routes = append(clients, Address(tb)), append(routes, Address(tb))
	}
	c.URL = "nats://" + strings.Join(clients, ",nats://")
	if err := writeKeys(c.Keys, c.URL); err != nil {
		tb.Fatalf("accounts of the cluster: %v", err)
	}
	tb.Cleanup(c.stop)
	text := documented(tb)
	for i := range clusterNodes {
		name := fmt.Sprintf("n%d", i+1)
		n := &node{name: name, config: filepath.Join(c.Keys, name+".conf"), log: filepath.Join(dir, name+".log")}
		mine := strings.NewReplacer(
			"server_name: n1", "server_name: "+name,
			`listen: "n1.example:4222"`, `listen: "`+clients[i]+`"`,
			`listen: "n1.example:6222"`, `listen: "`+routes[i]+`"`,
			"n1.example:6222", routes[0], "n2.example:6222", routes[1], "n3.example:6222", routes[2],
			"/var/lib/nats", filepath.Join(dir, name),
		).Replace(text)
		if err := os.WriteFile(n.config, fmt.Appendf([]byte(mine), "\nlog_file: %q\n", n.log), 0o600); err != nil {
			tb.Fatalf("configuration of %s: %v", name, err)
		}
		c.nodes = append(c.nodes, n)
		c.Start(i)
	}
	return c
}

// documented returns the server configuration from docs/cluster.md.
func documented(tb testing.TB) string {
	tb.Helper()
	dir, err := os.Getwd() // tests run in the folder of their package
	for err == nil {
		page, missing := os.ReadFile(filepath.Join(dir, "docs", "cluster.md"))
		if missing == nil {
			_, rest, _ := strings.Cut(string(page), "```\n")
			text, _, _ := strings.Cut(rest, "```\n")
			return text
		}
		if filepath.Dir(dir) == dir {
			err = missing
		}
		dir = filepath.Dir(dir)
	}
	tb.Fatalf("configuration of the cluster: %v", err)
	return ""
}

// Start starts a stopped server.
func (c *Cluster) Start(i int) {
	c.tb.Helper()
	n := c.nodes[i]
	self, err := os.Executable()
	if err == nil {
		n.cmd = exec.Command(self)
		n.cmd.Env, n.cmd.Stderr = append(os.Environ(), nodeConfig+"="+n.config), &n.said
		n.life, err = n.cmd.StdinPipe()
	}
	if err == nil {
		err = n.cmd.Start()
	}
	if err != nil {
		c.tb.Fatalf("start %s: %v", n.name, err)
	}
}

// Kill ends a server the way a crash would.
func (c *Cluster) Kill(i int) {
	n := c.nodes[i]
	if n.cmd == nil || n.cmd.Process == nil {
		return
	}
	_ = n.cmd.Process.Kill()
	_ = n.cmd.Wait()
	n.cmd = nil
}

func (c *Cluster) stop() {
	for i, n := range c.nodes {
		c.Kill(i)
		if c.tb.Failed() {
			logged, _ := os.ReadFile(n.log)
			c.tb.Logf("%s said:\n%s%s", n.name, n.said.String(), logged)
		}
	}
}

// provision creates the streams and the pools as soon as the cluster answers.
func (c *Cluster) provision() {
	c.tb.Helper()
	c.until("the streams are created", func(ctx context.Context) error {
		conn, err := bus.Dial(ctx, bus.DialConfig{Creds: filepath.Join(c.Keys, "admin.json"), Role: bus.Role{Kind: bus.Admin},
			Replicas: clusterNodes})
		if err == nil {
			c.admin = conn
			c.tb.Cleanup(conn.Close)
		}
		return err
	})
	for _, project := range clusterProjects {
		c.until("the pools are created", func(ctx context.Context) error {
			_, err := c.admin.MakePools(ctx, project, 1)
			return err
		})
	}
	c.Healthy()
}

// Leader returns the current leader of the log.
func (c *Cluster) Leader() int {
	c.tb.Helper()
	at := -1
	c.until("the log has a leader", func(ctx context.Context) error {
		r, err := c.admin.Replication(ctx)
		for i, n := range c.nodes {
			if n.name == r.Leader {
				at = i
			}
		}
		if err == nil && at < 0 {
			err = fmt.Errorf("leader is %q", r.Leader)
		}
		return err
	})
	return at
}

// Healthy waits until every server is running and has the whole log.
func (c *Cluster) Healthy() {
	c.tb.Helper()
	c.until("every copy is complete", func(ctx context.Context) error {
		r, err := c.admin.Replication(ctx)
		if err != nil {
			return err
		}
		for _, f := range r.Followers {
			if !f.Current || f.Offline {
				return fmt.Errorf("%s is behind: %+v", f.Name, f)
			}
		}
		return nil
	})
}

// until retries operations that fail while the cluster elects its leaders.
func (c *Cluster) until(what string, try func(context.Context) error) {
	c.tb.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for {
		err := try(ctx)
		if err == nil {
			return
		}
		select {
		case <-ctx.Done():
			c.tb.Fatalf("cluster: wait until %s: %v", what, err)
		case <-tick.C:
		}
	}
}
