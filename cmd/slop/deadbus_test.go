package main

import (
	"bytes"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"manualslop/events"
)

// hooks speaks to the gateway of a fleet.
type hooks struct {
	t          *testing.T
	url, token string
}

func (f *fleet) hooks() hooks {
	f.t.Helper()
	raw, err := os.ReadFile(filepath.Join(f.dir, ".slop", "run.json"))
	require.NoError(f.t, err)
	var info struct{ Hooks, Tokens string }
	require.NoError(f.t, json.Unmarshal(raw, &info))
	token, err := os.ReadFile(filepath.Join(info.Tokens, "human.token"))
	require.NoError(f.t, err)
	return hooks{f.t, info.Hooks, strings.TrimSpace(string(token))}
}

// send returns the status and the body; 0 where nobody answers.
func (h hooks) send(method, path, body string) (int, string) {
	h.t.Helper()
	r, err := http.NewRequestWithContext(h.t.Context(), method, h.url+path, strings.NewReader(body))
	require.NoError(h.t, err)
	r.Header.Set("Authorization", "Bearer "+h.token)
	if body != "" {
		r.Header.Set("Content-Type", "application/json")
	}
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		return 0, err.Error()
	}
	defer resp.Body.Close()
	raw, err := io.ReadAll(resp.Body)
	require.NoError(h.t, err)
	return resp.StatusCode, string(raw)
}

func (h hooks) until(path string, status int) string {
	h.t.Helper()
	var body string
	require.Eventually(h.t, func() bool {
		var got int
		got, body = h.send(http.MethodGet, path, "")
		return got == status
	}, patience, 5*time.Millisecond, "%s %s", path, body)
	return body
}

// member finds a process of the fleet.
func (f *fleet) member(name string) *member {
	for _, m := range f.members {
		if m.name == name {
			return m
		}
	}
	f.t.Fatalf("there is no %s", name)
	return nil
}

// say records a person's word in the session s1.
func (f *fleet) say(log events.Log, id string, p events.Payload) {
	f.t.Helper()
	e, err := events.New(events.Origin{ID: id, Time: time.Now(), Project: filepath.Base(f.dir), Session: "s1",
		Actor: person}, p)
	require.NoError(f.t, err)
	_, err = log.Append(f.t.Context(), e, nil)
	require.NoError(f.t, err)
}

func TestAGatewayOutlivesTheBusProcessAndRefusesAnotherStore(t *testing.T) {
	t.Parallel()
	f := newFleet(t)
	bus, gateway := f.member("bus"), f.member("gateway")
	bus.start()
	gateway.start()
	conn := f.person(t.Context())
	f.say(conn, "E1", events.SessionOpened{Folder: "20260102_030405"})
	h := f.hooks()
	for _, text := range []string{"one", "two"} {
		bus.kill()
		require.Contains(t, h.until("/api/gui/mma_status", http.StatusServiceUnavailable), "the bus cannot be reached")
		status, _ := h.send(http.MethodGet, "/status", "")
		require.Equal(t, http.StatusOK, status)
		require.Contains(t, h.until("/api/gui_health", http.StatusOK), `"healthy":false`)
		bus.start()
		h.until("/api/gui/mma_status", http.StatusOK)
		status, body := h.send(http.MethodPost, "/api/session", `{"session":{"entries":["`+text+`"]}}`)
		require.Equal(t, http.StatusOK, status, body)
		require.JSONEq(t, `{"session":{"entries":["`+text+`"]}}`, h.until("/api/session", http.StatusOK))
	}
	bus.kill()
	require.NoError(t, os.RemoveAll(filepath.Join(f.dir, ".slop", "bus")))
	bus.start()
	require.Error(t, gateway.cmd.Wait(), "it ends rather than mix two histories")
	require.Contains(t, gateway.said.String(), "the history differs")
}

func TestAnOrchestratorThatCannotReadOnEndsAndSaysWhy(t *testing.T) {
	t.Parallel()
	f := newFleet(t)
	bus, judge := f.member("bus"), f.member("judge")
	bus.start()
	conn := f.person(t.Context())
	f.say(conn, "E1", events.SessionOpened{Folder: "20260102_030405"})
	judge.start()
	f.say(conn, "E2", events.AskAnswered{Ask: "none", Decision: events.Yes})
	require.Equal(t, events.ActorApproval, f.waitFor(t.Context(), conn, "AnswerRefused").Actor)
	bus.kill()
	require.NoError(t, os.RemoveAll(filepath.Join(f.dir, ".slop", "bus")))
	bus.start()
	var exit *exec.ExitError
	require.ErrorAs(t, judge.cmd.Wait(), &exit)
	require.Equal(t, 1, exit.ExitCode(), judge.said.String())
	require.Contains(t, judge.said.String(), "the history differs from the one that was read")
}

func TestAGatewayThatIsToldToStopEndsWhileTheBusStandsStill(t *testing.T) {
	t.Parallel()
	f := newFleet(t)
	f.start()
	gateway, h := f.member("gateway"), f.hooks()
	h.until("/api/gui/mma_status", http.StatusOK)
	require.NoError(t, f.member("bus").cmd.Process.Signal(syscall.SIGSTOP))
	h.until("/api/gui/mma_status", http.StatusServiceUnavailable) // it makes its connections again
	gateway.stops()
}

func TestAGatewayThatIsToldToStopDuringItsStartEndsWhileTheBusStandsStill(t *testing.T) {
	t.Parallel()
	f := newFleet(t)
	bus, gateway := f.member("bus"), f.member("gateway")
	bus.start()
	asked := make(chan struct{})
	address := f.relay("slop.ev."+filepath.Base(f.dir), func() {
		_ = bus.cmd.Process.Signal(syscall.SIGSTOP)
		close(asked)
	})
	gateway.args = append(gateway.args, "--nats", "nats://"+address)
	gateway.begin()
	<-asked // for the newest event of the project
	gateway.stops()
}

// relay carries connections to the bus, and calls then before a piece with a
// word is the first to go there.
func (f *fleet) relay(word string, then func()) (address string) {
	f.t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(f.t, err)
	f.t.Cleanup(func() { _ = l.Close() })
	var once sync.Once
	go func() {
		for {
			role, err := l.Accept()
			if err != nil {
				return
			}
			bus, err := net.Dial("tcp", strings.TrimPrefix(f.url, "nats://"))
			if err != nil {
				_ = role.Close()
				continue
			}
			go func() { _, _ = io.Copy(role, bus); _ = role.Close() }()
			go func() {
				defer bus.Close()
				piece := make([]byte, 64<<10)
				for {
					n, err := role.Read(piece)
					if bytes.Contains(piece[:n], []byte(word)) {
						once.Do(then)
					}
					if _, broken := bus.Write(piece[:n]); err != nil || broken != nil {
						return
					}
				}
			}()
		}
	}()
	return l.Addr().String()
}

// stops tells the process to stop and waits for its end. The goroutines of one
// that does not end are in what it said.
func (m *member) stops() {
	m.fleet.t.Helper()
	require.NoError(m.fleet.t, m.cmd.Process.Signal(syscall.SIGTERM))
	hangs := time.AfterFunc(patience, func() { _ = m.cmd.Process.Signal(syscall.SIGQUIT) })
	_ = m.cmd.Wait()
	require.True(m.fleet.t, hangs.Stop(), "%s did not end: %s", m.name, m.said.String())
}
