package bus_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"manualslop/bus"
	"manualslop/bus/bustest"
	"manualslop/events"
	"manualslop/events/eventstest"
)

// largeText is a blob of that store.
var largeText = strings.Repeat("large ", 1000)

// approvedEvent is the n-th approval of the store that workUntilKilled fills.
func approvedEvent(n int) (events.Event, error) {
	return events.New(events.Origin{ID: "e" + callName(n), Time: time.Unix(int64(n), 0).UTC(), Project: "p1",
		Session: "s1", Actor: events.ActorApproval},
		events.ToolApproved{Call: callName(n), Tool: "run_powershell", Args: []byte(`{}`)})
}

// callName is the n-th call of a round of that store.
func callName(n int) string { return "c-" + os.Getenv(childFolder+"_ROUND") + "-" + strconv.Itoa(n) }

// workUntilKilled approves calls that a pool hands out and claims; every second
// one gets an outcome. It prints each approval's number after its claim.
func workUntilKilled(dir, durability string) int {
	ctx := context.Background()
	fail := func(err error) int { fmt.Println(err); return 1 }
	s, err := bus.Open(ctx, bus.Config{Dir: dir, Project: bustest.Project, Durability: durability, MaxBytes: 1 << 30})
	if err != nil {
		return fail(err)
	}
	decides, err := s.Connect(approval)
	if err != nil {
		return fail(err)
	}
	works, err := s.Connect(worker1)
	if err != nil {
		return fail(err)
	}
	if _, err := decides.Put(ctx, []byte(largeText), "text/plain"); err != nil {
		return fail(err)
	}
	claimed := make(chan error)
	go func() {
		_ = works.Work(ctx, toolPool, 1, func(ctx context.Context, d events.Delivery) error {
			claimed <- carryOut(ctx, works, d.Event)
			return nil
		})
	}()
	for i := 1; ; i++ {
		e, err := approvedEvent(i)
		if err == nil {
			_, err = decides.Append(ctx, e, nil)
		}
		if err = errors.Join(err, <-claimed); err != nil {
			return fail(err)
		}
		if i%20 == 0 {
			if err := decides.PutSnapshot(ctx, "states.p1.s1.approval",
				map[string]any{"at": map[string]any{"seq": i}}); err != nil {
				return fail(err)
			}
		}
		fmt.Println(i)
	}
}

func carryOut(ctx context.Context, c *bus.Conn, e events.Event) error {
	var p events.ToolApproved
	if err := json.Unmarshal(e.Data, &p); err != nil {
		return err
	}
	rev, err := c.CreateClaim(ctx, "s1."+p.Call, fmt.Appendf(nil, `{"worker":"worker-test-1","approved":%d}`, e.Seq))
	n, nerr := strconv.Atoi(p.Call[strings.LastIndex(p.Call, "-")+1:])
	if err = errors.Join(err, nerr); err != nil || n%2 == 1 {
		return err
	}
	out, err := events.New(events.Origin{ID: "o" + e.ID, Time: e.Time, Project: "p1", Session: "s1", Actor: worker1.Name},
		events.ToolSettled{Call: p.Call, Tool: p.Tool, Outcome: events.ToolDone})
	if err == nil {
		_, err = c.Append(ctx, out, nil)
	}
	if err == nil && n%4 == 0 {
		err = c.PurgeClaim(ctx, "s1."+p.Call, rev)
	}
	return err
}

// killedStore is the folder of a bus that was killed at work.
func killedStore(t *testing.T, durability string, n int) (dir string, acknowledged int) {
	t.Helper()
	dir = t.TempDir()
	return dir, killAfter(t, dir, durability, n, childFolder+"_WORKS=1")
}

// copyOf copies a data folder.
func copyOf(t *testing.T, dir string) string {
	t.Helper()
	to := filepath.Join(t.TempDir(), "copy")
	require.NoError(t, os.CopyFS(to, os.DirFS(dir)))
	return to
}

func streamFolder(dir, stream string) string {
	return filepath.Join(filepath.Dir(streamDir(dir)), stream)
}

// readEnds is the record of the ends of a store; nil while there is none.
func readEnds(dir string) map[string]any {
	body, err := os.ReadFile(filepath.Join(dir, "bus", "ends.json"))
	line, _, _ := strings.Cut(string(body), "\n")
	var ends map[string]any
	if err != nil || json.Unmarshal([]byte(line), &ends) != nil {
		return nil
	}
	return ends
}

// editEnds changes the record of the ends of a store.
func editEnds(t *testing.T, dir string, change func(map[string]any)) {
	t.Helper()
	ends := readEnds(dir)
	require.NotNil(t, ends)
	change(ends)
	body, err := json.Marshal(ends)
	require.NoError(t, err)
	body = fmt.Appendf(nil, "%s\n%s\n", body, events.Digest(body))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "bus", "ends.json"), body, 0o600))
}

// forgetEnds makes the record older than everything in the store.
func forgetEnds(t *testing.T, dir string) {
	editEnds(t, dir, func(e map[string]any) {
		none := map[string]any{"seq": 0}
		e["log"], e["claims"], e["blobs"], e["pools"] = none, none, none, nil
	})
}

func open(t *testing.T, dir string, options ...func(*bus.Config)) (*bus.Server, error) {
	t.Helper()
	cfg := bus.Config{Dir: dir, Project: bustest.Project, Durability: bus.Sync, MaxBytes: 1 << 30, Host: "test"}
	for _, o := range options {
		o(&cfg)
	}
	ctx, cancel := context.WithTimeout(t.Context(), eventstest.Patience)
	defer cancel()
	s, err := bus.Open(ctx, cfg)
	if err == nil {
		t.Cleanup(func() { require.NoError(t, s.Close()) })
	}
	return s, err
}

func flipAt(t *testing.T, path string, at int, mask byte) {
	t.Helper()
	body, err := os.ReadFile(path)
	require.NoError(t, err)
	body[at] ^= mask
	require.NoError(t, os.WriteFile(path, body, 0o600))
}
