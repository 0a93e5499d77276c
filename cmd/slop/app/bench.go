package app

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"manualslop/cmd/slop/bench"
	"manualslop/cmd/slop/exit"
	"manualslop/cmd/slop/site"
)

func benchCommand(g *site.Flags) *cobra.Command {
	var n int
	cmd := &cobra.Command{
		Use:   "bench [NAME…]",
		Short: "Measure the engine against the raw bus on this machine",
		Long: `Bench measures the figures in docs/performance.md: the engine and, in the same run
and alternating with it, the same chain of appends over the plain NATS client. It
uses scratch folders and touches no project.

rounds-N measures whole rounds (a reply of a scripted model, a reading tool,
everything between them) of N tickets in one session. sessions-N measures the same
for N sessions of one ticket each. Every role, the gateway, the read models and the
session logs run in one process; the reference has as many requesters and as many
appends per round. Besides the time it prints the processor time of the process, and
the disk syncs and file opens counted in a trace of the Go runtime. causes measures
rounds of 16 tickets with one part of the engine left out at a time.

Names: ` + strings.Join(bench.Names(), ", ") + `.`,
		Example:   "  slop bench rounds-16-sync\n  slop bench roundtrip-sync call-64 --json\n  slop bench",
		ValidArgs: bench.Names(),
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				args = bench.Names()
			}
			return runBench(cmd.Context(), g, args, n)
		},
	}
	cmd.Flags().IntVarP(&n, "trips", "n", 2000, "round trips, or rounds, per measurement, at least 10")
	cmd.AddCommand(rawWorkerCommand(g))
	return cmd
}

func rawWorkerCommand(g *site.Flags) *cobra.Command {
	var name string
	cmd := &cobra.Command{
		Use: "raw-worker", Hidden: true, Args: cobra.NoArgs, Short: "Run the worker of the raw chain in a " +
			"separate process",
		RunE: func(cmd *cobra.Command, _ []string) error { return bench.RawWorker(cmd.Context(), g, name) },
	}
	cmd.Flags().StringVar(&name, "name", "", "`NAME` of the worker")
	return cmd
}

func runBench(ctx context.Context, g *site.Flags, names []string, n int) error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	for _, name := range names {
		if !slices.Contains(bench.Names(), name) {
			return bench.UnknownMeasurement(name)
		}
	}
	if n < bench.BenchBlocks {
		return exit.Errorf(exit.Usage, "--trips must be at least %d", bench.BenchBlocks)
	}
	if !g.JSON {
		fmt.Fprintf(g.Out, benchRow, "MEASURED", "DURABILITY", "MEDIAN", "P99", "REFERENCE", "RATIO", "GOAL")
	}
	for _, name := range names {
		results, err := bench.Run(ctx, name, self, n, g.Err)
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		for _, r := range results {
			if err := showResult(g, r); err != nil {
				return err
			}
		}
	}
	return nil
}

func showResult(g *site.Flags, r bench.Result) error {
	if !g.JSON {
		fmt.Fprintf(g.Out, benchRow, r.Name, r.Durability, figure(r.Value, r.Unit), figure(r.P99, r.Unit),
			figure(r.Reference, r.Unit), figure(r.Ratio, "×"), goal(r))
		return nil
	}
	r.Name = strings.TrimSpace(r.Name)
	b, err := json.Marshal(r)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(g.Out, "%s\n", b)
	return err
}

// benchRow is the layout of a row. Widths are fixed because figures are printed one at a time.
const benchRow = "%-66s %-10s %12s %12s %12s %8s  %s\n"

func figure(v float64, unit string) string {
	if v == 0 {
		return "-"
	}
	return fmt.Sprintf("%.4g %s", v, unit)
}

func goal(r bench.Result) string {
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
