//go:build unix

package live_test

import (
	"fmt"
	"runtime"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"manualslop/bus"
	"manualslop/bus/bustest"
	"manualslop/projections"
	"manualslop/projections/live"
	"manualslop/projections/sessiongen"
)

// BenchmarkFirstLook looks at a closed session after a start: at its models, as
// they are folded from the log and as they were stored when it closed, and at
// what GET /api/session shows of them. cpu-ms/look is the processor time of the
// engine and its server together.
func BenchmarkFirstLook(b *testing.B) {
	for _, length := range []int{10_000, 100_000} {
		dir := b.TempDir()
		at := func(c *bus.Config) { c.Dir, c.MaxBytes = dir, 10<<30 }
		b.Run(fmt.Sprintf("events=%d", length), func(b *testing.B) {
			server := bustest.Open(b, at)
			bustest.Fill(b, server, project, sessiongen.GenerateSession(1, length))
			conn := bustest.Connect(b, server, bus.Role{Kind: bus.Gateway})
			folded, stored := live.Options{}, live.Options{Snapshots: conn}
			b.Run("folded", func(b *testing.B) { firstLooks(b, conn, folded, false) })
			b.Run("folded,discussion", func(b *testing.B) { firstLooks(b, conn, folded, true) })
			firstLook(b, conn, stored, false)
			b.Run("stored", func(b *testing.B) { firstLooks(b, conn, stored, false) })
			b.Run("stored,discussion", func(b *testing.B) { firstLooks(b, conn, stored, true) })
		})
	}
}

func firstLooks(b *testing.B, conn *bus.Conn, opts live.Options, discussion bool) {
	b.Helper()
	var used time.Duration
	for b.Loop() {
		used += firstLook(b, conn, opts, discussion)
	}
	b.ReportMetric(float64(used.Milliseconds())/float64(b.N), "cpu-ms/look")
}

// firstLook opens the read models, looks at the session, and returns the
// processor time of the look.
func firstLook(b *testing.B, conn *bus.Conn, opts live.Options, discussion bool) time.Duration {
	b.Helper()
	l, err := live.Open(b.Context(), conn, project, opts)
	require.NoError(b, err)
	v, ok := l.Session(sessiongen.SessionID(1))
	require.True(b, ok)
	runtime.GC()
	before := processorTime(b)
	require.NoError(b, v.Read(b.Context(), func(s *projections.Set) {
		if discussion {
			_, err := s.View("session")
			require.NoError(b, err)
		}
	}))
	used := processorTime(b) - before
	require.NoError(b, l.Close())
	return used
}

func processorTime(b *testing.B) time.Duration {
	b.Helper()
	var used syscall.Rusage
	require.NoError(b, syscall.Getrusage(syscall.RUSAGE_SELF, &used))
	return time.Duration(used.Utime.Nano() + used.Stime.Nano())
}
