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
	Reference  float64 `json:"reference,omitempty"` // the raw bus in the same run
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
	return (r.Limit == 0 || r.Value <= r.Limit) && (r.Goal == 0 || r.More && v >= r.Goal || !r.More && v <= r.Goal)
}

// medians fills a result from durations, in microseconds.
func (r BenchResult) medians(ours, theirs []time.Duration) BenchResult {
	r.N = len(ours)
	r.Value, r.P99, r.Reference = quantile(ours, 0.5), quantile(ours, 0.99), quantile(theirs, 0.5)
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

// measurement is a named figure of `slop bench`.
type measurement struct {
	name string
	run  func(*bench, context.Context) (BenchResult, error)
}

func measurements() []measurement {
	return []measurement{
		{"roundtrip-relaxed", func(b *bench, ctx context.Context) (BenchResult, error) { return b.roundTrip(ctx, bus.Relaxed) }},
		{"roundtrip-sync", func(b *bench, ctx context.Context) (BenchResult, error) { return b.roundTrip(ctx, bus.Sync) }},
		{"answer-relaxed", func(b *bench, ctx context.Context) (BenchResult, error) { return b.answer(ctx, bus.Relaxed, 1000) }},
		{"answer-sync", func(b *bench, ctx context.Context) (BenchResult, error) { return b.answer(ctx, bus.Sync, 2000) }},
		{"call-1", func(b *bench, ctx context.Context) (BenchResult, error) { return b.durableCalls(ctx, 1) }},
		{"call-64", func(b *bench, ctx context.Context) (BenchResult, error) { return b.durableCalls(ctx, 64) }},
		{"call-claimed", (*bench).claimedCalls},
		{"takeover", (*bench).takeover},
		{"ready", (*bench).ready},
		{"memory", (*bench).memory},
	}
}

// BenchNames lists what [Bench] can measure.
func BenchNames() []string {
	var out []string
	for _, m := range measurements() {
		out = append(out, m.name)
	}
	return out
}

// Bench measures one figure. self is the program that is started for other
// processes; n is the number of trips.
func Bench(ctx context.Context, name, self string, n int, errOut io.Writer) (BenchResult, error) {
	for _, m := range measurements() {
		if m.name == name {
			root, err := os.MkdirTemp("", "slop-bench-*")
			if err != nil {
				return BenchResult{}, err
			}
			if root, err = filepath.EvalSymlinks(root); err != nil {
				return BenchResult{}, err
			}
			b := &bench{g: &globals{in: strings.NewReader(""), out: io.Discard, err: errOut, quiet: true}, self: self, root: root, n: n}
			defer b.close()
			r, err := m.run(b, ctx)
			if r.Reference > 0 {
				r.Ratio = r.Value / r.Reference
			}
			return r, err
		}
	}
	return BenchResult{}, failed(exitUsage, "there is no measurement %q; there are %s", name, strings.Join(BenchNames(), ", "))
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

Names: ` + strings.Join(BenchNames(), ", ") + `.`,
		Example:   "  slop bench\n  slop bench roundtrip-sync call-64 --json",
		ValidArgs: BenchNames(),
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				args = BenchNames()
			}
			return g.bench(cmd.Context(), args, n)
		},
	}
	cmd.Flags().IntVarP(&n, "trips", "n", 2000, "round trips a measurement, at least 10")
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
			return failed(exitUsage, "there is no measurement %q; there are %s", name, strings.Join(BenchNames(), ", "))
		}
	}
	if n < benchBlocks {
		return failed(exitUsage, "--trips must be at least %d", benchBlocks)
	}
	if !g.json {
		fmt.Fprintf(g.out, benchRow, "MEASURED", "DURABILITY", "MEDIAN", "P99", "RAW BUS", "RATIO", "GOAL")
	}
	for _, name := range names {
		r, err := Bench(ctx, name, self, n, g.err)
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		if g.json {
			b, err := json.Marshal(r)
			if err != nil {
				return err
			}
			fmt.Fprintf(g.out, "%s\n", b)
			continue
		}
		fmt.Fprintf(g.out, benchRow, r.Name, r.Durability, figure(r.Value, r.Unit), figure(r.P99, r.Unit), figure(r.Reference, r.Unit), figure(r.Ratio, "×"), goal(r))
	}
	return nil
}

// benchRow lays out a row; figures come one at a time, so widths are fixed.
const benchRow = "%-50s %-10s %12s %12s %12s %8s  %s\n"

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
