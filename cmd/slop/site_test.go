package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"manualslop/bus"
	"manualslop/events"
	"manualslop/events/eventstest"
)

// patience bounds what a test waits for; a run under load stays far below it.
const patience = eventstest.Patience

// site is a project folder with a person's configuration, in which real
// processes run.
type site struct {
	t    *testing.T
	dir  string // the project
	home string // of the configuration
	env  []string

	program string // what runs; empty: slop as it is
}

// under is the site as another program works on it.
func (s *site) under(program string) *site {
	other := *s
	other.program = program
	return &other
}

// newSite lays out a project of these files, by path.
func newSite(t *testing.T, files map[string]string) *site {
	t.Helper()
	watched(t)
	root := t.TempDir()
	s := &site{t: t, dir: filepath.Join(root, "project"), home: filepath.Join(root, "home")}
	require.NoError(t, os.MkdirAll(filepath.Join(s.home, "slop"), 0o700))
	require.NoError(t, os.MkdirAll(s.dir, 0o755))
	s.configure(scriptConfig)
	for name, text := range files {
		path := filepath.Join(s.dir, name)
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
		require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
	}
	s.env = append(os.Environ(), "XDG_CONFIG_HOME="+s.home, stateVar(s.dir), "GOFLAGS=-mod=mod", "GOPROXY=off",
		"GOTOOLCHAIN=local")
	return s
}

// stateVar lets slop keep what it remembers for its user beside a project.
func stateVar(project string) string {
	return "XDG_STATE_HOME=" + filepath.Join(filepath.Dir(project), "state")
}

// configure writes the person's configuration.
func (s *site) configure(toml string) {
	s.t.Helper()
	require.NoError(s.t, os.WriteFile(filepath.Join(s.home, "slop", "config.toml"), []byte(toml), 0o600))
}

// script writes a scripted model and returns its file.
func (s *site) script(lines string) string {
	s.t.Helper()
	file := filepath.Join(filepath.Dir(s.dir), "script.jsonl")
	require.NoError(s.t, os.WriteFile(file, []byte(lines), 0o600))
	return file
}

// keys writes the credentials of the bus, which an engine takes over.
func (s *site) keys() { s.ok("keys") }

func (s *site) data(name string) string { return filepath.Join(s.dir, ".slop", name) }

func (s *site) read(name string) string {
	s.t.Helper()
	b, err := os.ReadFile(filepath.Join(s.dir, name))
	require.NoError(s.t, err)
	return string(b)
}

// ended is what a command came to.
type ended struct {
	status   int
	out, err string
}

// slop runs a command to its end, without any input.
func (s *site) slop(args ...string) ended {
	s.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	cmd := exec.CommandContext(ctx, cmp.Or(s.program, "slop"), args...)
	cmd.Dir, cmd.Env = s.dir, s.env
	var out, errOut bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errOut
	err := cmd.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		require.NoError(s.t, err)
	}
	return ended{cmd.ProcessState.ExitCode(), out.String(), errOut.String()}
}

// ok runs a command that must succeed and returns its output.
func (s *site) ok(args ...string) string {
	s.t.Helper()
	got := s.slop(args...)
	require.Zero(s.t, got.status, "slop %s: %s%s", strings.Join(args, " "), got.out, got.err)
	return got.out
}

// fails runs a command that must end with this status and returns what it said.
func (s *site) fails(status int, args ...string) string {
	s.t.Helper()
	got := s.slop(args...)
	require.Equal(s.t, status, got.status, "slop %s: %s%s", strings.Join(args, " "), got.out, got.err)
	return got.err
}

// running is a command at work; its terminal is a pipe.
type running struct {
	s        *site
	cmd      *exec.Cmd
	keyboard io.WriteCloser
	out, err *screen
	ended    chan struct{}
}

// start starts a command. It is killed when the test ends.
func (s *site) start(args ...string) *running {
	s.t.Helper()
	r := &running{s: s, cmd: exec.Command(cmp.Or(s.program, "slop"), args...), out: newScreen(), err: newScreen(),
		ended: make(chan struct{})}
	r.cmd.Dir, r.cmd.Env, r.cmd.Stdout, r.cmd.Stderr = s.dir, s.env, r.out, r.err
	var err error
	r.keyboard, err = r.cmd.StdinPipe()
	require.NoError(s.t, err)
	require.NoError(s.t, r.cmd.Start())
	go func() {
		_ = r.cmd.Wait() // its status is looked at by wait
		close(r.ended)
	}()
	s.t.Cleanup(func() {
		r.kill()
		if s.t.Failed() {
			s.t.Logf("slop %s said:\n%s%s", strings.Join(args, " "), r.out, r.err)
		}
	})
	return r
}

// kill ends the command as a crash would.
func (r *running) kill() {
	_ = r.cmd.Process.Kill() // it may have ended
	<-r.ended
}

