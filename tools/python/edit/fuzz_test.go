package edit_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"manualslop/tools/document"
	"manualslop/tools/python"
	"manualslop/tools/python/edit"
)

// seeds are texts with what makes edits hard.
var seeds = []string{
	"",
	"x = 1",
	"def f():\n    return 1\n",
	"class A: x = 1; y = 2  # c\n",
	"class A:\r\n\t# about\r\n\t@d(\r\n\t  1)\r\n\tdef m(self): pass;\r\n\t# end\r\n",
	"#!/usr/bin/python\n# coding: utf-8\n'''doc'''\nfrom __future__ import annotations\nimport os\n\n\n# c\n\nclass " +
		"A(\n  B):\n  '''doc'''\n",
	"if x:\n  def f(): pass\nelif y:\n  def f(): pass\nelse:\n  # c\n\n  def f():\n     return '''\n a\n'''\n",
	"def f(a, b=lambda x, y: (x), *c, d: int = 1, **e) -> int: # c\n\tdef g(): pass\n\treturn f(1, *a) + " +
		"f(b=1)\n\fclass B:\n pass",
	"x = 1 \\\n\ndef f(): pass\\\n\n\ny = f'''{\nx\n}''' ; z: int = (1,\n2)\na, b = c = 1\n",
	"#region a\nclass A:\n    #region b\n    def m(self):\n        pass\n    #endregion\n#endregion\n",
	"@property\nasync def f(): pass\rclass C:\r  def m(self): pass\r  def m(self): pass\r",
	"try:\n    import a\nexcept (A, B):\n    a = None\nwhile x: y = 1; break\nmatch x:\n  case 1:\n    def f(): pass\n",
}

func seed(f *testing.F) {
	for i, text := range seeds {
		for j := range seeds {
			if (i+j)%3 == 0 {
				f.Add(text, seeds[j], uint16(7*i+j))
			}
		}
		f.Add(strings.Repeat("0", i+1)+"=@ABCDEFGHIJKLMNOPQRSTUVWXYZ\x00\x01\x02"[i:], "def f(): pass", uint16(i))
	}
}

// opened parses a fuzzed text. One that does not parse stands for a woven one; what is still no Python
// or too large is given up.
func opened(t *testing.T, text *string) edit.Source {
	source, err := edit.Open("a.py", *text)
	if err != nil {
		*text = woven(*text)
		source, err = edit.Open("a.py", *text)
	}
	if err != nil || len(*text) > 20_000 {
		t.Skip("the text is no file that can be edited, or a very long one")
	}
	return source
}

// picked gives one of the symbols and its name.
func picked(t *testing.T, source edit.Source, pick uint16) (*python.Symbol, string) {
	if len(source.Symbols) == 0 {
		t.Skip("the text defines nothing")
	}
	symbol := source.Symbols[int(pick)%len(source.Symbols)]
	return symbol, fmt.Sprintf("%s#%d", symbol.Path, symbol.Ordinal)
}

// sound checks what holds for every change: the splices make the result, and the result parses.
func sound(t *testing.T, text string, change edit.Change) edit.Source {
	t.Helper()
	result, err := document.Apply(text, change.Splices)
	require.NoError(t, err)
	require.Equal(t, change.Result, result)
	after, err := edit.Open("a.py", result)
	require.NoError(t, err, "%q", result)
	return after
}

// beside lists path and text of the definitions that are neither in a span nor around it.
func beside(file *python.File, span python.Span) []string {
	var out []string
	for _, symbol := range file.Symbols {
		if s := symbol.Statement; s.End <= span.Start || s.OuterStart() >= span.End {
			out = append(out, symbol.Path+"\n"+outer(s).Of(file.Text))
		}
	}
	return out
}

func outer(s *python.Statement) python.Span { return python.Span{Start: s.OuterStart(), End: s.End} }

// tokens are the texts of all tokens that mean something, with line ends as LF.
func tokens(file *python.File, span python.Span) []string {
	out := []string{}
	for token := range file.Tokens(span) {
		if token.Kind != python.Comment && token.Kind != python.NL && token.Kind != python.Newline {
			out = append(out, document.WithEnds(token.Of(file.Text), "\n"))
		}
	}
	return out
}

