// Package bench measures the engine against the raw bus on this machine.
package bench

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"manualslop/bus"
	"manualslop/cmd/slop/config"
	"manualslop/cmd/slop/engine"
	"manualslop/cmd/slop/exit"
	"manualslop/cmd/slop/site"
	"manualslop/cmd/slop/term"
)

// BenchBlocks is the number of alternating blocks in which the engine and its reference are measured, so that a change
// of the machine's speed affects both.
const BenchBlocks = 10

// Result is one measured figure with its reference and goal.
type Result struct {
	Name       string  `json:"name"`
	Durability string  `json:"durability,omitempty"`
	Value      float64 `json:"value"`               // median
	Unit       string  `json:"unit"`                // µs, ms, MiB, /s
	Reference  float64 `json:"reference,omitempty"` // usually the raw bus in the same run
	Ratio      float64 `json:"ratio,omitempty"`     // value / reference
	Goal       float64 `json:"goal,omitempty"`      // of the ratio if there is a reference, else of the value
	Limit      float64 `json:"limit,omitempty"`     // of the value, if that is the goal despite a reference
	More       bool    `json:"more_is_better,omitempty"`
	P99        float64 `json:"p99,omitempty"`
	N          int     `json:"n"`
}

// Met reports whether the goal was met in this run. It is true without a goal.
func (r Result) Met() bool {
	v := r.Value
	if r.Reference > 0 {
		v = r.Ratio
	}
	return r.within(r.Value, r.Limit) && r.within(v, r.Goal)
}

// within reports whether a figure meets a bound; always true without a bound.
func (r Result) within(v, bound float64) bool {
	return bound == 0 || r.More && v >= bound || !r.More && v <= bound
}

// medians fills a result from durations, in microseconds.
func (r Result) medians(ours, theirs []time.Duration) Result {
	r.N = len(ours)
	r.Value, r.P99, r.Reference = quantile(ours, 0.5), quantile(ours, 0.99), quantile(theirs, 0.5)
	return r
}

// milliseconds converts a result from microseconds to milliseconds.
func (r Result) milliseconds() Result {
	r.Unit, r.Value, r.P99, r.Reference = "ms", r.Value/1e3, r.P99/1e3, r.Reference/1e3
	return r
}

func quantile(all []time.Duration, q float64) float64 {
	if len(all) == 0 {
		return 0
	}
	s := slices.Sorted(slices.Values(all))
	return float64(s[int(q*float64(len(s)-1))].Nanoseconds()) / 1e3
}

func median(v []float64) float64 {
	s := slices.Sorted(slices.Values(v))
	return s[len(s)/2]
}

// runner is one run of measurements.
type runner struct {
	g       *site.Flags
	self    string // this program, to start processes with
	root    string // scratch folder
	n       int    // trips per measurement
	made    int
	cleanup []func()
}

// measurement is the measurement behind one name of `slop bench`: one figure, or several of the same run.
type measurement struct {
	name string
	run  func(*runner, context.Context) ([]Result, error)
}

// single returns a measurement of one figure.
func single(name string, run func(*runner, context.Context) (Result, error)) measurement {
	return measurement{name, func(b *runner, ctx context.Context) ([]Result, error) {
		r, err := run(b, ctx)
		return []Result{r}, err
	}}
}

func measurements() []measurement {
	all := []measurement{
		single("roundtrip-relaxed", func(b *runner, ctx context.Context) (Result, error) {
			return b.roundTrip(ctx, bus.Relaxed)
		}),
		single("roundtrip-sync", func(b *runner, ctx context.Context) (Result, error) {
			return b.roundTrip(ctx, bus.Sync)
		}),
		{"answer-relaxed", func(b *runner, ctx context.Context) ([]Result, error) { return b.Answer(ctx, bus.Relaxed) }},
		{"answer-sync", func(b *runner, ctx context.Context) ([]Result, error) { return b.Answer(ctx, bus.Sync) }},
		{"call-1", func(b *runner, ctx context.Context) ([]Result, error) { return b.durableCalls(ctx, 1) }},
		{"call-64", func(b *runner, ctx context.Context) ([]Result, error) { return b.durableCalls(ctx, 64) }},
		single("call-claimed", (*runner).claimedCalls),
		single("takeover", (*runner).takeover),
		single("takeover-orchestrator", func(b *runner, ctx context.Context) (Result, error) {
			return b.orchestratorDeath(ctx,
				false)
		}),
		single("restart-orchestrator", func(b *runner, ctx context.Context) (Result, error) {
			return b.orchestratorDeath(ctx,
				true)
		}),
		single("ready", (*runner).ready),
		{"memory", (*runner).memory},
		{"memory-calls", (*runner).memoryAfterCalls},
		{"disk", (*runner).disk},
	}
	for _, durability := range []string{bus.Sync, bus.Relaxed} {
		for _, n := range []int{1, 16, 64} {
			all = append(all, wholeRounds(fmt.Sprintf("rounds-%d-%s", n, durability), roundShape{1, n, durability}))
		}
		for _, n := range []int{16, 64} { // one session of one ticket is rounds-1
			all = append(all, wholeRounds(fmt.Sprintf("sessions-%d-%s", n, durability), roundShape{n, 1, durability}))
		}
		all = append(all,
			measurement{"model-" + durability, func(b *runner, ctx context.Context) ([]Result, error) {
				return b.slowModel(ctx, durability)
			}},
			measurement{"causes-" + durability, func(b *runner, ctx context.Context) ([]Result, error) {
				return b.causes(ctx, durability)
			}})
	}
	return all
}

