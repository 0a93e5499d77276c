package edit_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"manualslop/tools/document"
	"manualslop/tools/python/edit"
)

// open parses a text that must parse.
func open(t testing.TB, text string) edit.Source {
	t.Helper()
	source, err := edit.Open("a.py", text)
	require.NoError(t, err)
	return source
}

// applied checks that the splices make the result, and gives it.
func applied(t testing.TB, text string, change edit.Change) string {
	t.Helper()
	result, err := document.Apply(text, change.Splices)
	require.NoError(t, err)
	require.Equal(t, change.Result, result)
	return result
}

func TestUpdate(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ before, name, content, after string }{
		"function": {"def f():\n    return 1\n\nx = 1\n", "f", "def f():\n    return 2",
			"def f():\n    return 2\n\nx = 1\n"},
		"method from the margin": {"class A:\n    def m(self):\n        return 1\n", "A.m",
			"def m(self):\n    if 1:\n        return 2\n", "class A:\n    def m(self):\n        if 1:\n            return 2\n"},
		"first line stripped": {"class A:\n    def m(self):\n        return 1\n", "A.m",
			"def m(self):\n        if 1:\n            return 2\n",
			"class A:\n    def m(self):\n        if 1:\n            return 2\n"},
		"first decorator stripped": {"class A:\n    def m(self):\n        return 1\n", "A.m",
			"@d\n    def m(self):\n        return 2\n", "class A:\n    @d\n    def m(self):\n        return 2\n"},
		"two blanks into one": {"class A:\n def m(self):\n  return 1\n", "A.m",
			"def m(self):\n  if 1:\n    return 2\n", "class A:\n def m(self):\n  if 1:\n   return 2\n"},
		"blanks into tabs": {"class A:\n\tdef m(self):\n\t\treturn 1\n", "A.m",
			"    def m(self):\n        return (1,\n                2)\n",
			"class A:\n\tdef m(self):\n\t\treturn (1,\n\t\t        2)\n"},
		"decorators stay": {"@a\n@b(\n    1)\ndef f(): pass\n", "f", "def f(): return 1",
			"@a\n@b(\n    1)\ndef f(): return 1\n"},
		"decorators are replaced": {"@a\n@b\ndef f(): pass\n", "f", "@c\ndef f(): return 1",
			"@c\ndef f(): return 1\n"},
		"comment stays": {"# one\n# two\n@a\ndef f(): pass\n", "f", "def f(): return 1",
			"# one\n# two\n@a\ndef f(): return 1\n"},
		"comment is replaced": {"# one\n# two\n@a\ndef f(): pass\n", "f", "# three\ndef f(): return 1",
			"# three\n@a\ndef f(): return 1\n"},
		"comment is added": {"class A:\n    @a\n    def f(self): pass\n", "A.f",
			"# three\n# four\ndef f(self): return 1", "class A:\n    # three\n    # four\n    @a\n    def f(self): return 1\n"},
		"comment and decorators": {"# one\n@a\ndef f(): pass\n", "f", "# two\n@b\ndef f(): return 1",
			"# two\n@b\ndef f(): return 1\n"},
		"a region marker is no comment": {"#region x\n# one\ndef f(): pass\n#endregion\n", "f", "# two\ndef f(): return 1",
			"#region x\n# two\ndef f(): return 1\n#endregion\n"},
		"a shebang is no comment": {"#!/usr/bin/python\ndef f(): pass\n", "f", "# two\ndef f(): return 1",
			"#!/usr/bin/python\n# two\ndef f(): return 1\n"},
		"inside trailing comment stays": {"def f():\n    pass\n    # end\nx = 1\n", "f", "def f():\n    return 1",
			"def f():\n    return 1\n    # end\nx = 1\n"},
		"comment on the last line goes": {"def f():\n    pass  # old\nx = 1\n", "f", "def f():\n    return 1",
			"def f():\n    return 1\nx = 1\n"},
		"crlf": {"a = 1\r\ndef f():\r\n    pass\r\n", "f", "def f():\n    a\n    b\n",
			"a = 1\r\ndef f():\r\n    a\r\n    b\r\n"},
		"mixed ends": {"def f():\r\n    a\n    b\r    c\r\nx\n", "f", "def f():\n    a\n    B\n    c\n",
			"def f():\r\n    a\n    B\r    c\r\nx\n"},
		"mixed ends, more lines": {"def f():\r\n    a\n    c\r\nx\n", "f", "def f():\n    a\n    b\n    b2\n    c\n",
			"def f():\r\n    a\n    b\n    b2\n    c\r\nx\n"},
		"no final line end": {"def f(): pass", "f", "def f():\n    return 1\n", "def f():\n    return 1"},
		"strings keep their bytes": {"class A:\n  def f(self): pass\n", "A.f",
			"def f(self):\n    return '''\n  a\n\tb\n'''\n", "class A:\n  def f(self):\n    return '''\n  a\n\tb\n'''\n"},
		"joined strings keep their bytes": {"class A:\n  def f(self): pass\n", "A.f", "def f(self):\n    return 'a\\\n  b'\n",
			"class A:\n  def f(self):\n    return 'a\\\n  b'\n"},
		"f-strings keep their bytes": {"class A:\n  def f(self): pass\n", "A.f",
			"def f(self):\n    return f'''\n  {a\n   +b}\n'''\n",
			"class A:\n  def f(self):\n    return f'''\n  {a\n   +b}\n'''\n"},
		"form feed stays": {"\fdef f(): pass\n\f\nx = 1\n", "f", "def f(): return 1",
			"\fdef f(): return 1\n\f\nx = 1\n"},
		"one-line body in a nested place": {"if 1:\n  def f(): pass\n", "f", "def f():\n    return 1",
			"if 1:\n  def f():\n    return 1\n"},
		"flat file takes its unit": {"def f(): pass\n", "f", "def f():\n  return 1", "def f():\n    return 1\n"},
		"comments move with their level": {"class A:\n  def f(self): pass\n", "A.f",
			"def f(self):\n        # a\n    if 1:\n        # b\n        pass\n    # c\n# d\n    x\n",
			"class A:\n  def f(self):\n        # a\n    if 1:\n      # b\n      pass\n    # c\n  # d\n    x\n"},
		"async":                  {"def f(): pass\n", "f", "async def f(): pass", "async def f(): pass\n"},
		"a class for a function": {"def f(): pass\n", "f", "class f: pass", "class f: pass\n"},
		"nested": {"def f():\n    def g(): pass\n    return g\n", "f.g", "def g():\n    return 1",
			"def f():\n    def g():\n        return 1\n    return g\n"},
		"the second of two": {"def f(): pass\ndef f(): pass\n", "f#2", "def f(): return 1",
			"def f(): pass\ndef f(): return 1\n"},
		"blanks around the text go": {"def f(): pass\n", "f", "\n\n  \ndef f(): return 1\n\n\n", "def f(): return 1\n"},
		"irregular steps stay": {"class A:\n    def f(self):\n      if 1:\n            a\n      b\n", "A.f",
			"    def f(self):\n      if 1:\n            a\n      c\n",
			"class A:\n    def f(self):\n      if 1:\n            a\n      c\n"},
		"comments left of the block stay": {"class A:\n    def f(self):\n        a\n# x\n        b\n", "A.f",
			"    def f(self):\n        a\n# x\n        c\n", "class A:\n    def f(self):\n        a\n# x\n        c\n"},
		"backslash behind the last line": {"def f(): pass\\\n\nx = 1\n", "f", "def f(): return 1",
			"def f(): return 1\\\n\nx = 1\n"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			change, err := open(t, c.before).Update(c.name, c.content)
			require.NoError(t, err)
			require.Equal(t, c.after, applied(t, c.before, change))
		})
	}
}

