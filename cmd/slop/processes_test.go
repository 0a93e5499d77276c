package main

import (
	"bufio"
	"context"
	"encoding/json"
	"io"
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

// fleet is the processes of a split engine on one project folder: six, or five
// where the bus is a cluster.
type fleet struct {
	t            *testing.T
	dir          string
	env          []string
	url, keys    string // of the bus
	config, file string // of the person, and of the scripted model
	members      []*member
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
	f := layOut(t, "sample", "durability = \"relaxed\"\n")
	address := bustest.Address(t)
	f.url, f.keys = "nats://"+address, filepath.Join(f.dir, ".slop", "keys")
	f.add("bus", "bus", "--nats-listen", address)
	f.addRoles()
	return f
}

// newClusterFleet is a fleet on a cluster.
func newClusterFleet(t *testing.T, name string, cluster *bustest.Cluster) *fleet {
	t.Helper()
	f := layOut(t, name, "replicas = 3\n")
	f.url, f.keys = cluster.URL, cluster.Keys
	f.addRoles()
	return f
}

// layOut makes the demo's project and the person's configuration of the bus.
func layOut(t *testing.T, name, busTable string) *fleet {
	t.Helper()
	watched(t)
	dir := filepath.Join(t.TempDir(), name)
	require.NoError(t, demo.Extract(dir))
	home := t.TempDir()
	f := &fleet{t: t, dir: dir, config: filepath.Join(home, "config.toml"), file: filepath.Join(filepath.Dir(dir),
		"script.jsonl")}
	require.NoError(t, os.WriteFile(f.file, demo.Script(), 0o600))
	require.NoError(t, os.WriteFile(f.config, []byte("[user]\nname = \""+person+"\"\n[bus]\n"+busTable), 0o600))
	f.env = append(os.Environ(), "XDG_CONFIG_HOME="+home, stateVar(dir), "GOFLAGS=-mod=mod", "GOPROXY=off",
		"GOTOOLCHAIN=local")
	t.Cleanup(f.stop)
	return f
}

// addRoles describes the processes beside the bus.
func (f *fleet) addRoles() {
	creds := func(role string) []string {
		return []string{"--nats", f.url, "--creds", filepath.Join(f.keys, role+".json")}
	}
	f.add("gateway", append([]string{"gateway", "--listen", "127.0.0.1:0"}, creds("gateway")...)...)
	f.add("judge", append([]string{"orchestrator", "--only", "conductor,approval"}, creds("orchestrator")...)...)
	f.add("rest", append([]string{"orchestrator", "--only", "planner,lead,contributor,qa,models,timers", "--script",
		f.file}, creds("orchestrator")...)...)
	f.add("worker one", append([]string{"worker"}, creds("worker")...)...)
	f.add("worker two", append([]string{"worker"}, creds("worker")...)...)
}

func (f *fleet) add(name string, args ...string) {
	f.members = append(f.members, &member{fleet: f, name: name, args: append(args, "--project", f.dir, "--json",
		"--config", f.config), said: &lockedBuffer{}})
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
	lines := bufio.NewScanner(m.begin())
	require.True(m.fleet.t, lines.Scan(), "%s ended before it was ready: %s", m.name, m.said.String())
	var ready struct{ Ready bool }
	require.NoError(m.fleet.t, json.Unmarshal(lines.Bytes(), &ready), "%s said %q", m.name, lines.Text())
	require.True(m.fleet.t, ready.Ready)
}

// begin runs the process.
func (m *member) begin() (out io.Reader) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.cmd = exec.Command("slop", m.args...)
	m.cmd.Env = m.fleet.env
	m.cmd.Stderr = m.said
	out, err := m.cmd.StdoutPipe()
	require.NoError(m.fleet.t, err)
	require.NoError(m.fleet.t, m.cmd.Start())
	return out
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

func (f *fleet) personKeys() string { return filepath.Join(f.keys, "person-"+person+".json") }

// person connects as the person.
func (f *fleet) person(ctx context.Context) *bus.Conn {
	conn, err := bus.Dial(ctx, bus.DialConfig{URL: f.url, Creds: f.personKeys(),
		Role: bus.Role{Kind: bus.Person, Name: person}})
	require.NoError(f.t, err)
	f.t.Cleanup(conn.Close)
	return conn
}

// waitFor waits for the first event of a type in the fleet's project.
func (f *fleet) waitFor(ctx context.Context, log events.Log, typ string) events.Event {
	f.t.Helper()
	_, feed, err := log.Watch(ctx, events.Filter{Project: filepath.Base(f.dir), Type: typ}, 1)
	require.NoError(f.t, err)
	for e, err := range feed {
		require.NoError(f.t, err)
		return e
	}
	require.FailNow(f.t, "no event", typ)
	return events.Event{}
}

// run is `slop run` against the fleet's bus, as a person would start it.
func (f *fleet) run(ctx context.Context, args ...string) *exec.Cmd {
	all := append([]string{"run", "--project", f.dir, "--nats", f.url, "--creds", f.personKeys(),
		"--config", f.config, "--script", f.file, "--label", "demo", "--yes", "--wait"}, args...)
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