// wholeRounds returns the measurement of whole rounds of a shape.
func wholeRounds(name string, s roundShape) measurement {
	return measurement{name, func(b *runner, ctx context.Context) ([]Result, error) { return b.rounds(ctx, s) }}
}

// Names lists what [Bench] can measure.
func Names() []string {
	var out []string
	for _, m := range measurements() {
		out = append(out, m.name)
	}
	return out
}

// Run runs the measurement of the given name. self is the program to start for other processes; n is the number of
// trips.
func Run(ctx context.Context, name, self string, n int, errOut io.Writer) ([]Result, error) {
	i := slices.IndexFunc(measurements(), func(m measurement) bool { return m.name == name })
	if i < 0 {
		return nil, UnknownMeasurement(name)
	}
	root, err := os.MkdirTemp("", "slop-bench-*")
	if err != nil {
		return nil, err
	}
	if root, err = filepath.EvalSymlinks(root); err != nil {
		return nil, err
	}
	g := &site.Flags{Terminal: term.Terminal{In: strings.NewReader(""), Out: io.Discard, Err: errOut, Quiet: true}}
	b := &runner{g: g, self: self, root: root, n: n}
	defer b.Close()
	out, err := measurements()[i].run(b, ctx)
	for i, r := range out {
		if r.Reference > 0 {
			out[i].Ratio = r.Value / r.Reference
		}
	}
	return out, err
}

func UnknownMeasurement(name string) error {
	return exit.Errorf(exit.Usage, "unknown measurement %q; use one of %s", name, strings.Join(Names(), ", "))
}

func (b *runner) Close() {
	for _, f := range slices.Backward(b.cleanup) {
		f()
	}
	_ = os.RemoveAll(b.root)
}

// dir returns a new empty folder.
func (b *runner) dir() string {
	b.made++
	dir := filepath.Join(b.root, fmt.Sprintf("d%d", b.made))
	if err := os.MkdirAll(dir, 0o700); err != nil {
		panic(err) // the scratch folder belongs to this run
	}
	return dir
}

// engine returns an engine without roles on its own project folder.
func (b *runner) engine(ctx context.Context, durability, listen string) (*engine.Engine, error) {
	cfg := config.Default()
	cfg.Bus.Durability, cfg.Bus.MaxBytes = durability, 1<<30
	project := filepath.Join(b.dir(), "bench")
	if err := os.MkdirAll(project, 0o700); err != nil {
		return nil, err
	}
	p := site.Place{Config: cfg, Project: project, Data: filepath.Join(project, ".slop"), Base: "bench", Name: "bench",
		Person: "bench", State: filepath.Join(b.root, "state", "slop")}
	return engine.New(ctx, b.g, p, listen, nil)
}

// alternate measures ours and theirs alternately, after a warm-up.
func (b *runner) alternate(ctx context.Context, ours func(int) ([]time.Duration, error),
	theirs func(context.Context) (time.Duration, error)) (mine, reference []time.Duration, err error) {
	if _, err := ours(20); err != nil {
		return nil, nil, err
	}
	share := max(b.n/BenchBlocks, 1)
	for range BenchBlocks {
		block, err := ours(share)
		if err != nil {
			return nil, nil, err
		}
		mine = append(mine, block...)
		for range share {
			took, err := theirs(ctx)
			if err != nil {
				return nil, nil, err
			}
			reference = append(reference, took)
		}
	}
	return mine, reference, nil
}
