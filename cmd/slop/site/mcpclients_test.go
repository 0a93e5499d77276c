package site

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestAnMCPServerIsGoneWhenItHidesOrNeverWas(t *testing.T) {
	t.Parallel()
	p := Place{Data: t.TempDir()}
	for _, name := range []string{"", "01J", "../01J"} {
		gone, err := p.MCPGone(name)
		require.NoError(t, err)
		require.True(t, gone, name)
	}
	hide, err := p.ShowMCP("01J")
	require.NoError(t, err)
	gone, err := p.MCPGone("01J")
	require.NoError(t, err)
	require.False(t, gone)
	_, err = p.ShowMCP("01J")
	require.ErrorContains(t, err, "another process holds it")
	hide()
	gone, err = p.MCPGone("01J")
	require.NoError(t, err)
	require.True(t, gone)
}
