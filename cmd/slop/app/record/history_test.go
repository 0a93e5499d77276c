package record

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"manualslop/cmd/slop/site"
	"manualslop/cmd/slop/term"
)

func TestAHistoryFileHasALimit(t *testing.T) {
	t.Parallel()
	read := func(n int) error {
		g := &site.Flags{Terminal: term.Terminal{In: strings.NewReader(strings.Repeat("#", n))}}
		_, err := readHistoryFile(g, "-")
		return err
	}
	require.NoError(t, read(maxHistoryFile))
	require.ErrorContains(t, read(maxHistoryFile+1), "split it")
}
