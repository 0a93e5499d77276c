package live_test

import (
	"fmt"
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"

	"manualslop/projections"
	"manualslop/projections/live"
	"manualslop/projections/sessiongen"
)

// BenchmarkFirstLook reads a closed session that no snapshot holds. The log is in
// memory, so this is what folding it takes.
func BenchmarkFirstLook(b *testing.B) {
	for _, length := range []int{10_000, 100_000} {
		b.Run(fmt.Sprintf("events=%d", length), func(b *testing.B) {
			w := newBench(b)
			for _, e := range sessiongen.GenerateSession(1, length) {
				e.Payload = nil
				w.add(e)
			}
			for b.Loop() {
				b.StopTimer()
				l := open(b, w.log, live.Options{})
				v, ok := l.Session(sessiongen.SessionID(1))
				require.True(b, ok)
				runtime.GC()
				b.StartTimer()
				require.NoError(b, v.Read(b.Context(), func(s *projections.Set) { require.NotZero(b, s.Seq()) }))
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*length), "ns/event")
		})
	}
}
