package grammar_test

import (
	"fmt"
	"os/exec"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"manualslop/tools/python"
	"manualslop/tools/python/grammar"
)

// compiled are texts that parse, with what a compiler says of them: "line:column: text", or nothing.
var compiled = map[string]string{
	"return 1\n":                           "1:1: 'return' outside function",
	"class A:\n  return\n":                 "2:3: 'return' outside function",
	"def f(): return\n":                    "",
	"x = yield\n":                          "1:5: 'yield' outside function",
	"lambda: (yield)\n":                    "",
	"await x\n":                            "1:1: 'await' outside function",
	"def f():\n  await x\n":                "2:3: 'await' outside async function",
	"async def f():\n  await x\n":          "",
	"def f():\n  async with a: pass\n":     "2:3: 'async with' outside async function",
	"def f():\n  async for a in b: pass\n": "2:3: 'async for' outside async function",
	"break\n":                              "1:1: 'break' outside loop",
	"for a in b:\n  if c: break\nelse:\n  continue\n": "4:3: 'continue' not properly in loop",
	"while a:\n  def f(): break\n":                    "2:12: 'break' outside loop",
	"def f(a, b, *a): pass\n":                         "1:14: duplicate argument 'a' in function definition",
	"lambda a, a: 1\n":                                "1:11: duplicate argument 'a' in function definition",
	"f(a=1, b=2, a=3)\n":                              "1:13: keyword argument repeated: a",
	"def f():\n  from a import *\n":                   "2:3: import * only allowed at module level",
	"if a: from b import *\n":                         "",
	"x = 1\nfrom __future__ import annotations\n": "2:1: from __future__ imports must occur at the beginning of " +
		"the file",
	"'doc'; from __future__ import annotations as a\n": "",
	"from __future__ import braces\n":                  "1:1: not a chance",
	"from __future__ import magic\n":                   "1:1: future feature magic is not defined",
	"nonlocal x\n":                                     "1:1: nonlocal declaration not allowed at module level",
	"*a = b\n":                                         "1:1: starred assignment target must be in a list or tuple",
	"*a, = b\n":                                        "",
	"*a, *b = c\n":                                     "1:1: multiple starred expressions in assignment",
	"a = *b\n":                                         "1:5: can't use starred expression here",
	"try: pass\nexcept: pass\nexcept A: pass\n":        "2:1: default 'except:' must be last",
}

func TestWhatOnlyACompilerRefuses(t *testing.T) {
	t.Parallel()
	for text, want := range compiled {
		var have []string
		for _, e := range grammar.CompileErrors(python.Parse(text)) {
			have = append(have, fmt.Sprintf("%d:%d: %s", e.Line, e.Column, e.Text))
		}
		require.Equal(t, want, strings.Join(have, "\n"), text)
		require.Nil(t, grammar.Check(text, 0), text)
	}
}

func TestCompilersWordsAreCPythons(t *testing.T) {
	t.Parallel()
	interpreter(t)
	script := "import sys\ntry: compile(sys.stdin.read(), 'x', 'exec')\nexcept SyntaxError as e: print(f'{e.lineno}: " +
		"{e.msg}', end='')"
	for text, want := range compiled {
		cmd := exec.Command("python3", "-I", "-c", script)
		cmd.Stdin = strings.NewReader(text)
		out, err := cmd.Output()
		require.NoError(t, err)
		if line, rest, ok := strings.Cut(want, ":"); ok {
			_, words, _ := strings.Cut(rest, ": ")
			want = line + ": " + words
		}
		require.Equal(t, want, string(out), text)
	}
}
