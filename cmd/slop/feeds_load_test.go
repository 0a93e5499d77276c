package main

import (
	"bufio"
	"bytes"
	"fmt"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/oklog/ulid/v2"
	"github.com/stretchr/testify/require"

	"manualslop/bus"
	"manualslop/events"
)

// feedRate is how many events a second the feeds of make load show.
const feedRate = 100

// TestReadersOfTheStreamMissNothing lets many readers follow one session of a
// real engine. make load takes the designed size and says what it costs.
func TestReadersOfTheStreamMissNothing(t *testing.T) {
	t.Parallel()
	readers, pushes := load(40, 1000), load(60, feedRate*20)
	s := newSite(t, nil)
	engine, conn := s.serve("--script", s.script(onePlan(says("unused"))))
	pid := engine.cmd.Process.Pid
	before := residentOf(t, pid)
	var at, done sync.WaitGroup
	at.Add(readers)
	lost := make(chan string, readers)
	for i := range readers {
		feed := s.openFeed(fmt.Sprintf("r%d", i))
		done.Go(func() {
			if err := followPushes(feed, pushes, at.Done); err != nil {
				lost <- fmt.Sprintf("reader %d: %v", i, err)
			}
		})
	}
	at.Wait()
	waiting := residentOf(t, pid)
	began, used := time.Now(), processorTimeOf(t, pid)
	s.push(conn, pushes)
	passed, worked := time.Since(began), processorTimeOf(t, pid)-used
	done.Wait()
	close(lost)
	for l := range lost {
		t.Error(l)
	}
	after := residentOf(t, pid)
	t.Logf("%d readers, %d events in %s: %.2f of a processor; %d KiB a reader at rest, %d KiB behind them; engine alone "+
		"%d MiB",
		readers, pushes, passed.Round(time.Millisecond), worked.Seconds()/passed.Seconds(), (waiting-before)/readers>>10,
		(after-before)/readers>>10, before>>20)
	if load(0, 1) == 1 {
		require.LessOrEqual(t, worked.Seconds()/passed.Seconds(), 1.0)
		require.LessOrEqual(t, (after-before)/readers, 64<<10)
	}
}

// push appends numbered entries of the queue, at the designed rate in make load.
func (s *site) push(conn *bus.Conn, count int) {
	s.t.Helper()
	session := s.engine().Session
	tick := time.NewTicker(time.Second / feedRate)
	defer tick.Stop()
	for i := range count {
		e, err := events.New(events.Origin{ID: ulid.Make().String(), Time: time.Now(), Project: filepath.Base(s.dir),
			Session: session, Actor: person},
			events.EventPushed{Kind: "tick", Payload: []byte(strconv.Itoa(i))})
		require.NoError(s.t, err)
		_, err = conn.Append(s.t.Context(), e, nil)
		require.NoError(s.t, err)
		if load(0, 1) == 1 {
			<-tick.C
		}
	}
}

// openFeed opens the stream as a client of this name, with as little of its own
// as possible.
func (s *site) openFeed(client string) net.Conn {
	s.t.Helper()
	e := s.engine()
	token, err := os.ReadFile(filepath.Join(e.Tokens, "read.token"))
	require.NoError(s.t, err)
	host := strings.TrimPrefix(e.Hooks, "http://")
	conn, err := net.Dial("tcp", host)
	require.NoError(s.t, err)
	s.t.Cleanup(func() { conn.Close() })
	_, err = fmt.Fprintf(conn, "GET /api/stream?client=%s HTTP/1.1\r\nHost: %s\r\nAuthorization: Bearer %s\r\n\r\n",
		client, host, strings.TrimSpace(string(token)))
	require.NoError(s.t, err)
	return conn
}

// followPushes reads a feed until it has shown so many pushed entries, which
// must come in order; joined is called once the feed is live.
func followPushes(conn net.Conn, pushes int, joined func()) error {
	joined = sync.OnceFunc(joined)
	defer joined()
	response, err := http.ReadResponse(bufio.NewReaderSize(conn, 4<<10), nil)
	if err != nil {
		return err
	}
	defer conn.Close() // the body has no end to read up to
	if response.StatusCode != http.StatusOK {
		return fmt.Errorf("status %d", response.StatusCode)
	}
	lines := bufio.NewScanner(response.Body)
	lines.Buffer(make([]byte, 0, 4<<10), 1<<20)
	for next := 0; next < pushes && lines.Scan(); {
		line := lines.Bytes()
		switch {
		case bytes.HasPrefix(line, []byte("event: snapshot")):
			joined()
		case bytes.HasPrefix(line, []byte("event: disconnected")):
			return fmt.Errorf("cut behind %d entries", next)
		case bytes.Contains(line, []byte(`"type":"EventPushed"`)):
			if !bytes.Contains(line, []byte(`"payload":`+strconv.Itoa(next)+"}")) {
				return fmt.Errorf("not entry %d: %s", next, line)
			}
			next++
		}
		if next == pushes {
			return nil
		}
	}
	return fmt.Errorf("the feed ended: %w", lines.Err())
}

// residentOf is the memory of a process in bytes.
func residentOf(t *testing.T, pid int) int {
	t.Helper()
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		t.Skip("needs /proc")
	}
	_, rest, _ := strings.Cut(string(status), "VmRSS:")
	kib, err := strconv.Atoi(strings.Fields(rest)[0])
	require.NoError(t, err)
	return kib << 10
}

// processorTimeOf is what a process has used of the processors so far.
func processorTimeOf(t *testing.T, pid int) time.Duration {
	t.Helper()
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	require.NoError(t, err)
	_, rest, _ := bytes.Cut(stat, []byte(") "))
	fields := strings.Fields(string(rest))
	var ticks int
	for _, field := range fields[11:13] { // utime and stime, in hundredths of a second
		n, err := strconv.Atoi(field)
		require.NoError(t, err)
		ticks += n
	}
	return time.Duration(ticks) * 10 * time.Millisecond
}
