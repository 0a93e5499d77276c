package mcp

import (
	"strings"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/require"
)

func TestRequirement04ChangesAreShownAndApprovedByTheirHash(t *testing.T) {
	t.Parallel()
	pin := func(name, description string, schema map[string]any, output any) Pin {
		p, err := pinOf(&sdk.Tool{Name: name, Description: description, InputSchema: schema, OutputSchema: output})
		require.NoError(t, err)
		return p
	}
	object := map[string]any{"type": "object"}
	wide := map[string]any{"type": "object", "required": []string{"path"}}
	approved := []Pin{pin("kept", "Same.", object, nil), pin("schema", "Same.", object, nil),
		pin("gone", "Old.", object, nil), pin("output", "Same.", object, nil)}
	now := []Pin{approved[0], pin("schema", "Same.", wide, nil), pin("fresh", "New.", object, nil),
		pin("output", "Same.", object, object)}
	shown := map[string]string{}
	for _, c := range Compare(approved, now) {
		shown[c.Name+" "+c.State] = c.Diff
	}
	require.Empty(t, shown["kept unchanged"])
	require.Contains(t, shown["schema changed"], "+  \"required\": [\n+    \"path\"\n+  ]")
	require.Contains(t, shown["fresh new"], "+New.\n")
	require.Contains(t, shown["gone gone"], "-Old.\n")
	require.Contains(t, shown["output changed"], "its output schema")

	s := Status{Hash: "h", Trusted: true, Pins: approved}
	sum := func(now []Pin) string {
		out, err := s.Approval(now)
		require.NoError(t, err)
		return out
	}
	require.Equal(t, "h", sum(approved))
	require.NotEqual(t, sum(now), sum(now[:3]))
	require.True(t, strings.HasPrefix(sum(now), "h-"))
	s.Trusted = false
	require.Equal(t, "h", sum(now))
}

func TestALongDifferenceIsCut(t *testing.T) {
	t.Parallel()
	head := len(diffOf("", "x\n")) - 1
	require.Len(t, diffOf("", strings.Repeat("x", maxDiff-head)+"\n"), maxDiff)
	cut := diffOf("", strings.Repeat("x", maxDiff-head+1)+"\n")
	require.True(t, strings.HasSuffix(cut, "x\n[cut]\n"))
	require.Len(t, cut, maxDiff+len("\n[cut]\n"))
}
