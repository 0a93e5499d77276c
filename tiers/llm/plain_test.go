package llm_test

import (
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"manualslop/events"
	"manualslop/tiers/llm"
)

func TestPlainJSONKeepsCodeAsItIs(t *testing.T) {
	t.Parallel()
	out, err := llm.PlainJSON(map[string]string{"code": "a < b && c > d\n"})
	require.NoError(t, err)
	require.Equal(t, `{"code":"a < b && c > d\n"}`, string(out))
	_, err = llm.PlainJSON(math.NaN())
	require.Equal(t, events.ModelInvalidRequest, llm.AsError(err).Kind)
}

func TestANameIsMadePlainAndBounded(t *testing.T) {
	t.Parallel()
	require.Equal(t, "read_file-2", llm.PlainName("read_file-2", "", 64))
	require.Equal(t, "rm_-rf___2J_", llm.PlainName("rm -rf\n\x1b[2Jä", "", 64)[:12])
	require.Equal(t, "a.b_c", llm.PlainName("a.b:c", ".", 64))
	require.Equal(t, "__", llm.PlainName("\xffä", "", 64), "a byte that is no character is one, too")
	require.Len(t, llm.PlainName(strings.Repeat("x", 65), "", 64), 64)
}

func TestACostIsRoundedUpToMicroDollarsAndCredible(t *testing.T) {
	t.Parallel()
	for dollars, want := range map[float64]int64{0: 0, 0.0015: 1500, 0.0123456: 12346, 0.0000001: 1, 1e6: llm.MaxCost} {
		require.Equal(t, want, *llm.MicroDollars(&dollars), dollars)
	}
	for _, absurd := range []float64{-0.1, 1e6 + 1, math.NaN(), math.Inf(1)} {
		require.Nil(t, llm.MicroDollars(&absurd), absurd)
	}
	require.Nil(t, llm.MicroDollars(nil))
}

// TestOnlyItsOwnVendorGetsAnOpaqueBlock is the one place that decides it for all
// adapters.
func TestOnlyItsOwnVendorGetsAnOpaqueBlock(t *testing.T) {
	t.Parallel()
	m := llm.Message{Role: llm.RoleAssistant, Blocks: []llm.Block{llm.Opaque{Origin: "gemini:a", Data: []byte(`{}`)},
		llm.Text("x"), llm.Call{ID: "1"}}}
	require.Equal(t, `{}`, string(m.OpaqueOf("gemini:a")))
	for _, other := range []string{"", "gemini", "gemini:b", "anthropic:a"} {
		require.Nil(t, m.OpaqueOf(other), other)
	}
	require.Nil(t, llm.Message{}.OpaqueOf(""))
	require.Equal(t, []llm.Call{{ID: "1"}}, m.Calls())
	require.Equal(t, "x", m.Prose())
}
