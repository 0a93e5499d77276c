package app

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"manualslop/bus"
)

// benchBlocks is in how many turns the engine and its reference are measured,
// so that a drift of the machine's speed meets both.
const benchBlocks = 10

// BenchResult is one measured figure and what stands beside it.
type BenchResult struct {
	Name       string  `json:"name"`
	Durability string  `json:"durability,omitempty"`
	Value      float64 `json:"value"`               // median
	Unit       string  `json:"unit"`                // µs, ms, MiB, /s
	Reference  float64 `json:"reference,omitempty"` // mostly the raw bus in the same run
	Ratio      float64 `json:"ratio,omitempty"`     // value / reference
	Goal       float64 `json:"goal,omitempty"`      // of the ratio where there is a reference, else of the value
	Limit      float64 `json:"limit,omitempty"`     // of the value, where that is the goal beside a reference
	More       bool    `json:"more_is_better,omitempty"`
	P99        float64 `json:"p99,omitempty"`
	N          int     `json:"n"`
}

// Met tells whether the goal was met in this run; true where there is none.
func (r BenchResult) Met() bool {
	v := r.Value
	if r.Reference > 0 {
		v = r.Ratio
	}
	return r.within(r.Value, r.Limit) && r.within(v, r.Goal)
}

// within tells whether a figure is as good as a bound; always true for none.
func (r BenchResult) within(v, bound float64) bool {
	return bound == 0 || r.More && v >= bound || !r.More && v <= bound
}

// medians fills a result from durations, in microseconds.
func (r BenchResult) medians(ours, theirs []time.Duration) BenchResult {
	r.N = len(ours)
	r.Value, r.P99, r.Reference = quantile(ours, 0.5), quantile(ours, 0.99), quantile(theirs, 0.5)
	return r
}

