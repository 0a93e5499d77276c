package edit_test

import (
	"strings"
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

// nested are texts that bind the name f below a statement, or not by an assignment.
func nested() map[string]string {
	return map[string]string{
		"import in try":         "try:\n    from b import f\nexcept ImportError:\n    pass\n",
		"import in if":          "if True:\n    import f\n",
		"import with a name":    "if True:\n    import x as f\n",
		"for":                   "for f in []:\n    pass\n",
		"for in if":             "if True:\n    for a, (f, *b) in []: pass\n",
		"with":                  "with open('x') as f:\n    pass\n",
		"except":                "try: pass\nexcept E as f: pass\n",
		"walrus":                "if (f := 1): pass\n",
		"walrus in a list":      "x = [f := 1 for _ in '']\n",
		"match":                 "match x:\n    case [f, *_]: pass\n",
		"match rest":            "match x:\n    case {**f}: pass\n",
		"assignment in if":      "if True:\n    f = 1\n",
		"augmented":             "f += 1\n",
		"type alias in if":      "if True:\n    type f = int\n",
		"global of a function":  "def g():\n    global f\n    f = 1\n",
		"import of a function":  "def g():\n    global f\n    import f\n",
		"definition in else":    "if x: pass\nelse:\n    def f(): pass\n",
		"target of a statement": "(f) = 1\n",
	}
}

func TestNothingIsAddedOrMovedOverANameThatIsBoundOtherwise(t *testing.T) {
	t.Parallel()
	source := open(t, "def f(): pass\n")
	for name, text := range nested() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			module := open(t, text)
			_, _, err := module.Add("f", "def f(): pass\n", edit.Anchor{})
			require.ErrorContains(t, err, "f'", text)
			_, err = edit.Move(source, module, edit.Relocation{Name: "f"})
			require.ErrorContains(t, err, "f'", text)
			_, err = open(t, text+"def other(): pass\n").MoveWithin(edit.Relocation{Name: "other", NewName: "f"})
			require.ErrorContains(t, err, "f'", text)
			if strings.Contains(text, "global") {
				return
			}
			class := open(t, "class A:\n"+strings.ReplaceAll("    "+strings.TrimSuffix(text, "\n"), "\n", "\n    ")+"\n")
			_, _, err = class.Add("A.f", "def f(self): pass\n", edit.Anchor{})
			require.ErrorContains(t, err, "'A.f'", text)
			_, _, err = class.Add("f", "def f(): pass\n", edit.Anchor{})
			require.NoError(t, err, "the module has no such name")
		})
	}
	for name, text := range map[string]string{
		"comprehension": "x = [f for f in '']\n", "lambda": "x = lambda f: f\n", "parameter": "def g(f): pass\n",
		"local": "def g():\n    f = 1\n", "attribute": "x.f = 1\n", "keyword": "x(f=1)\n", "deleted": "del f\n",
		"type parameter": "class A[f]: pass\n", "path": "import f.g as h\n", "original": "from a import f as g\n",
	} {
		_, _, err := open(t, text).Add("f", "def f(): pass\n", edit.Anchor{})
		require.NoError(t, err, name)
	}
	_, err := edit.Move(source, open(t, "from os.path import f\n"), edit.Relocation{Name: "f"})
	require.ErrorContains(t, err, "imports 'f'")
	_, _, err = open(t, "class A:\n    __f = 1\n").Add("A.__f", "def __f(self): pass\n", edit.Anchor{})
	require.ErrorContains(t, err, "'A.__f'")
	_, _, err = open(t, "def g(f): pass\n").Add("g.f", "def f(): pass\n", edit.Anchor{})
	require.ErrorContains(t, err, "'g.f'")
}

func TestMoveSaysWhatTheCodeNeedsAndWhoUsesIt(t *testing.T) {
	t.Parallel()
	source := open(t, "import os, sys\nfrom a import *\nLIMIT = 1\n\n\ndef helper(): pass\n\n\ndef f(sys):\n    local = "+
		"os\n    return LIMIT, helper(), sys, local, f, unknown\n\n\nf(1)\nx.f\ndef g(f): return f\n")
	dest := open(t, "from a import f\nLIMIT = 2\nf(2)\n")
	moved, err := edit.Move(source, dest, edit.Relocation{Name: "f"})
	require.NoError(t, err)
	require.Equal(t, []edit.Need{{Statement: "import os"}}, moved.Imports)
	require.Equal(t, []string{"helper"}, moved.Names)
	require.Equal(t, []int{9}, moved.SourceUses, "neither attributes nor parameters of the name")
	require.Equal(t, []int{1, 3, 8}, moved.DestinationUses)
}
