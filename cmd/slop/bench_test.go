package main

import (
	"os"
	"os/exec"
	"regexp"
	"testing"

	"github.com/stretchr/testify/require"

	"manualslop/cmd/slop/bench"
)

// sameWithMore are the names that measure what another name measures, with more
// tickets or sessions at once. They run at full size only.
var sameWithMore = regexp.MustCompile(`^(rounds|sessions)-64-|^rounds-16-|^sessions-16-sync$|^(causes|model)-sync$`)

// BenchmarkEngine is `slop bench`: each figure beside its reference in the same run.
func BenchmarkEngine(b *testing.B) {
	self, err := exec.LookPath("slop")
	require.NoError(b, err)
	for _, name := range bench.Names() {
		b.Run(name, func(b *testing.B) {
			if sameWithMore.MatchString(name) && load(0, 1) == 0 {
				b.Skip("another name runs the same code with fewer at once; SLOP_LOAD=full runs this one")
			}
			results, err := bench.Run(b.Context(), name, self, max(b.N, 10), os.Stderr)
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