func TestRemove(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ before, name, after string }{
		"function":                 {"x = 1\n\n\ndef f():\n    pass\n\n\ny = 1\n", "f", "x = 1\n\n\ny = 1\n"},
		"first":                    {"def f():\n    pass\n\n\ny = 1\n", "f", "y = 1\n"},
		"last":                     {"x = 1\n\n\ndef f():\n    pass\n", "f", "x = 1\n"},
		"last without line end":    {"x = 1\n\n\ndef f():\n    pass", "f", "x = 1"},
		"only":                     {"\n\n@d\ndef f():\n    pass\n\n", "f", ""},
		"only with comment":        {"# about\ndef f(): pass\n", "f", ""},
		"only but a comment apart": {"# about\n\ndef f(): pass\n", "f", "# about\n"},
		"shebang stays":            {"#!/usr/bin/python\n# about\ndef f(): pass\n", "f", "#!/usr/bin/python\n"},
		"decorators and comment":   {"x = 1\n\n# about\n@a\n@b\ndef f(): pass\n\ny = 1\n", "f", "x = 1\n\ny = 1\n"},
		"pass": {"class A:\n    def m(self): pass\n\n\nx = 1\n", "A.m",
			"class A:\n    pass\n\n\nx = 1\n"},
		"pass before a comment": {"class A:\n    def m(self):\n        pass\n        # end\n    # note\n", "A.m",
			"class A:\n    pass\n        # end\n    # note\n"},
		"pass before an earlier comment": {"class A:\n    # note\n\n    def m(self):\n        pass\n", "A.m",
			"class A:\n    pass\n    # note\n"},
		"docstring is enough": {"class A:\n    '''doc'''\n\n    def m(self): pass\n", "A.m",
			"class A:\n    '''doc'''\n"},
		"pass in a branch": {"if x:\n    def f(): pass\nelse:\n    def f(): pass\n", "f#2",
			"if x:\n    def f(): pass\nelse:\n    pass\n"},
		"middle method": {"class A:\n    def a(self): pass\n\n    def b(self): pass\n\n    def c(self): " +
			"pass\n", "A.b", "class A:\n    def a(self): pass\n\n    def c(self): pass\n"},
		"first method": {"class A:\n    def a(self): pass\n\n    def b(self): pass\n", "A.a",
			"class A:\n    def b(self): pass\n"},
		"last method": {"class A:\n    def a(self): pass\n\n    def b(self): pass\n\n\nx = 1\n", "A.b",
			"class A:\n    def a(self): pass\n\n\nx = 1\n"},
		"dense": {"a = 1\ndef f(): pass\nb = 1\n", "f", "a = 1\nb = 1\n"},
		"many blanks": {"a = 1\n\n\n\n\ndef f(): pass\n\n\n\nb = 1\n\n\n\n\nc = 1\n", "f",
			"a = 1\n\n\nb = 1\n\n\n\n\nc = 1\n"},
		"form feed line stays":          {"a = 1\n\f\ndef f(): pass\n\f\nb = 1\n", "f", "a = 1\n\f\n\f\nb = 1\n"},
		"inside trailing comment stays": {"def f():\n    pass\n    # end\n\nx = 1\n", "f", "    # end\n\nx = 1\n"},
		"crlf":                          {"x = 1\r\n\r\ndef f():\r\n    pass\r\n", "f", "x = 1\r\n"},
		"blank line of a joined line":   {"x = 1 \\\n\ndef f(): pass\ny = 2\n", "f", "x = 1 \\\n\ny = 2\n"},
		"nested in a function": {"def f():\n    def g():\n        pass\n    return 1\n", "f.g",
			"def f():\n    return 1\n"},
		"a class":               {"class A:\n    x = 1\n\n\nclass B:\n    pass\n", "A", "class B:\n    pass\n"},
		"comment with a region": {"#region r\n# about\ndef f(): pass\n#endregion\n", "f", "#region r\n#endregion\n"},
		"comment of another level": {"class A:\n    x = 1\n# about\n    def m(self): pass\n", "A.m",
			"class A:\n    x = 1\n# about\n"},
		"semicolon": {"def f(): pass;\nx = 1\n", "f", "x = 1\n"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			change, _, err := open(t, c.before).Remove(c.name)
			require.NoError(t, err)
			require.Equal(t, c.after, applied(t, c.before, change))
		})
	}
}

