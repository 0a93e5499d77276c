package project

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/require"
)

func FuzzRenamingOneFileIsUndoneByRenamingBack(f *testing.F) {
	for _, text := range []string{
		"def f(a, b=1):\n    global x\n    x = a\n    return f(a=b)\n",
		"class A:\n    __slots__ = ('x', '__y')\n    def m(self):\n        self.x = self.__y = 1\n        return A.m\n",
		"from os import path\nimport sys as s\n__all__ = ['path', 's']\nprint(f'{path!r:>{s}}')\n",
		"x = [y for y in (lambda x: x)(1)]\r\nmatch x:\r\n    case [y, *z]: pass\r\n",
		"\xef\xbb\xbf# coding: utf-8\nｘ = 1\rdel x\n",
		"type T[K] = list[K]\ndef g[T: int](a: T) -> T:\n    nonlocal_ = a\n    def h():\n        nonlocal a\n        a = 1\n",
		"try:\n    import a\nexcept E as a:\n    a = None\nwith a as (b, c): b.c = a\nfor a.b in c: pass\n",
	} {
		f.Add(text, uint(1))
	}
	f.Fuzz(func(t *testing.T, text string, pick uint) {
		files := []File{{"a.py", []byte(text)}}
		p := New(files)
		u := p.Unit("a.py")
		uses := u.Names().Uses
		if len(uses) == 0 {
			return
		}
		use := uses[pick%uint(len(uses))]
		const fresh = "zz_fresh"
		there, err := p.Rename(t.Context(), RenameQuery{Path: "a.py", Name: use.Name, New: fresh})
		if err != nil {
			requirePolite(t, err)
			return
		}
		changed := renamed(t, files, there)
		back, err := New(changed).Rename(t.Context(), RenameQuery{Path: "a.py", Name: fresh, New: use.Name})
		if err != nil {
			requirePolite(t, err) // such as for a name that may be had but not given
			return
		}
		if there.Count == back.Count && u.Text() == string(files[0].Data) && u.spelledPlainly(there) {
			require.Equal(t, string(files[0].Data), string(renamed(t, changed, back)[0].Data))
		}
	})
}

// spelledPlainly tells whether every changed name was written in NFKC, so that renaming back can
// restore it, and was no import that got an alias.
func (u *Unit) spelledPlainly(r Renaming) bool {
	for _, s := range r.Files[0].Splices {
		if s.Start == s.End || u.Text()[s.Start:s.End] != u.spelling(s.Start) {
			return false
		}
	}
	return true
}

// spelling is the name at offset as Python normalises it, or the text itself in a string.
func (u *Unit) spelling(offset int) string {
	if use := u.use(offset); use != nil {
		return use.Name
	}
	for _, name := range u.listed("__all__") {
		if name.at.Start == offset {
			return name.text
		}
	}
	return ""
}

func requirePolite(t *testing.T, err error) {
	t.Helper()
	var refused *RenameError
	var missing *NotFoundError
	var ambiguous *AmbiguousError
	require.True(t, errors.As(err, &refused) || errors.As(err, &missing) || errors.As(err, &ambiguous), "%v", err)
	require.NotContains(t, err.Error(), "\n")
}

func FuzzQuestionsAboutAnyTextEnd(f *testing.F) {
	f.Add("class A(B): ...\nclass B(A): ...\nx = A().m\n", "A")
	f.Add("from a import *\nimport a as b\nb.b.b()\n", "b")
	f.Add("def f(:\n  (x\n", "x")
	f.Add("x.y = (lambda: x.y)()[x](y=1)\n@x\ndef y(): super().y\n", "y")
	f.Fuzz(func(t *testing.T, text, name string) {
		if !ValidName(name) {
			return
		}
		p := New([]File{{"a.py", []byte(text)}})
		all := func(string) bool { return true }
		_, err := p.Usages(t.Context(), UsageQuery{Name: name, Within: all, Others: true, Strings: true})
		if err != nil {
			requirePolite(t, err)
		}
		if _, err = p.Hierarchy(t.Context(), name, all, all); err != nil {
			requirePolite(t, err)
		}
		if _, err = p.Calls(t.Context(), CallQuery{Target: name}); err != nil {
			requirePolite(t, err)
		}
	})
}
