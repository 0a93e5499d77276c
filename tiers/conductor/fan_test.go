package conductor_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"manualslop/events"
)

// fan is ticket A and n tickets that depend on it.
func fan(n int) []string {
	out := []string{"A"}
	for i := range n {
		out = append(out, fmt.Sprintf("F-%d < A", i))
	}
	return out
}

func fanBlocked(n int) []events.Payload {
	out := []events.Payload{blockedWorker("A")}
	for i := range n {
		out = append(out, blockedBy(fmt.Sprintf("F-%d", i), "A"))
	}
	return out
}

func endsWith(t testing.TB, s, suffix string) {
	t.Helper()
	require.True(t, strings.HasSuffix(s, suffix), "%q", s)
}