func TestAdd(t *testing.T) {
	t.Parallel()
	f, m := "def f():\n  return 1\n", "def m(self):\n  return 1\n"
	for name, c := range map[string]struct {
		before, name, content string
		anchor                edit.Anchor
		after                 string
	}{
		"bottom":                   {"x = 1\n", "f", f, edit.Anchor{}, "x = 1\n\n\ndef f():\n    return 1\n"},
		"empty file":               {"", "f", f, edit.Anchor{}, "def f():\n    return 1\n"},
		"no final line end":        {"x = 1", "f", f, edit.Anchor{}, "x = 1\n\n\ndef f():\n    return 1\n"},
		"bottom below blank lines": {"x = 1\n\n\n\n", "f", f, edit.Anchor{}, "x = 1\n\n\ndef f():\n    return 1\n\n\n\n"},
		"top of nothing":           {"x = 1\n", "f", f, edit.Anchor{Type: "top"}, "def f():\n    return 1\n\n\nx = 1\n"},
		"top": {"#!/usr/bin/python\n# -*- coding: utf-8 -*-\n'''doc'''\nfrom __future__ import " +
			"annotations\n\nimport os\n__all__ = ['f']\ntry:\n    import a\nexcept ImportError:\n    a = None\n\nx = 1\n", "f",
			f, edit.Anchor{Type: "top"}, "#!/usr/bin/python\n# -*- coding: utf-8 -*-\n'''doc'''\nfrom __future__ import " +
				"annotations\n\nimport os\n__all__ = ['f']\ntry:\n    import a\nexcept ImportError:\n    a = None\n\n\ndef " +
				"f():\n    return 1\n\n\nx = 1\n"},
		"top below a shebang": {"#!/usr/bin/python\nx = 1\n", "f", f, edit.Anchor{Type: "top"},
			"#!/usr/bin/python\n\n\ndef f():\n    return 1\n\n\nx = 1\n"},
		"top below a licence": {"# (c) me\n# all\n\nx = 1\n", "f", f, edit.Anchor{Type: "top"},
			"# (c) me\n# all\n\n\ndef f():\n    return 1\n\n\nx = 1\n"},
		"top above a note": {"# about x\nx = 1\n", "f", f, edit.Anchor{Type: "top"},
			"def f():\n    return 1\n\n\n# about x\nx = 1\n"},
		"before": {"x = 1\n\n# about g\n@d\ndef g(): pass\n", "f", f, edit.Anchor{Type: "before",
			Symbol: "g"}, "x = 1\n\n\ndef f():\n    return 1\n\n\n# about g\n@d\ndef g(): pass\n"},
		"before the first": {"def g(): pass\n", "f", f, edit.Anchor{Type: "before", Symbol: "g"},
			"def f():\n    return 1\n\n\ndef g(): pass\n"},
		"after": {"def g():\n pass\n # end\nx = 1\n", "f", f, edit.Anchor{Type: "after", Symbol: "g"},
			"def g():\n pass\n # end\n\n\ndef f():\n return 1\n\n\nx = 1\n"},
		"after the last": {"def g(): pass\n", "f", f, edit.Anchor{Type: "after", Symbol: "g"},
			"def g(): pass\n\n\ndef f():\n    return 1\n"},
		"class bottom": {"class A:\n\tx = 1\n\t# end\n\n\ny = 1\n", "A.m", m, edit.Anchor{},
			"class A:\n\tx = 1\n\t# end\n\n\tdef m(self):\n\t\treturn 1\n\n\ny = 1\n"},
		"class top": {"class A:\n    x = 1\n", "A.m", m, edit.Anchor{Type: "top"},
			"class A:\n    def m(self):\n        return 1\n\n    x = 1\n"},
		"class top below docstring": {"class A:\n    '''doc'''\n    x = 1\n", "A.m", m, edit.Anchor{Type: "top"},
			"class A:\n    '''doc'''\n\n    def m(self):\n        return 1\n\n    x = 1\n"},
		"class of a docstring": {"class A:\n    '''doc'''\n\n\nx = 1\n", "A.m", m, edit.Anchor{Type: "top"},
			"class A:\n    '''doc'''\n\n    def m(self):\n        return 1\n\n\nx = 1\n"},
		"after a method": {"class A:\n    def a(self): pass\n    def b(self): pass\n", "A.m", m,
			edit.Anchor{Type: "after", Symbol: "A.a"}, "class A:\n    def a(self): pass\n\n    def m(self):\n        return " +
				"1\n\n    def b(self): pass\n"},
		"before a method": {"class A:\n    def a(self): pass\n", "A.m", m, edit.Anchor{Type: "before",
			Symbol: "A.a"}, "class A:\n    def m(self):\n        return 1\n\n    def a(self): pass\n"},
		"one-line class": {"class A: x = 1; y = 2  # c\nz = 1\n", "A.m", m, edit.Anchor{},
			"class A:\n    x = 1; y = 2  # c\n\n    def m(self):\n        return 1\nz = 1\n"},
		"one-line class top": {"class A: x = 1; y = 2", "A.m", m, edit.Anchor{Type: "top"},
			"class A:\n    def m(self):\n        return 1\n\n    x = 1; y = 2"},
		"one-line class docstring": {"class A: '''doc'''", "A.m", m, edit.Anchor{Type: "top"},
			"class A:\n    '''doc'''\n\n    def m(self):\n        return 1\n"},
		"crlf": {"x = 1\r\n", "f", f, edit.Anchor{}, "x = 1\r\n\r\n\r\ndef f():\r\n    return 1\r\n"},
		"overload": {"@overload\ndef f(a: int): ...\n", "f", f, edit.Anchor{},
			"@overload\ndef f(a: int): ...\n\n\ndef f():\n    return 1\n"},
		"setter": {"class A:\n    @property\n    def m(self): pass\n", "A.m",
			"@m.setter\ndef m(self, v): pass\n", edit.Anchor{Type: "after", Symbol: "A.m"},
			"class A:\n    @property\n    def m(self): pass\n\n    @m.setter\n    def m(self, v): pass\n"},
		"nested function": {"def g():\n    return 1\n", "g.f", f, edit.Anchor{Type: "top"},
			"def g():\n    def f():\n        return 1\n\n    return 1\n"},
		"in a branch": {"if x:\n    def g(): pass\nelse:\n    pass\n", "f", f, edit.Anchor{Type: "after",
			Symbol: "g"}, "if x:\n    def g(): pass\n\n    def f():\n        return 1\nelse:\n    pass\n"},
		"with comment and decorators": {"x = 1\n", "f", "# about\n@d\n" + f, edit.Anchor{},
			"x = 1\n\n\n# about\n@d\ndef f():\n    return 1\n"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, change, err := open(t, c.before).Add(c.name, c.content, c.anchor)
			require.NoError(t, err)
			require.Equal(t, c.after, applied(t, c.before, change))
			lines := document.Lines(c.after)
			first := strings.TrimSpace(c.after[lines[change.Start-1].Start:lines[change.Start-1].End])
			require.Equal(t, strings.TrimSpace(strings.SplitN(c.content, "\n", 2)[0]), first)
		})
	}
}