// milliseconds is a result of microseconds in milliseconds.
func (r BenchResult) milliseconds() BenchResult {
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

// bench is one run of measurements.
type bench struct {
	g       *globals
	self    string // this program, to start processes with
	root    string // scratch folder
	n       int    // trips a measurement
	made    int
	cleanup []func()
}

// measurement is what a name of `slop bench` stands for: one figure or several
// of the same run.
type measurement struct {
	name string
	run  func(*bench, context.Context) ([]BenchResult, error)
}

// single is a measurement of one figure.
func single(name string, run func(*bench, context.Context) (BenchResult, error)) measurement {
	return measurement{name, func(b *bench, ctx context.Context) ([]BenchResult, error) {
		r, err := run(b, ctx)
		return []BenchResult{r}, err
	}}
}

func measurements() []measurement {
	all := []measurement{
		single("roundtrip-relaxed", func(b *bench, ctx context.Context) (BenchResult, error) {
			return b.roundTrip(ctx, bus.Relaxed)
		}),
		single("roundtrip-sync", func(b *bench, ctx context.Context) (BenchResult, error) {
			return b.roundTrip(ctx, bus.Sync)
		}),
		{"answer-relaxed", func(b *bench, ctx context.Context) ([]BenchResult, error) { return b.answer(ctx, bus.Relaxed) }},
		{"answer-sync", func(b *bench, ctx context.Context) ([]BenchResult, error) { return b.answer(ctx, bus.Sync) }},
		{"call-1", func(b *bench, ctx context.Context) ([]BenchResult, error) { return b.durableCalls(ctx, 1) }},
		{"call-64", func(b *bench, ctx context.Context) ([]BenchResult, error) { return b.durableCalls(ctx, 64) }},
		single("call-claimed", (*bench).claimedCalls),
		single("takeover", (*bench).takeover),
		single("takeover-orchestrator", func(b *bench, ctx context.Context) (BenchResult, error) { return b.orchestratorDeath(ctx, false) }),
		single("restart-orchestrator", func(b *bench, ctx context.Context) (BenchResult, error) { return b.orchestratorDeath(ctx, true) }),
		single("ready", (*bench).ready),
		single("memory", (*bench).memory),
		{"memory-calls", (*bench).memoryAfterCalls},
		{"disk", (*bench).disk},
	}
	for _, durability := range []string{bus.Sync, bus.Relaxed} {
		for _, n := range []int{1, 16, 64} {
			all = append(all, wholeRounds(fmt.Sprintf("rounds-%d-%s", n, durability), roundShape{1, n, durability}))
		}
		for _, n := range []int{16, 64} { // one session of one ticket is rounds-1
			all = append(all, wholeRounds(fmt.Sprintf("sessions-%d-%s", n, durability), roundShape{n, 1, durability}))
		}
		all = append(all,
			measurement{"model-" + durability, func(b *bench, ctx context.Context) ([]BenchResult, error) {
				return b.slowModel(ctx, durability)
			}},
			measurement{"causes-" + durability, func(b *bench, ctx context.Context) ([]BenchResult, error) {
				return b.causes(ctx, durability)
			}})
	}
	return all
}

// wholeRounds is the measurement of whole rounds of a shape.
func wholeRounds(name string, s roundShape) measurement {
	return measurement{name, func(b *bench, ctx context.Context) ([]BenchResult, error) { return b.rounds(ctx, s) }}
}

// BenchNames lists what [Bench] can measure.
func BenchNames() []string {
	var out []string
	for _, m := range measurements() {
		out = append(out, m.name)
	}
	return out
}

// Bench measures what a name stands for. self is the program that is started for
// other processes; n is the number of trips.
func Bench(ctx context.Context, name, self string, n int, errOut io.Writer) ([]BenchResult, error) {
	i := slices.IndexFunc(measurements(), func(m measurement) bool { return m.name == name })
	if i < 0 {
		return nil, noMeasurement(name)
	}
	root, err := os.MkdirTemp("", "slop-bench-*")
	if err != nil {
		return nil, err
	}
	if root, err = filepath.EvalSymlinks(root); err != nil {
		return nil, err
	}
	g := &globals{in: strings.NewReader(""), out: io.Discard, err: errOut, quiet: true}
	b := &bench{g: g, self: self, root: root, n: n}
	defer b.close()
	out, err := measurements()[i].run(b, ctx)
	for i, r := range out {
		if r.Reference > 0 {
			out[i].Ratio = r.Value / r.Reference
		}
	}
	return out, err
}

func noMeasurement(name string) error {
	return failed(exitUsage, "there is no measurement %q; there are %s", name, strings.Join(BenchNames(), ", "))
}

func (b *bench) close() {
	for _, f := range slices.Backward(b.cleanup) {
		f()
	}
	_ = os.RemoveAll(b.root)
}

// dir is a new empty folder.
func (b *bench) dir() string {
	b.made++
	dir := filepath.Join(b.root, fmt.Sprintf("d%d", b.made))
	if err := os.MkdirAll(dir, 0o700); err != nil {
		panic(err) // the scratch folder is ours
	}
	return dir
}

// engine is an engine without roles on a project folder of its own.
func (b *bench) engine(ctx context.Context, durability, listen string) (*engine, error) {
	cfg := DefaultConfig()
	cfg.Bus.Durability, cfg.Bus.MaxBytes = durability, 1<<30
	project := filepath.Join(b.dir(), "bench")
	if err := os.MkdirAll(project, 0o700); err != nil {
		return nil, err
	}
	p := place{config: cfg, project: project, data: filepath.Join(project, ".slop"), base: "bench", name: "bench", person: "bench", state: filepath.Join(b.root, "state", "slop")}
	return b.g.newEngine(ctx, p, listen, nil)
}

// alternate measures ours and theirs in turns, after a warm-up.
func (b *bench) alternate(ctx context.Context, ours func(int) ([]time.Duration, error), theirs func(context.Context) (time.Duration, error)) (mine, reference []time.Duration, err error) {
	if _, err := ours(20); err != nil {
		return nil, nil, err
	}
	share := max(b.n/benchBlocks, 1)
	for range benchBlocks {
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

func benchCommand(g *globals) *cobra.Command {
	var n int
	cmd := &cobra.Command{
		Use:   "bench [NAME…]",
		Short: "Measure the engine beside the raw bus on this machine",
		Long: `Bench measures what docs/performance.md quotes: the engine's figures and, in
the same run and in alternating turns, the same chain of appends over the plain
NATS client. It uses scratch folders and touches no project.

rounds-N measures whole rounds (a reply of a scripted model, a reading tool,
everything between them) of N tickets in one session, sessions-N those of N
sessions of one ticket each, with every role, the gateway, the read models and
the session logs in one process; the reference has as many requesters and as many
appends a round. Beside the time stand the processor time of the process and the
disk syncs and file opens, counted in a trace of the Go runtime. causes measures
rounds of 16 tickets without one part of the engine after the other.

Names: ` + strings.Join(BenchNames(), ", ") + `.`,
		Example:   "  slop bench rounds-16-sync\n  slop bench roundtrip-sync call-64 --json\n  slop bench",
		ValidArgs: BenchNames(),
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				args = BenchNames()
			}
			return g.bench(cmd.Context(), args, n)
		},
	}
	cmd.Flags().IntVarP(&n, "trips", "n", 2000, "round trips, or rounds, a measurement, at least 10")
	cmd.AddCommand(rawWorkerCommand(g))
	return cmd
}

func rawWorkerCommand(g *globals) *cobra.Command {
	var name string
	cmd := &cobra.Command{
		Use: "raw-worker", Hidden: true, Args: cobra.NoArgs, Short: "The raw chain's worker, in a process of its own",
		RunE: func(cmd *cobra.Command, _ []string) error { return g.rawWorker(cmd.Context(), name) },
	}
	cmd.Flags().StringVar(&name, "name", "", "the worker's `NAME`")
	return cmd
}

func (g *globals) bench(ctx context.Context, names []string, n int) error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	for _, name := range names {
		if !slices.Contains(BenchNames(), name) {
			return noMeasurement(name)
		}
	}
	if n < benchBlocks {
		return failed(exitUsage, "--trips must be at least %d", benchBlocks)
	}
	if !g.json {
		fmt.Fprintf(g.out, benchRow, "MEASURED", "DURABILITY", "MEDIAN", "P99", "REFERENCE", "RATIO", "GOAL")
	}
	for _, name := range names {
		results, err := Bench(ctx, name, self, n, g.err)
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		for _, r := range results {
			if err := g.showResult(r); err != nil {
				return err
			}
		}
	}
	return nil
}

func (g *globals) showResult(r BenchResult) error {
	if !g.json {
		fmt.Fprintf(g.out, benchRow, r.Name, r.Durability, figure(r.Value, r.Unit), figure(r.P99, r.Unit),
			figure(r.Reference, r.Unit), figure(r.Ratio, "×"), goal(r))
		return nil
	}
	r.Name = strings.TrimSpace(r.Name)
	b, err := json.Marshal(r)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(g.out, "%s\n", b)
	return err
}

// benchRow lays out a row; figures come one at a time, so widths are fixed.
const benchRow = "%-66s %-10s %12s %12s %12s %8s  %s\n"

func figure(v float64, unit string) string {
	if v == 0 {
		return "-"
	}
	return fmt.Sprintf("%.4g %s", v, unit)
}

func goal(r BenchResult) string {
	sign, unit, bound := "≤", r.Unit, r.Goal
	switch {
	case r.Limit > 0:
		bound = r.Limit
	case r.Goal == 0:
		return "-"
	case r.Reference > 0:
		unit = "×"
	}
	if r.More {
		sign = "≥"
	}
	state := "met"
	if !r.Met() {
		state = "missed"
	}
	return fmt.Sprintf("%s %.4g %s %s", sign, bound, unit, state)
}
