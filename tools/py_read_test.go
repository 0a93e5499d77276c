package tools_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"manualslop/tools"
)

// longModule has much of everything.
func longModule() string {
	var b strings.Builder
	b.WriteString(`"""` + strings.Repeat("Doc.\n", 300) + `"""` + "\n")
	for i := range 300 {
		fmt.Fprintf(&b, "import m%d\nX%d = [\n%d]\n\n\ndef f%d(a):\n    return a\n", i, i, i, i)
	}
	b.WriteString("class A:\n")
	for i := range 300 {
		fmt.Fprintf(&b, "    y = 1\n    def m%d(self): pass\n", i)
	}
	return b.String()
}

func TestLongAnswersAboutPythonGoOn(t *testing.T) {
	t.Parallel()
	env, _ := setup(t, map[string]string{"a.py": longModule()})
	env.Limits = tools.Limits{MaxChars: 4_000, MaxLines: 100}
	for name, in := range map[string]args{
		"py_get_skeleton": {}, "py_get_code_outline": {}, "py_get_imports": {}, "py_get_docstring": {},
		"get_file_summary":   {},
		"py_get_symbol_info": {"name": "A"}, "py_get_definition": {"name": "A"}, "py_get_class_summary": {"name": "A"},
		"py_get_var_declaration": {"name": "A.y"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			in["path"] = "a.py"
			whole := env
			whole.Limits = tools.Limits{MaxChars: 1 << 20, MaxLines: 1 << 20}
			want := call(t, whole, name, in).Text
			var have string
			for start := 1; start > 0; {
				in["start_line"] = start
				result := call(t, env, name, in)
				require.False(t, result.Failed, result.Text)
				text, marker, cut := strings.Cut(result.Text, "… truncated: lines ")
				have += text
				start = 0
				if cut {
					var total, to, next int
					_, err := fmt.Sscanf(marker, "%d–%d of %d not shown; call "+name+" with start_line=%d", new(int), &to, &total,
						&next)
					require.NoError(t, err, marker)
					require.Equal(t, total, to)
					start = next
				}
			}
			require.Equal(t, want, strings.TrimSuffix(have, "\n"))
			in["start_line"] = 1_000_000
			result := call(t, env, name, in)
			require.True(t, strings.HasPrefix(result.Text, "ERROR: start_line 1000000 is out of range"), result.Text)
		})
	}
}

// Whatever a file holds, the tools answer.
func TestOddPythonIsAnswered(t *testing.T) {
	t.Parallel()
	files := map[string]string{
		"empty.py": "", "blank.py": "\n\n", "comment.py": "# x", "cr.py": "def f():\r  pass\rX = 1",
		"bytes.py": "X = '\xff\xfe'\ndef f(): pass\n",
		"open.py":  "def f(", "quote.py": `X = """`, "backslash.py": "\\", "indent.py": "   x\n y\n", "dots.py": "from " +
			strings.Repeat(".", 20_000) + "a..b import c, d\n",
		"deep.py": strings.Repeat("(", 20_000), "brackets.py": "X = " + strings.Repeat("[", 5_000) + strings.Repeat("]",
			5_000),
		"line.py": "x = 1; " + strings.Repeat("y = 1; ", 5_000), "chain.py": strings.Repeat("a = ", 5_000) + "1\n",
		"self.py":  "class A:\n  def __init__(self):\n    " + strings.Repeat("self.a = ", 5_000) + "1\n",
		"bases.py": "class A(" + strings.Repeat("B, ", 5_000) + "): pass\n", "all.py": "__all__ = [" + strings.Repeat("'a', ",
			5_000) + "]\n",
	}
	for i := range 60 {
		files["nested.py"] += strings.Repeat(" ", i) + "class A:\n"
	}
	env, _ := setup(t, files)
	for name := range files {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for _, in := range []args{{}, {"name": "f"}, {"name": "A"}, {"name": "X"}, {"name": "A#2"}, {"name": "\x01é#-1"}} {
				for _, tool := range []string{
					"py_get_skeleton", "py_get_code_outline", "py_get_imports", "get_file_summary", "py_get_docstring",
					"py_get_symbol_info",
					"py_get_definition", "py_get_signature", "py_get_class_summary", "py_get_var_declaration",
				} {
					_, named := in["name"]
					if takesName := strings.Contains("py_get_symbol_info py_get_definition py_get_signature py_get_class_summary "+
						"py_get_var_declaration", tool); named != takesName {
						continue
					}
					in["path"] = name
					result := call(t, env, tool, in)
					require.NotEmpty(t, result.Text, tool)
					require.NotErrorIs(t, result.Err, tools.ErrPanic, "%s %s", tool, name)
					require.NotContains(t, result.Text, "failed inside")
				}
			}
		})
	}
}

// A file whose name the workspace refuses is named in a warning.
func TestNamesOfSkippedFilesAreShownWithoutControlCharacters(t *testing.T) {
	t.Parallel()
	for _, sign := range []string{"\x1b[31m", "\a", "\t", "\x7f", "\u0085", "\u202e", "\u2066"} {
		name := "c" + sign + "red.py"
		env, _ := setup(t, map[string]string{"a.py": "class Needle: ...\n", name: "class Needle: ...\n"})
		for tool, in := range map[string]args{
			"py_find_usages":   {"path": ".", "name": "Needle"},
			"py_get_hierarchy": {"path": ".", "class_name": "Needle"},
			"rename_symbol":    {"path": "a.py", "name": "Needle", "new_name": "Pin"},
		} {
			require.NotContains(t, call(t, env, tool, in).Text, sign, "%s with %q", tool, name)
		}
	}
}