func TestSetVariable(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ before, name, declaration, after string }{
		"plain":               {"x = 1\ny = 2\n", "x", "x = 3", "x = 3\ny = 2\n"},
		"comment stays":       {"x = 1  # c\n", "x", "x: int = 3\n", "x: int = 3  # c\n"},
		"comment is replaced": {"x = 1  # c\n", "x", "x = 3 # d", "x = 3  # d\n"},
		"comment is added":    {"x = 1\n", "x", "x = 3 # d", "x = 3  # d\n"},
		"shared line":         {"x = 1; y = 2; z = 3  # c\n", "y", "y = 5", "x = 1; y = 5; z = 3  # c\n"},
		"several lines": {"x = [\n    1,\n    2,\n]\ny = 1\n", "x", "x = {\n    1: 2,\n}",
			"x = {\n    1: 2,\n}\ny = 1\n"},
		"class level": {"class A:\n    x = [\n        1,\n    ]\n", "A.x", "x = [\n    1,\n    2,\n]",
			"class A:\n    x = [\n        1,\n        2,\n    ]\n"},
		"stripped": {"class A:\n    x = [\n        1,\n    ]\n", "A.x", "x = [\n        1,\n        2,\n    ]",
			"class A:\n    x = [\n        1,\n        2,\n    ]\n"},
		"one-line class": {"class A: x = 1; y = 2\n", "A.y", "y = 3", "class A: x = 1; y = 3\n"},
		"the second":     {"x = 1\nif y:\n    x = 2\n", "x#2", "x = 3", "x = 1\nif y:\n    x = 3\n"},
		"crlf string":    {"x = '''a\r\nb'''\r\n", "x", "x = '''a\nc'''", "x = '''a\r\nc'''\r\n"},
		"annotation":     {"x: int\n", "x", "x: str", "x: str\n"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			change, err := open(t, c.before).SetVariable(c.name, c.declaration)
			require.NoError(t, err)
			require.Equal(t, c.after, applied(t, c.before, change))
		})
	}
}