// wait waits for the end and returns the status.
func (r *running) wait() int {
	r.s.t.Helper()
	select {
	case <-r.ended:
	case <-time.After(patience):
		r.s.t.Fatalf("the command does not end:\n%s%s", r.out, r.err)
	}
	return r.cmd.ProcessState.ExitCode()
}

// sees waits until the command prints text behind what was seen before.
func (r *running) sees(text string) {
	r.s.t.Helper()
	require.NoError(r.s.t, r.out.await(text, r.ended), "the terminal shows:\n%s%s", r.out, r.err)
}

// warns is like sees for standard error.
func (r *running) warns(text string) {
	r.s.t.Helper()
	require.NoError(r.s.t, r.err.await(text, r.ended), "the terminal shows:\n%s%s", r.out, r.err)
}

// types types a line.
func (r *running) types(line string) {
	r.s.t.Helper()
	_, err := io.WriteString(r.keyboard, line+"\n")
	require.NoError(r.s.t, err)
}

// engine is what run.json says.
type engine struct {
	PID                                int
	Hooks, NATS, Session, Tokens, Keys string
}

// engine reads where the running engine is.
func (s *site) engine() engine {
	s.t.Helper()
	var e engine
	b, err := os.ReadFile(s.data("run.json"))
	require.NoError(s.t, err)
	require.NoError(s.t, json.Unmarshal(b, &e))
	return e
}

// serve starts an engine that waits for goals, and the person's connection to it.
func (s *site) serve(args ...string) (*running, *bus.Conn) {
	s.t.Helper()
	r := s.start(append([]string{"serve", "--json", "--nats-listen", "127.0.0.1:0"}, args...)...)
	r.sees("\n")
	return r, s.connect()
}

// connect connects to the running engine's bus as the person.
func (s *site) connect() *bus.Conn {
	s.t.Helper()
	e := s.engine()
	conn, err := bus.Dial(s.t.Context(), bus.DialConfig{URL: e.NATS, Creds: s.data("keys/person-" + person + ".json"),
		Role: bus.Role{Kind: bus.Person, Name: person}})
	require.NoError(s.t, err)
	s.t.Cleanup(conn.Close)
	return conn
}

// post posts to the engine's gateway with the person's token.
func (s *site) post(path, body string) (int, map[string]any) {
	s.t.Helper()
	e := s.engine()
	token, err := os.ReadFile(filepath.Join(e.Tokens, "human.token"))
	require.NoError(s.t, err)
	req, err := http.NewRequestWithContext(s.t.Context(), http.MethodPost, e.Hooks+path, strings.NewReader(body))
	require.NoError(s.t, err)
	req.Header.Set("Authorization", "Bearer "+strings.TrimSpace(string(token)))
	req.Header.Set("Content-Type", "application/json")
	res, err := http.DefaultClient.Do(req)
	require.NoError(s.t, err)
	defer res.Body.Close()
	out := map[string]any{}
	require.NoError(s.t, json.NewDecoder(res.Body).Decode(&out))
	return res.StatusCode, out
}

// get reads from the engine's gateway.
func (s *site) get(path string) []byte {
	s.t.Helper()
	e := s.engine()
	token, err := os.ReadFile(filepath.Join(e.Tokens, "read.token"))
	require.NoError(s.t, err)
	req, err := http.NewRequestWithContext(s.t.Context(), http.MethodGet, e.Hooks+path, nil)
	require.NoError(s.t, err)
	req.Header.Set("Authorization", "Bearer "+strings.TrimSpace(string(token)))
	res, err := http.DefaultClient.Do(req)
	require.NoError(s.t, err)
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	require.NoError(s.t, err)
	require.Equal(s.t, http.StatusOK, res.StatusCode, "GET %s: %s", path, body)
	return body
}

// fact waits for the n-th recorded fact, from 1, that matches.
func fact[P events.Payload](t *testing.T, log events.Log, n int, matches func(events.Event, P) bool) (events.Event, P) {
	t.Helper()
	var none P
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	_, feed, err := log.Watch(ctx, events.Filter{Type: none.EventType().Name}, 1)
	require.NoError(t, err)
	registry := events.Catalogue()
	for e, err := range feed {
		require.NoError(t, err)
		registry.Decode(&e)
		if p, ok := e.Payload.(P); ok && matches(e, p) {
			if n--; n == 0 {
				return e, p
			}
		}
	}
	t.Fatalf("no %s came", none.EventType().Name)
	return events.Event{}, none
}

// any matches every fact.
func anyOf[P events.Payload](events.Event, P) bool { return true }

// raised waits for the n-th ask.
func raised(t *testing.T, log events.Log, n int) events.Event {
	t.Helper()
	e, _ := fact(t, log, n, anyOf[events.AskRaised])
	return e
}
