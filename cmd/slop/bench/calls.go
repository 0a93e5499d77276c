package bench

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"manualslop/bus"
	"manualslop/bus/rawbus"
	"manualslop/cmd/slop/engine"
	"manualslop/cmd/slop/site"
	"manualslop/events"
	"manualslop/tiers/runtime"
	"manualslop/tools"
	"manualslop/tools/builtin"
)

// nothingArgs are the arguments of a tool that does nothing.
type nothingArgs struct {
	Text string `json:"text" doc:"anything"`
}

func nothing(_ context.Context, _ tools.Env, in nothingArgs) (tools.Result, error) {
	return tools.Result{Text: in.Text}, nil
}

// nothingText gives its events the typical size of those of a session.
var nothingText = strings.Repeat("0123456789", 30)

// roundTrip measures one call of a tool that does nothing, with the worker in this process, against the raw chain, in
// alternating blocks.
func (b *runner) roundTrip(ctx context.Context, durability string) (Result, error) {
	r := Result{Name: "tool round trip, one process", Durability: durability, Unit: "µs", Goal: 2}
	e, err := b.engine(ctx, durability, "")
	if err != nil {
		return r, err
	}
	defer e.Close()
	registry, err := tools.NewRegistry(tools.Reader(tools.Spec{Name: "nothing", Summary: "Does nothing.",
		Effect: tools.Reads}, nothing))
	if err != nil {
		return r, err
	}
	conn, err := e.Bus.As(e.Ctx, bus.Role{Kind: bus.Worker, Name: engine.WorkerName(1)})
	if err != nil {
		return r, err
	}
	w := &runtime.Worker{Project: e.Name, Name: engine.WorkerName(1), Log: conn, Queue: conn,
		Claims: conn, Blobs: conn,
		Tools: registry, Clock: time.Now, IDs: engine.NewID, Logger: e.Logger}
	e.Group.Go(func() error { return e.Role("worker", w.Run(e.Ctx, 4)) })
	args, err := json.Marshal(nothingArgs{Text: nothingText})
	if err != nil {
		return r, err
	}
	p := &pinger{tool: "nothing", args: func(int) json.RawMessage { return args }, inFlight: 1,
		trips: make(chan time.Duration)}
	if err := pingAll(e, p, site.Offers(registry)); err != nil {
		return r, err
	}
	raw, stop, err := b.rawInProcess(ctx, durability)
	if err != nil {
		return r, err
	}
	defer stop()
	ours, theirs, err := b.alternate(ctx, func(n int) ([]time.Duration, error) { return p.take(e.Ctx, n) }, raw.Trip)
	return r.medians(ours, theirs), err
}

// rawInProcess runs the raw chain on its own bus, with the worker in this process.
func (b *runner) rawInProcess(ctx context.Context, durability string) (*rawbus.Chain, func(), error) {
	server, err := bus.Open(ctx, bus.Config{Dir: b.dir(), Project: rawbus.Project, Durability: durability,
		Logger: b.g.Logger()})
	if err != nil {
		return nil, nil, err
	}
	chain, err := rawbus.New(server.Stock, "S1")
	if err != nil {
		return nil, nil, err
	}
	ctx, cancel := context.WithCancel(ctx)
	done := make(chan struct{})
	go func() {
		defer close(done)
		_ = rawbus.Work(ctx, server.Stock, engine.WorkerName(1), 1)
	}()
	return chain, func() { cancel(); <-done; chain.Close(); server.Close() }, nil
}

// twoWorkers starts two worker processes on an engine's bus.
func (b *runner) twoWorkers(e *engine.Engine) error {
	if err := e.WriteKeys(); err != nil {
		return err
	}
	for range 2 {
		if _, err := b.process("worker", "--project", e.Project, "--nats", e.Bus.Server.URL(), "--creds",
			filepath.Join(e.KeysDir(), "worker.json"), "--json", "-q"); err != nil {
			return err
		}
	}
	return nil
}

// process starts this program again and waits for its first line.
func (b *runner) process(args ...string) (*exec.Cmd, error) {
	cmd := exec.Command(b.self, args...)
	cmd.Stderr = b.g.Err
	cmd.Env = append(os.Environ(), "XDG_STATE_HOME="+filepath.Join(b.root, "state"))
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	b.cleanup = append(b.cleanup, func() { _ = cmd.Process.Kill(); _ = cmd.Wait() })
	if !bufio.NewScanner(out).Scan() {
		return nil, fmt.Errorf("%s %s did not start", b.self, args[0])
	}
	return cmd, nil
}

// restateCalls are the durable calls per second of Restate with 1 and 64 in flight, measured once on the machine of
// the figures in docs/performance.md.
var restateCalls = map[int]float64{1: 105, 64: 463}

// durableCalls measures a reading tool with workers in other processes, each append synced, against the raw chain with
// raw workers in other processes, and against the figures of Restate.
func (b *runner) durableCalls(ctx context.Context, inFlight int) ([]Result, error) {
	r, err := b.callsBesideRaw(ctx, inFlight)
	rate := r
	rate.Name = "  the same, against a figure of Restate (quoted, not measured here)"
	rate.Reference, rate.P99 = restateCalls[inFlight], 0
	rate.Unit, rate.Goal, rate.More = "/s", map[int]float64{1: 5, 64: 3}[inFlight], true
	if r.Unit == "µs" && r.Value > 0 {
		rate.Value = 1e6 / r.Value
	}
	return []Result{r, rate}, err
}

