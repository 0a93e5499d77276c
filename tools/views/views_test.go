package views_test

import (
	"go/parser"
	"go/token"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"manualslop/tools/cfamily"
	"manualslop/tools/python"
	"manualslop/tools/views"
)

const pythonSource = `"""The module."""
import os

# A block comment.
LIMIT = 3

class Shop:
    """Sells."""
    open = True

    def price(self, n):
        """What n cost."""
        secret = 1
        return n * secret

    @core_logic
    def total(self):
        return self.kept_total

    @lib.core_logic(level=2)
    def deep(self): return kept_deep

def one(): return secret_inline

# [HOT] why it matters
def hot():
    kept_hot()

def warm(a,
         b):  # [HOT]
    kept_warm()

def cold():
    # [HOT] inside does not count
    def inner():
        secret()
    return inner

if LIMIT:
    async def branch():
        await secret()

def documented():
    """Only this."""

def nothing():
    pass
`

func TestACuratedViewOfPython(t *testing.T) {
	t.Parallel()
	got := views.PythonCurated(python.Parse(pythonSource))
	require.NotContains(t, got, "secret")
	for _, kept := range []string{
		`"""The module."""`, "# A block comment.", "LIMIT = 3", "class Shop:", "open = True",
		"        \"\"\"What n cost.\"\"\"\n        ... # Hidden\n",
		"return self.kept_total", "kept_deep", "kept_hot()", "kept_warm()", "def one(): ... # Hidden\n", "def cold():\n",
		"async def branch():\n        ... # Hidden\n",
		"\"\"\"Only this.\"\"\"\n\ndef nothing():\n    pass\n",
	} {
		require.Contains(t, got, kept)
	}
	again := python.Parse(got)
	require.Empty(t, again.Problems, "it is Python still")
	require.Equal(t, got, views.PythonCurated(again))
	for _, broken := range []string{"", "def", "def f(:\n  x\n", "class A:\n", "\tdef f():\n  x", "def f():\n    '''x",
		"@core_logic\n", "def f(): # [HOT]"} {
		views.PythonCurated(python.Parse(broken))
	}
}

const goSource = `// Package a is.
package a

// Limit stays.
const Limit = 3

var table = map[string]int{
	"long": 1,
	"list": 2,
}

var run = func() { secretLit() }

// T is a type.
type T struct{ A int }

// Cold hides.
func (t T) Cold() int {
	return secret
}

// Hot matters.
//
// [HOT]
func Hot() int {
	return kept1
}

func Warm() int { // [HOT]
	return kept2
}

func Quoted() string {
	return "// [HOT] secret"
}

func empty() {}
`

func TestViewsOfGo(t *testing.T) {
	t.Parallel()
	curated, err := views.GoCurated(goSource)
	require.NoError(t, err)
	require.Equal(t, 1, strings.Count(curated, "secret"), curated)
	require.Contains(t, curated, "func (t T) Cold() int { ... /* Hidden */ }")
	for _, kept := range []string{"kept1", "kept2", "// Package a is.", `"list": 2`, "type T struct", "func empty() {}",
		"// Cold hides."} {
		require.Contains(t, curated, kept)
	}
	skeleton, err := views.GoSkeleton(goSource)
	require.NoError(t, err)
	for _, hidden := range []string{"secret", "kept", "long"} {
		require.NotContains(t, skeleton, hidden)
	}
	require.Contains(t, skeleton, "func Hot() int { ... }")
	require.Contains(t, skeleton, "const Limit = 3")
	_, err = parser.ParseFile(token.NewFileSet(), "", strings.ReplaceAll(strings.ReplaceAll(skeleton, "{ ... }", "{}"),
		"map[string]int", "T"), 0)
	require.NoError(t, err)
	_, err = views.GoCurated("package a\nfunc {")
	require.ErrorContains(t, err, "2:6")
}

func TestACuratedViewOfC(t *testing.T) {
	t.Parallel()
	source := `/* The module. */
#define N 3
struct s { int a; };
static int table[] = { 1, 2 };
int cold(int a) {
  return secret(a);
}
/*
 * Matters. [HOT]
 */
int hot(int a) {
  return kept1(a);
}
int warm(void) { // [HOT]
  return kept2();
}
int declared(void);
`
	got := views.CCurated(cfamily.Read(source, cfamily.C, cfamily.Macros{}))
	require.NotContains(t, got, "secret")
	require.Contains(t, got, "int cold(int a) { ... /* Hidden */ }")
	for _, kept := range []string{"kept1", "kept2", "#define N 3", "struct s { int a; };", "{ 1, 2 }",
		"/* The module. */"} {
		require.Contains(t, got, kept)
	}
	cpp := "class A {\n public:\n  int m() { return secret; }\n  // [HOT]\n  int h() { struct L { int f() { return " +
		"kept; } }; return kept; }\n};\n"
	got = views.CCurated(cfamily.Read(cpp, cfamily.CPP, cfamily.Macros{}))
	require.NotContains(t, got, "secret")
	require.Equal(t, 2, strings.Count(got, "kept"))
}