func TestSetSignature(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ before, name, signature, after string }{
		"plain":         {"def f(a):\n    pass\n", "f", "def f(a, b) -> int:", "def f(a, b) -> int:\n    pass\n"},
		"no colon":      {"def f(a): pass  # c\n", "f", "def f(a, b) -> int", "def f(a, b) -> int: pass  # c\n"},
		"comment stays": {"@d\ndef f(a):  # c\n    pass\n", "f", "def f():", "@d\ndef f():  # c\n    pass\n"},
		"same comment":  {"def f(a):  # c\n    pass\n", "f", "def f():  # c", "def f():  # c\n    pass\n"},
		"several lines": {"class A:\n    def m(\n        self,\n    ):\n        pass\n", "A.m",
			"def m(\n    self,\n    a,\n) -> int:", "class A:\n    def m(\n        self,\n        a,\n    ) -> int:\n        " +
				"pass\n"},
		"stripped": {"class A:\n    def m(\n        self,\n    ):\n        pass\n", "A.m",
			"def m(\n        self,\n        a,\n    ) -> int:",
			"class A:\n    def m(\n        self,\n        a,\n    ) -> int:\n        pass\n"},
		"async": {"def f(): pass\n", "f", "async def f():", "async def f(): pass\n"},
		"class": {"class A: pass\n", "A", "class A(B, metaclass=C):", "class A(B, metaclass=C): pass\n"},
		"type parameters": {"def f[T](a: T): pass\n", "f", "def f[T: (int, str)](a: T) -> T",
			"def f[T: (int, str)](a: T) -> T: pass\n"},
		"crlf": {"def f(a,\r\n      b):\r\n    pass\r\n", "f", "def f(a,\n      c,\n      d):",
			"def f(a,\r\n      c,\r\n      d):\r\n    pass\r\n"},
		"comment inside": {"def f(): pass\n", "f", "def f(a,  # one\n      b):", "def f(a,  # one\n      b): pass\n"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			change, _, err := open(t, c.before).SetSignature(c.name, c.signature)
			require.NoError(t, err)
			require.Equal(t, c.after, applied(t, c.before, change))
		})
	}
}
