package main

import (
	"bufio"
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"manualslop/bus"
	"manualslop/bus/bustest"
	"manualslop/cmd/slop/app/demo"
	"manualslop/events"
)

// person is the name under which the tests' person answers.
const person = "ada"

// fleet is the six processes of a split engine on one project folder.
type fleet struct {
	t       *testing.T
	dir     string
	env     []string
	nats    string
	members []*member
}

// member is one process that is started again after a kill.
type member struct {
	fleet *fleet
	name  string
	args  []string

	mu   sync.Mutex
	cmd  *exec.Cmd
	said *lockedBuffer // standard error of every life
}

// newFleet lays out the demo's project and describes the processes.
func newFleet(t *testing.T) *fleet {
	t.Helper()
	watched(t)
	dir := filepath.Join(t.TempDir(), "sample")
	require.NoError(t, demo.Extract(dir))
	scriptFile := filepath.Join(filepath.Dir(dir), "script.jsonl")
	require.NoError(t, os.WriteFile(scriptFile, demo.Script(), 0o600))
	home := t.TempDir()
	config := filepath.Join(home, "config.toml")
	require.NoError(t, os.WriteFile(config, []byte("[user]\nname = \""+person+"\"\n[bus]\ndurability = \"relaxed\"\n"), 0o600))
	f := &fleet{t: t, dir: dir, nats: bustest.Address(t)}
	f.env = append(os.Environ(), "XDG_CONFIG_HOME="+home, stateVar(dir), "GOFLAGS=-mod=mod", "GOPROXY=off", "GOTOOLCHAIN=local")
	url := "nats://" + f.nats
	creds := func(role string) []string {
		return []string{"--nats", url, "--creds", filepath.Join(dir, ".slop", "keys", role+".json")}
	}
	f.add("bus", "bus", "--nats-listen", f.nats)
	f.add("gateway", append([]string{"gateway", "--listen", "127.0.0.1:0"}, creds("gateway")...)...)
	f.add("judge", append([]string{"orchestrator", "--only", "conductor,approval"}, creds("orchestrator")...)...)
	f.add("rest", append([]string{"orchestrator", "--only", "planner,lead,contributor,qa,models,timers", "--script", scriptFile}, creds("orchestrator")...)...)
	f.add("worker one", append([]string{"worker"}, creds("worker")...)...)
	f.add("worker two", append([]string{"worker"}, creds("worker")...)...)
	for _, m := range f.members {
		m.args = append(m.args, "--config", config)
	}
	t.Cleanup(f.stop)
	return f
}

func (f *fleet) add(name string, args ...string) {
	f.members = append(f.members, &member{fleet: f, name: name, args: append(args, "--project", f.dir, "--json"), said: &lockedBuffer{}})
}

// start starts every process and waits until each says that it answers.
func (f *fleet) start() {
	for _, m := range f.members {
		m.start()
	}
}

func (f *fleet) stop() {
	for _, m := range f.members {
		m.kill()
		if f.t.Failed() {
			f.t.Logf("%s said:\n%s", m.name, m.said.String())
		}
	}
}

// start runs the process until it prints that it is ready.
func (m *member) start() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.cmd = exec.Command("slop", m.args...)
	m.cmd.Env = m.fleet.env
	m.cmd.Stderr = m.said
	out, err := m.cmd.StdoutPipe()
	require.NoError(m.fleet.t, err)
	require.NoError(m.fleet.t, m.cmd.Start())
	lines := bufio.NewScanner(out)
	require.True(m.fleet.t, lines.Scan(), "%s ended before it was ready: %s", m.name, m.said.String())
	var ready struct{ Ready bool }
	require.NoError(m.fleet.t, json.Unmarshal(lines.Bytes(), &ready), "%s said %q", m.name, lines.Text())
	require.True(m.fleet.t, ready.Ready)
}

// kill ends the process as a crash would.
func (m *member) kill() {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.cmd == nil || m.cmd.Process == nil {
		return
	}
	_ = m.cmd.Process.Kill()
	_ = m.cmd.Wait()
	m.cmd = nil
}

// person connects as the person.
func (f *fleet) person(ctx context.Context) *bus.Conn {
	conn, err := bus.Dial(ctx, bus.DialConfig{URL: "nats://" + f.nats, Creds: filepath.Join(f.dir, ".slop", "keys", "person-"+person+".json"),
		Role: bus.Role{Kind: bus.Person, Name: person}})
	require.NoError(f.t, err)
	f.t.Cleanup(conn.Close)
	return conn
}

// run is `slop run` against the fleet's bus, as a person would start it.
func (f *fleet) run(ctx context.Context, args ...string) *exec.Cmd {
	all := append([]string{"run", "--project", f.dir, "--nats", "nats://" + f.nats, "--creds", filepath.Join(f.dir, ".slop", "keys", "person-"+person+".json"),
		"--config", f.members[0].args[len(f.members[0].args)-1], "--script", filepath.Join(filepath.Dir(f.dir), "script.jsonl"), "--label", "demo", "--yes", "--wait"}, args...)
	cmd := exec.CommandContext(ctx, "slop", append(all, demo.Goal)...)
	cmd.Env = f.env
	return cmd
}

// history is the newest session of the fleet's log, decoded.
func history(t *testing.T, log events.Log, project string) []events.Event {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	session := ""
	for e, err := range log.Read(ctx, events.Filter{Project: project, Type: "SessionOpened"}, 1, 0) {
		require.NoError(t, err)
		session = e.Session
	}
	registry := events.Catalogue()
	var out []events.Event
	for e, err := range log.Read(ctx, events.Filter{Project: project, Session: session}, 1, 0) {
		require.NoError(t, err)
		registry.Decode(&e)
		out = append(out, e)
	}
	return out
}
