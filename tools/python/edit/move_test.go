package edit_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"manualslop/tools/python/edit"
)

func TestCarriedImportsGoToTheImportBlock(t *testing.T) {
	t.Parallel()
	const plain = "import os\nfrom a import b, c\n\n\ndef f():\n    return os, b, c\n"
	const future = "from __future__ import annotations\nimport os\n\n\ndef f():\n    return os\n"
	const f = "\n\ndef f():\n    return os, b, c\n"
	for name, c := range map[string]struct{ source, dest, after string }{
		"empty file":           {plain, "", "import os\nfrom a import b, c\n" + f},
		"below imports":        {plain, "import sys\n\nx = 1\n", "import sys\nimport os\nfrom a import b, c\n\nx = 1\n" + f},
		"one is there":         {plain, "import os\n", "import os\nfrom a import b, c\n" + f},
		"below a docstring":    {plain, "'''doc'''\nx = 1\n", "'''doc'''\n\nimport os\nfrom a import b, c\n\nx = 1\n" + f},
		"above the first line": {plain, "x = 1\n", "import os\nfrom a import b, c\n\nx = 1\n" + f},
		"below a licence":      {plain, "# (c)\n\nx = 1\n", "# (c)\n\nimport os\nfrom a import b, c\n\nx = 1\n" + f},
		"no final line end":    {plain, "'''doc'''", "'''doc'''\n\nimport os\nfrom a import b, c\n" + f},
		"future above imports": {future, "import sys\n", "from __future__ import annotations\n\nimport sys\nimport " +
			"os\n\n\ndef f():\n    return os\n"},
		"future in a new file": {future, "", "from __future__ import annotations\nimport os\n\n\ndef f():\n    return os\n"},
		"crlf": {plain, "import sys\r\n", "import sys\r\nimport os\r\nfrom a import b, c\r\n\r\n\r\ndef " +
			"f():\r\n    return os, b, c\r\n"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			moved, err := edit.Move(open(t, c.source), open(t, c.dest), edit.Relocation{Name: "f", CarryImports: true})
			require.NoError(t, err)
			require.Equal(t, c.after, applied(t, c.dest, moved.Destination))
		})
	}
}

func TestMoveSaysWhatTheCodeNeedsAndWhoUsesIt(t *testing.T) {
	t.Parallel()
	source := open(t, "import os, sys\nfrom a import *\nLIMIT = 1\n\n\ndef helper(): pass\n\n\ndef f(sys):\n    local = "+
		"os\n    return LIMIT, helper(), sys, local, f, unknown\n\n\nf(1)\nx.f\ndef g(f): return f\n")
	dest := open(t, "from src import f\nLIMIT = 2\nf(2)\n")
	moved, err := edit.Move(source, dest, edit.Relocation{Name: "f"})
	require.NoError(t, err)
	require.Equal(t, []edit.Need{{Statement: "import os"}}, moved.Imports)
	require.Equal(t, []string{"helper"}, moved.Names)
	require.Equal(t, []int{9}, moved.SourceUses, "neither attributes nor parameters of the name")
	require.Equal(t, []int{1, 3, 8}, moved.DestinationUses)
}