// found gives the symbol whose text holds line in a result.
func found(t *testing.T, after edit.Source, path string, line int) *python.Symbol {
	t.Helper()
	for _, symbol := range after.Find(path) {
		if after.EndLine(symbol) >= line && after.StartLine(symbol) <= line || after.StartLine(symbol) >= line {
			return symbol
		}
	}
	require.Fail(t, "not found", "%s at line %d in %q", path, line, after.Text)
	return nil
}

func FuzzUpdate(f *testing.F) {
	seed(f)
	f.Fuzz(func(t *testing.T, text, content string, pick uint16) {
		source := opened(t, &text)
		symbol, name := picked(t, source, pick)
		same, err := source.Update(name, source.File.Source(symbol))
		require.NoError(t, err)
		require.Empty(t, same.Splices)
		change, err := source.Update(name, content)
		if err != nil {
			return
		}
		after := sound(t, text, change)
		updated := found(t, after, symbol.Path, change.Start)
		require.Equal(t, beside(source.File, outer(symbol.Statement)), beside(after.File, outer(updated.Statement)))
		given, err := edit.Open("content", "if 1:\n"+indented(content))
		if err == nil {
			want := outer(given.Symbols[0].Statement)
			have := python.Span{Start: updated.Statement.Start, End: updated.Statement.End}
			want.Start = given.Symbols[0].Statement.Start
			require.Equal(t, tokens(given.File, want), tokens(after.File, have))
		}
	})
}

// indented makes a suite of a text that may stand at the margin.
func indented(text string) string {
	text = strings.Trim(document.WithEnds(text, "\n"), "\n")
	if text != "" && (text[0] == ' ' || text[0] == '\t') {
		return text
	}
	return "=" // does not parse, so that it is left out
}

func FuzzRemove(f *testing.F) {
	seed(f)
	f.Fuzz(func(t *testing.T, text, _ string, pick uint16) {
		source := opened(t, &text)
		symbol, name := picked(t, source, pick)
		change, _, err := source.Remove(name)
		require.NoError(t, err, "%q %s", text, name)
		after := sound(t, text, change)
		around := 0
		for up := symbol.Parent; up != nil; up = up.Parent {
			around++
		}
		gone := beside(source.File, outer(symbol.Statement))
		require.Len(t, after.Symbols, len(gone)+around)
		before := tokens(source.File, python.Span{End: symbol.Statement.OuterStart()})
		behind := tokens(source.File, python.Span{Start: symbol.Statement.End, End: len(text)})
		have := tokens(after.File, python.Span{End: len(after.Text)})
		want := append(before, behind...)
		if len(have) == len(want)+1 {
			want = append(append(before[:len(before):len(before)], "pass"), behind...)
		}
		require.Equal(t, strings.TrimLeft(strings.Join(want, " "), "; "), strings.TrimLeft(strings.Join(have, " "), "; "))
	})
}

func FuzzAdd(f *testing.F) {
	seed(f)
	f.Fuzz(func(t *testing.T, text, content string, pick uint16) {
		source := opened(t, &text)
		if pick%2 == 0 {
			content = "def new(a,\n   b):\n   '''\n x'''\n   return 1"
		}
		for _, kind := range []string{edit.Top, edit.Bottom, edit.Before, edit.After} {
			anchor, parent := edit.Anchor{Type: kind}, ""
			if len(source.Symbols) > 0 {
				symbol, name := picked(t, source, pick/8)
				anchor.Symbol, parent = name, strings.TrimPrefix(symbol.Path+".", ".")
				if kind == edit.Before || kind == edit.After {
					parent = strings.TrimSuffix(symbol.Path, symbol.Name)
				}
			}
			_, change, err := source.Add(parent+"new", content, anchor)
			if err != nil {
				continue
			}
			after := sound(t, text, change)
			require.NotEmpty(t, after.Find(parent+"new"))
			if pick%2 == 0 {
				added := found(t, after, parent+"new", change.Start)
				require.Equal(t, change.Start, after.StartLine(added))
				require.Equal(t, change.End, after.EndLine(added))
				have := tokens(after.File, python.Span{End: added.Statement.Start})
				have = append(have, tokens(after.File, python.Span{Start: added.Statement.End, End: len(after.Text)})...)
				require.Equal(t, tokens(source.File, python.Span{End: len(text)}), have)
			}
		}
	})
}