func (b *runner) callsBesideRaw(ctx context.Context, inFlight int) (Result, error) {
	r := Result{Name: fmt.Sprintf("durable call, %d in flight, two worker processes", inFlight), Durability: bus.Sync}
	e, err := b.engine(ctx, bus.Sync, "127.0.0.1:0")
	if err != nil {
		return r, err
	}
	defer e.Close()
	if err := os.WriteFile(filepath.Join(e.Project, "a.go"), []byte("package a\n"), 0o600); err != nil {
		return r, err
	}
	if err := b.twoWorkers(e); err != nil {
		return r, err
	}
	args := json.RawMessage(`{"path":"a.go","start_line":1,"end_line":1}`)
	p := &pinger{tool: "get_file_slice", args: func(int) json.RawMessage { return args }, inFlight: inFlight,
		trips: make(chan time.Duration, inFlight)}
	if err := pingAll(e, p, site.Offers(builtin.Tools())); err != nil {
		return r, err
	}
	raw, stop, err := b.rawProcesses(ctx)
	if err != nil {
		return r, err
	}
	defer stop()
	if inFlight == 1 {
		r.Unit, r.Goal = "µs", 1.6
		ours, theirs, err := b.alternate(ctx, func(n int) ([]time.Duration, error) { return p.take(e.Ctx, n) }, raw.Trip)
		return r.medians(ours, theirs), err
	}
	r.Unit, r.Goal, r.More = "/s", 0.6, true
	return b.rates(ctx, r, inFlight, p, raw)
}

// rates compares calls per second, in alternating blocks.
func (b *runner) rates(ctx context.Context, r Result, inFlight int, p *pinger, raw *rawbus.Chain) (Result, error) {
	if _, err := p.take(ctx, 4*inFlight); err != nil {
		return r, err
	}
	var ours, theirs []float64
	share := max(b.n/BenchBlocks, 4*inFlight)
	for range BenchBlocks {
		// What arrived while the other side was measured is taken first, untimed.
		if _, err := p.take(ctx, 2*inFlight); err != nil {
			return r, err
		}
		start := time.Now()
		if _, err := p.take(ctx, share); err != nil {
			return r, err
		}
		ours = append(ours, float64(share)/time.Since(start).Seconds())
		p.hold(ctx, inFlight)
		rate, err := raw.Rate(ctx, inFlight, share)
		if err != nil {
			return r, err
		}
		theirs = append(theirs, rate)
	}
	r.N = share * BenchBlocks
	r.Value, r.Reference = median(ours), median(theirs)
	return r, nil
}

// rawProcesses runs the raw chain on its own bus with two raw workers in other processes.
func (b *runner) rawProcesses(ctx context.Context) (*rawbus.Chain, func(), error) {
	dir := b.dir()
	server, err := bus.Open(ctx, bus.Config{Dir: dir, Project: rawbus.Project, Durability: bus.Sync, Listen: "127.0.0.1:0",
		Logger: b.g.Logger()})
	if err != nil {
		return nil, nil, err
	}
	keys := filepath.Join(dir, "keys")
	if err := server.WriteKeys(keys); err != nil {
		return nil, nil, err
	}
	for n := 1; n <= 2; n++ {
		if _, err := b.process("bench", "raw-worker", "--nats", server.URL(), "--creds", filepath.Join(keys, "worker.json"),
			"--name", engine.WorkerName(n)); err != nil {
			return nil, nil, err
		}
	}
	chain, err := rawbus.New(server.Stock, "S1")
	if err != nil {
		return nil, nil, err
	}
	return chain, func() { chain.Close(); server.Close() }, nil
}

// RawWorker runs the worker of the raw chain as a process.
func RawWorker(ctx context.Context, g *site.Flags, name string) error {
	fmt.Fprintln(g.Out, "ready")
	return rawbus.Work(ctx, rawbus.Dial(g.NATS, g.Creds), name, engine.WorkerSlots)
}

// claimedCalls measures calls that change a file, each with its claim.
func (b *runner) claimedCalls(ctx context.Context) (Result, error) {
	r := Result{Name: "durable write with a claim, 1 in flight", Durability: bus.Sync, Unit: "µs"}
	e, err := b.engine(ctx, bus.Sync, "127.0.0.1:0")
	if err != nil {
		return r, err
	}
	defer e.Close()
	if err := b.twoWorkers(e); err != nil {
		return r, err
	}
	p := &pinger{tool: "set_file_slice", inFlight: 1, trips: make(chan time.Duration), args: func(n int) json.RawMessage {
		return json.RawMessage(fmt.Sprintf(`{"path":"f%d.txt","start_line":1,"end_line":0,"new_content":"x\n"}`, n))
	}}
	if err := pingAll(e, p, site.Offers(builtin.Tools()), events.Rule{Tool: "set_file_slice",
		Action: "allow"}); err != nil {
		return r, err
	}
	took, err := p.take(e.Ctx, max(b.n/10, 20))
	return r.medians(took, nil), err
}
