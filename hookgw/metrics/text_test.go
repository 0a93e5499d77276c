package metrics_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"manualslop/hookgw/metrics"
)

func TestSamplesAreRenderedByName(t *testing.T) {
	t.Parallel()
	body, kind, err := metrics.Text([]metrics.Sample{
		{Name: "slop_b_total", Help: "Second.", Counter: true, Labels: []string{"path", `a"b\`, "status", "200"}, Value: 3},
		{Name: "slop_a", Help: "First.", Value: 1.5},
		{Name: "slop_b_total", Help: "Second.", Counter: true, Labels: []string{"path", "", "status", "404"}, Value: 1},
	})
	require.NoError(t, err)
	require.Contains(t, kind, "text/plain; version=0.0.4")
	require.Equal(t, `# HELP slop_a First.
# TYPE slop_a gauge
slop_a 1.5
# HELP slop_b_total Second.
# TYPE slop_b_total counter
slop_b_total{path="",status="404"} 1
slop_b_total{path="a\"b\\",status="200"} 3
`, string(body))
}

func TestSamplesThatBreakTheRulesAreAnError(t *testing.T) {
	t.Parallel()
	twice := metrics.Sample{Name: "slop_a", Help: "First."}
	_, _, err := metrics.Text([]metrics.Sample{twice, twice})
	require.ErrorContains(t, err, "slop_a")
	_, _, err = metrics.Text([]metrics.Sample{{Name: "slop_a", Labels: []string{"l", "\xff"}}})
	require.Error(t, err)
}
