package edit_test

import "strings"

// snippets are what woven makes texts of; a colon at the end opens a block.
var snippets = []string{
	"def f(a, b=1):", "class A:", "if x:", "async def g(): # c", "def f():", "x = 1", "y: int = (1,\n  2)  # c", "'doc'",
	"'''\n doc\n\t'''",
	"@d", "@d(\n  1)", "# c", "  # odd", "#region r", "#endregion", "", "\t", "\f", "a = 1; b = 2",
	"class B: x = 1; y = 2", "def h(): pass; # c",
	"import os", "f(1); A().f(2)", "x = 1 \\\n", "z = f'''{\na}\n'''", "try:\n  import a\nexcept E: pass", "class A: pass",
	"return f",
}

// woven makes a text that mostly parses of a code: each byte chooses a snippet, and how many blocks
// end before it.
func woven(code string) string {
	if code == "" {
		return ""
	}
	w := weaver{unit: []string{"    ", "\t", " ", "  "}[code[0]%4], end: []string{"\n", "\n", "\r\n", "\r"}[code[0]/4%4]}
	for i := 1; i < min(len(code), 60); i++ {
		w.add(snippets[int(code[i])%len(snippets)], int(code[i])/len(snippets)%4)
	}
	w.leave(1)
	return w.text.String()
}

type weaver struct {
	unit, end string
	depth     int
	fresh     bool // a block was opened and has no statement
	text      strings.Builder
}

func (w *weaver) add(snippet string, leave int) {
	blank := strings.Trim(snippet, " \t\f") == "" || strings.HasPrefix(strings.TrimSpace(snippet), "#")
	if !blank {
		w.leave(leave)
		w.fresh = false
	}
	margin := strings.Repeat(w.unit, w.depth)
	w.text.WriteString(margin + strings.ReplaceAll(snippet, "\n", w.end+margin) + w.end)
	if head, _, _ := strings.Cut(snippet, " #"); strings.HasSuffix(head, ":") {
		w.depth, w.fresh = w.depth+1, true
	}
}

// leave ends blocks, and gives the innermost a statement where it has none.
func (w *weaver) leave(blocks int) {
	if blocks > 0 && w.depth > 0 && w.fresh {
		w.text.WriteString(strings.Repeat(w.unit, w.depth) + "pass" + w.end)
	}
	w.depth = max(0, w.depth-blocks)
}
