package hookgw_test

import (
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"manualslop/hookgw/access"
	"manualslop/hookgw/core"
)

// BenchmarkReads measures reads over 64 connections of loopback, beside a
// handler of net/http that returns the same bytes, in alternating turns of one
// run.
func BenchmarkReads(b *testing.B) {
	for _, auth := range []string{core.AuthToken, core.AuthNone} {
		f := open(b, func(c *core.Config) { c.Auth = auth })
		right := access.RightRead
		if auth == core.AuthNone {
			right = access.RightNone
		}
		for name, path := range reads(f.lived(2000)) {
			b.Run(auth+"/"+name, func(b *testing.B) {
				body := f.get(path, right).body
				ours, theirs := f.plain(f.gw.URL()+path, right), f.plain(constant(b, body)+"/", access.RightNone)
				const conns, turn = 64, 64 * 20
				var we, they, answers time.Duration
				var took []time.Duration
				for b.Loop() {
					begun := time.Now()
					took = append(took, hammer(b, ours, conns, turn)...)
					half := time.Now()
					hammer(b, theirs, conns, turn)
					we, they, answers = we+half.Sub(begun), they+time.Since(half), answers+turn
				}
				slices.Sort(took)
				b.ReportMetric(float64(answers)/we.Seconds(), "requests/s")
				b.ReportMetric(they.Seconds()/we.Seconds(), "of-constant")
				b.ReportMetric(float64(took[len(took)*99/100].Microseconds())/1000, "p99-ms")
				b.ReportMetric(float64(len(body)), "bytes")
			})
		}
	}
}

var (
	wrkRate = regexp.MustCompile(`Requests/sec:\s+([\d.]+)`)
	wrkP99  = regexp.MustCompile(`99%\s+([\d.]+)(us|ms|s)`)
)

// wrk is what wrk says of an address: requests per second and the 99th percentile.
func wrk(t *testing.T, url, token string) (rate float64, p99 time.Duration) {
	t.Helper()
	args := []string{"-t1", "-c64", "-d3s", "--latency"}
	if token != "" {
		args = append(args, "-H", "Authorization: Bearer "+token)
	}
	out, err := exec.CommandContext(t.Context(), "wrk", append(args, url)...).CombinedOutput()
	require.NoError(t, err, string(out))
	require.NotContains(t, string(out), "Non-2xx")
	rates, tails := wrkRate.FindSubmatch(out), wrkP99.FindSubmatch(out)
	require.NotNil(t, rates, string(out))
	require.NotNil(t, tails, string(out))
	rate, err = strconv.ParseFloat(string(rates[1]), 64)
	require.NoError(t, err)
	p99, err = time.ParseDuration(strings.Replace(string(tails[1])+string(tails[2]), "us", "µs", 1))
	require.NoError(t, err)
	return rate, p99
}

// TestReadsAreAsFastAsPromised runs wrk on the same cores as the gateway. The
// machine may be busy with other work, so only the ratio to a constant handler
// in the same run is demanded here; docs/performance.md has the figures of a
// quiet machine.
func TestReadsAreAsFastAsPromised(t *testing.T) {
	if os.Getenv("SLOP_LOAD") != "full" {
		t.Skip("SLOP_LOAD=full measures")
	}
	if _, err := exec.LookPath("wrk"); err != nil {
		t.Skip("wrk is not installed: apt-get install wrk")
	}
	for _, auth := range []string{core.AuthToken, core.AuthNone} {
		f := open(t, func(c *core.Config) { c.Auth = auth })
		right, token := access.RightNone, ""
		if auth == core.AuthToken {
			right, token = access.RightRead, f.token(access.RightRead)
		}
		for name, path := range reads(f.lived(2000)) {
			body := f.get(path, right).body
			reference := constant(t, body)
			var ratios []float64
			for range 3 {
				theirs, tail := wrk(t, reference, "")
				ours, p99 := wrk(t, f.gw.URL()+path, token)
				t.Logf("auth %s, %s, %d bytes: %.0f requests/s, p99 %s; constant handler %.0f, p99 %s; ratio %.2f", auth, name,
					len(body), ours, p99, theirs, tail, ours/theirs)
				ratios = append(ratios, ours/theirs)
			}
			slices.Sort(ratios)
			require.GreaterOrEqual(t, ratios[1], 0.6, "%s with auth %s, the median of three", name, auth)
		}
	}
}
