package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"manualslop/bus"
	"manualslop/events"
)

// health is why the engine is not healthy; empty: it is.
func (s *site) health() string {
	s.t.Helper()
	var got struct {
		Healthy        bool
		DegradedReason *string `json:"degraded_reason"`
	}
	require.NoError(s.t, json.Unmarshal(s.get("/api/gui_health"), &got))
	if got.DegradedReason == nil {
		require.True(s.t, got.Healthy)
		return ""
	}
	require.False(s.t, got.Healthy)
	return *got.DegradedReason
}

func (s *site) untilHealth(contains string) {
	s.t.Helper()
	require.Eventually(s.t, func() bool {
		said := s.health()
		return contains == "" && said == "" || contains != "" && strings.Contains(said, contains)
	}, patience, patience/5000, "health tells %q", contains)
}

// fillLog appends what a person says until the log refuses it, and returns why.
func (s *site) fillLog(conn *bus.Conn, what string, say func(text string) events.Payload) error {
	s.t.Helper()
	session := s.engine().Session
	for n := 0; ; n++ {
		e, err := events.New(events.Origin{ID: fmt.Sprint(what, n), Time: time.Unix(int64(n), 0), Project: "project",
			Session: session, Actor: person},
			say(noise(60<<10)))
		require.NoError(s.t, err)
		if _, err := conn.Append(s.t.Context(), e, nil); err != nil {
			return err
		}
	}
}

func TestSessionIsClosedAndRemovedWhenTheLogIsFull(t *testing.T) {
	t.Parallel()
	s := newSite(t, twoFiles)
	s.configure(strings.Replace(scriptConfig, "[bus]\n", "[bus]\nmax_bytes = 8388608\n", 1))
	s.keys()
	script := s.script(onePlan(edits("a.txt", "one", "ONE"), says("DONE: done")))
	r, conn := s.serve("--script", script)
	session := s.engine().Session
	err := s.fillLog(conn, "entry", func(text string) events.Payload {
		return events.DiscussionChanged{Operation: events.EntryAdd, Discussion: "main", Role: new("User"), Content: new(text)}
	})
	require.ErrorIs(t, err, events.ErrReserve)
	s.untilHealth("only the reserve")
	for path, body := range map[string]string{"/api/goal": `{"goal":"edit"}`, "/api/ask": `{"tool":"x"}`} {
		status, said := s.post(path, body)
		require.Equal(t, http.StatusInsufficientStorage, status, "%s %v", path, said)
		require.Contains(t, said["error"], "reserve")
		require.Contains(t, said["hint"], "slop sessions prune")
	}
	err = s.fillLog(conn, "discussion", func(text string) events.Payload {
		return events.DiscussionChanged{Operation: events.DiscussionCreate, Discussion: text}
	})
	require.ErrorIs(t, err, events.ErrReserve)

	s.ok("sessions", "close", session)
	s.ok("hook", "shutdown")
	require.Zero(t, r.wait())
	require.Contains(t, s.ok("sessions", "rm", session, "--yes"), "removed 1 session")
	s.ok("run", "--yes", "--script", script, "edit")
	require.Equal(t, "ONE\n", s.read("a.txt"))
}
