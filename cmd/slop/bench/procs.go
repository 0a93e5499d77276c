package bench

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"manualslop/bus"
	"manualslop/cmd/slop/engine"
	"manualslop/cmd/slop/site"
	"manualslop/events"
	"manualslop/tools/builtin"
)

// Answer measures the time from the publish of a user's answer to the response of the /api/ask that waited for it,
// against two raw appends and their hops.
func (b *runner) Answer(ctx context.Context, durability string) ([]Result, error) {
	ours, theirs, err := b.answers(ctx, durability)
	middle := Result{Name: "answer releases /api/ask", Durability: durability, Unit: "µs"}.medians(ours, theirs)
	slow := Result{Name: "  the same, 99th percentile against that of the reference",
		Durability: durability, Unit: "µs", N: middle.N, Value: middle.P99, Reference: quantile(theirs, 0.99)}
	if durability == bus.Sync {
		middle.Goal, slow.Goal = 1.5, 2
	}
	return []Result{middle, slow}, err
}

func (b *runner) answers(ctx context.Context, durability string) (ours, theirs []time.Duration, err error) {
	e, err := b.engine(ctx, durability, "")
	if err != nil {
		return nil, nil, err
	}
	defer e.Close()
	if err := e.All(ctx, "127.0.0.1:0", false); err != nil {
		return nil, nil, err
	}
	<-e.Hooks.Ready()
	conn, err := e.Bus.As(e.Ctx, bus.Role{Kind: bus.Person, Name: e.Person})
	if err != nil {
		return nil, nil, err
	}
	v, err := engine.OpenSession(e.Ctx, conn, e.Place, nil, "", true)
	if err != nil {
		return nil, nil, err
	}
	token, err := site.ReadToken(e.Tokens(), "human")
	if err != nil {
		return nil, nil, err
	}
	raised, err := raisedAsks(e.Ctx, v)
	if err != nil {
		return nil, nil, err
	}
	raw, stop, err := b.rawInProcess(ctx, durability)
	if err != nil {
		return nil, nil, err
	}
	defer stop()
	one := func(n int) ([]time.Duration, error) {
		var out []time.Duration
		for range n {
			took, err := b.oneAnswer(e, v, token, raised)
			if err != nil {
				return nil, err
			}
			out = append(out, took)
		}
		return out, nil
	}
	return b.alternate(ctx, one, raw.Pair)
}

// raisedAsks yields the ids of asks as they are raised.
func raisedAsks(ctx context.Context, v engine.SessionWriter) (<-chan string, error) {
	_, feed, err := v.Log.Watch(ctx, events.Filter{Project: v.Project, Session: v.Session,
		Type: events.NameOf[events.AskRaised]()}, 1)
	if err != nil {
		return nil, err
	}
	out := make(chan string, 16)
	go func() {
		for e, err := range feed {
			if err != nil {
				return
			}
			out <- e.Corr
		}
	}()
	return out, nil
}

func (b *runner) oneAnswer(e *engine.Engine, v engine.SessionWriter, token string, raised <-chan string) (time.Duration,
	error) {
	done := make(chan error, 1)
	go func() {
		req, err := http.NewRequestWithContext(e.Ctx, http.MethodPost, e.Hooks.URL()+"/api/ask",
			strings.NewReader(`{"question":"go on?"}`))
		if err != nil {
			done <- err
			return
		}
		req.Header.Set("Content-Type", "application/json")
		req.Header.Set("Authorization", "Bearer "+token)
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			done <- err
			return
		}
		body, err := io.ReadAll(resp.Body)
		resp.Body.Close()
		if err == nil && resp.StatusCode != http.StatusOK {
			err = fmt.Errorf("/api/ask answers %d %s", resp.StatusCode, body)
		}
		done <- err
	}()
	var id string
	select {
	case id = <-raised:
	case err := <-done:
		return 0, fmt.Errorf("the ask ended before it was answered: %w", err)
	}
	start := time.Now()
	if _, _, err := v.Publish(e.Ctx, events.AskAnswered{Ask: id, Decision: events.Yes,
		Response: json.RawMessage(`true`)}); err != nil {
		return 0, err
	}
	err := <-done
	return time.Since(start), err
}

// takeover measures the time from the kill of a worker in the middle of a command to the outcome that another worker
// records.
func (b *runner) takeover(ctx context.Context) (Result, error) {
	r := Result{Name: "a killed worker's call is taken over", Durability: bus.Sync, Unit: "ms", Goal: 600}
	var took []float64
	for range 5 {
		one, err := b.oneTakeover(ctx)
		if err != nil {
			return r, err
		}
		took = append(took, float64(one.Microseconds())/1e3)
	}
	r.Value, r.N = median(took), len(took)
	return r, nil
}

func (b *runner) oneTakeover(ctx context.Context) (time.Duration, error) {
	e, err := b.engine(ctx, bus.Sync, "127.0.0.1:0")
	if err != nil {
		return 0, err
	}
	defer e.Close()
	if err := b.twoWorkers(e); err != nil {
		return 0, err
	}
	timers, err := e.Bus.As(e.Ctx, bus.Role{Kind: bus.Timers})
	if err != nil {
		return 0, err
	}
	e.HandBack(timers)
	args, err := json.Marshal(map[string]string{"script": "echo $PPID > pid.new; mv pid.new pid; sleep 60"})
	if err != nil {
		return 0, err
	}
	p := &pinger{tool: "run_powershell", inFlight: 1, trips: make(chan time.Duration, 1), args: func(int) json.RawMessage {
		return args
	}}
	if err := pingAll(e, p, site.Offers(builtin.Tools()), events.Rule{Tool: "run_powershell",
		Action: "allow"}); err != nil {
		return 0, err
	}
	pid, err := awaitPID(ctx, filepath.Join(e.Project, "pid"))
	if err != nil {
		return 0, err
	}
	select {
	case <-time.After(steadyTime):
	case <-ctx.Done():
		return 0, ctx.Err()
	}
	start := time.Now()
	worker, err := os.FindProcess(pid)
	if err != nil {
		return 0, err
	}
	if err := worker.Kill(); err != nil {
		return 0, err
	}
	if _, err := p.take(ctx, 1); err != nil {
		return 0, err
	}
	return time.Since(start), nil
}

func awaitPID(ctx context.Context, path string) (int, error) {
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for {
		if raw, err := os.ReadFile(path); err == nil {
			return strconv.Atoi(string(bytes.TrimSpace(raw)))
		}
		select {
		case <-ctx.Done():
			return 0, ctx.Err()
		case <-tick.C:
		}
	}
}

// ready measures how long slop serve takes on an empty data folder until it is ready.
func (b *runner) ready(context.Context) (Result, error) {
	r := Result{Name: "slop serve is ready, empty data folder", Durability: bus.Sync, Unit: "ms", Goal: 150}
	var took []float64
	for range 5 {
		start := time.Now()
		cmd, err := b.process("serve", "--json", "--project", b.dir(), "--listen", "127.0.0.1:0")
		if err != nil {
			return r, err
		}
		took = append(took, float64(time.Since(start).Microseconds())/1e3)
		if err := cmd.Process.Kill(); err != nil {
			return r, err
		}
	}
	r.Value, r.N = median(took), len(took)
	return r, nil
}
