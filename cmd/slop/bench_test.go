package main

import (
	"os"
	"os/exec"
	"testing"

	"github.com/stretchr/testify/require"

	"manualslop/cmd/slop/app"
)

// BenchmarkEngine is `slop bench`: each figure beside its reference in the same run.
func BenchmarkEngine(b *testing.B) {
	self, err := exec.LookPath("slop")
	require.NoError(b, err)
	for _, name := range app.BenchNames() {
		b.Run(name, func(b *testing.B) {
			results, err := app.Bench(b.Context(), name, self, max(b.N, 10), os.Stderr)
			require.NoError(b, err)
			for _, r := range results {
				require.Positive(b, r.N, r.Name)
			}
			r := results[0]
			require.Positive(b, r.Value, r.Name)
			b.ReportMetric(0, "ns/op")
			b.ReportMetric(r.Value, r.Unit)
			if r.Reference > 0 {
				b.ReportMetric(r.Reference, "raw-"+r.Unit)
				b.ReportMetric(r.Ratio, "x-raw")
			}
		})
	}
}
