package main

import (
	"encoding/json"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
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

func TestAGatewayOutlivesTheBusProcessAndRefusesAnotherStore(t *testing.T) {
	t.Parallel()
	f := newFleet(t)
	bus, gateway := f.member("bus"), f.member("gateway")
	bus.start()
	gateway.start()
	conn := f.person(t.Context())
	project := filepath.Base(f.dir)
	say := func(id string, p events.Payload) {
		e, err := events.New(events.Origin{ID: id, Time: time.Now(), Project: project, Session: "s1", Actor: person}, p)
		require.NoError(t, err)
		_, err = conn.Append(t.Context(), e, nil)
		require.NoError(t, err)
	}
	say("E1", events.SessionOpened{Folder: "20260102_030405"})
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
	require.Contains(t, gateway.said.String(), "another history")
}