func FuzzMove(f *testing.F) {
	seed(f)
	f.Fuzz(func(t *testing.T, text, other string, pick uint16) {
		source, dest := opened(t, &text), opened(t, &other)
		symbol, name := picked(t, source, pick/2)
		kind := []string{edit.Top, edit.Bottom}[pick%2]
		r := edit.Relocation{Name: name, NewName: "moved", Anchor: edit.Anchor{Type: kind}, CarryImports: pick%3 == 0,
			Together: true}
		if moved, err := edit.Move(source, dest, r); err == nil {
			sound(t, text, moved.Source)
			after := sound(t, other, moved.Destination)
			arrived := found(t, after, "moved", moved.Destination.Start)
			have := tokens(after.File, outer(arrived.Statement))
			want := tokens(source.File, outer(symbol.Statement))
			require.Equal(t, strings.Join(want, " "), strings.Replace(strings.Join(have, " "), "moved", symbol.NameSpan.Of(text),
				1))
		}
		if moved, err := source.MoveWithin(r); err == nil {
			after := sound(t, text, moved.Destination)
			require.NotEmpty(t, after.Find("moved"))
			want := tokens(source.File, python.Span{End: len(text)})
			have := tokens(after.File, python.Span{End: len(after.Text)})
			if len(have) == len(want)+1 {
				want = append(want, "pass")
			}
			slices.Sort(want)
			have[slices.Index(have, "moved")] = symbol.NameSpan.Of(text)
			slices.Sort(have)
			require.Equal(t, strings.Join(want, " "), strings.Join(have, " "))
		}
	})
}

func FuzzSetSignature(f *testing.F) {
	seed(f)
	f.Fuzz(func(t *testing.T, text, signature string, pick uint16) {
		source := opened(t, &text)
		symbol, name := picked(t, source, pick)
		same, _, err := source.SetSignature(name, source.Signature(symbol))
		require.NoError(t, err)
		require.Empty(t, same.Splices)
		change, _, err := source.SetSignature(name, signature)
		if err != nil {
			return
		}
		after := sound(t, text, change)
		require.Len(t, after.Symbols, len(source.Symbols))
		updated := found(t, after, symbol.Path, change.Start)
		body := python.Span{Start: symbol.Statement.Header.End, End: len(text)}
		have := python.Span{Start: updated.Statement.Header.End, End: len(after.Text)}
		require.Equal(t, body.Of(text), have.Of(after.Text))
	})
}

func FuzzSetVariable(f *testing.F) {
	seed(f)
	f.Fuzz(func(t *testing.T, text, declaration string, pick uint16) {
		source := opened(t, &text)
		variables := source.Variables()
		if len(variables) == 0 {
			t.Skip("the text binds no variable")
		}
		variable := variables[int(pick)%len(variables)]
		name := fmt.Sprintf("%s#%d", variable.Path, variable.Ordinal)
		if variable.Alone {
			same, err := source.SetVariable(name, variable.Statement.Span.Of(text))
			require.NoError(t, err)
			require.Empty(t, same.Splices)
		}
		for _, given := range []string{declaration, variable.Name + " = (1,\n  '''\n a''')"} {
			change, err := source.SetVariable(name, given)
			if err != nil {
				continue
			}
			after := sound(t, text, change)
			require.Len(t, after.Variables(), len(variables))
			before := tokens(source.File, python.Span{End: variable.Statement.Start})
			require.Equal(t, before, tokens(after.File, python.Span{End: len(after.Text)})[:len(before)])
		}
	})
}

func FuzzWrapRegion(f *testing.F) {
	seed(f)
	f.Fuzz(func(t *testing.T, text, name string, pick uint16) {
		source := opened(t, &text)
		first := 1 + int(pick)%(len(source.Lines)+1)
		change, err := source.WrapRegion(first, first+int(pick)%5, name)
		if err != nil {
			return
		}
		after := sound(t, text, change)
		require.Equal(t, tokens(source.File, python.Span{End: len(text)}),
			tokens(after.File, python.Span{End: len(after.Text)}))
		require.Len(t, after.Lines, len(source.Lines)+2)
	})
}
