package grammar_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"manualslop/tools/python/grammar"
)

// bindings lists the uses of a text as "name:context:scope that binds it".
func bindings(text string) string {
	var out []string
	for _, u := range grammar.Analyze(text).Uses {
		scope := "-"
		if u.Binding != nil {
			scope = strings.TrimSpace(u.Binding.Kind.String() + " " + u.Binding.Name)
		}
		out = append(out, fmt.Sprintf("%s:%s:%s", u.Name, u.Context, scope))
	}
	return strings.Join(out, "\n")
}

func TestNamesAreBoundByPythonsRules(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ text, want string }{
		"functions do not see the class around them": {
			"class A:\n    x = 1\n    def f(self):\n        return x\n",
			"A:definition:module\nx:store:class A\nf:definition:class A\nself:parameter:function f\nx:load:-",
		},
		"a class body reads the name around until it binds its own": {
			"x = d = 1\nclass A:\n    x = x\n    d: d\n    y = x\n    def f(self, f=f): pass\n    y: y = 1\n    for _ in d: " +
				"z, z = z, 1\n",
			"x:store:module\nd:store:module\nA:definition:module\nx:store:class A\nx:load:module\nd:declaration:class " +
				"A\nd:annotation:module\n" +
				"y:store:class A\nx:load:class A\nf:definition:class A\nself:parameter:function f\nf:parameter:function " +
				"f\nf:load:-\n" +
				"y:store:class A\ny:annotation:class A\n_:store:class A\nd:load:class A\nz:store:class A\nz:store:class " +
				"A\nz:load:class A",
		},
		"a default is read outside, a parameter bound inside": {
			"def f(a=b): a\n", "f:definition:module\na:parameter:function f\nb:load:-\na:load:function f",
		},
		"global and nonlocal": {
			"def f():\n    global g\n    g = n = 1\n    def h():\n        nonlocal n\n        n = g\n",
			"f:definition:module\ng:global:module\ng:store:module\nn:store:function f\nh:definition:function f\n" +
				"n:nonlocal:function f\nn:store:function f\ng:load:module",
		},
		"a walrus binds around the comprehension, its first iterable is read there": {
			"def f(xs):\n    return [y := x for x in xs]\n",
			"f:definition:module\nxs:parameter:function f\ny:store:function f\nx:load:comprehension listcomp\n" +
				"x:store:comprehension listcomp\nxs:load:function f",
		},
		"type parameters cover annotations and body": {
			"def f[T](x: T) -> T:\n    T\n",
			"f:definition:module\nT:type_parameter:type_parameters f\nx:parameter:function f\n" +
				"T:annotation:type_parameters f\nT:annotation:type_parameters f\nT:load:type_parameters f",
		},
		"imports": {
			"import a.b, c.d as e\nfrom m.n import x as y, z\n",
			"a:import:module\nb:import_path:-\nc:import_path:-\nd:import_path:-\ne:import:module\n" +
				"m:import_path:-\nn:import_path:-\nx:import_original:-\ny:import:module\nz:import:module",
		},
		"patterns capture": {
			"match p:\n    case A(x, k=y) | {'a': [*z], **r} as w if x: pass\n",
			"p:load:-\nA:load:-\nx:store:module\nk:keyword_argument:-\ny:store:module\nz:store:module\nr:store:module\nw:store:module\nx:load:module",
		},
		"private names belong to their class": {
			"class _A:\n    __x = 1\n    def f(self): return self.__x\n",
			"_A:definition:module\n__x:store:class _A\nf:definition:class _A\nself:parameter:function f\nself:load:function " +
				"f\n__x:attribute:-",
		},
		"what parses of a broken file is found": {
			"def f(x y):\n    a = 1\nb = 2\n", "a:store:module\nb:store:module",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			require.Equal(t, c.want, bindings(c.text))
		})
	}
}

func TestPrivateNamesHaveTheKeyThatPythonLooksUp(t *testing.T) {
	t.Parallel()
	names := grammar.Analyze("class _A:\n    __x = 1\n    __y__ = 2\n")
	require.Equal(t, "_A__x", names.Uses[1].Key)
	require.Equal(t, "__y__", names.Uses[2].Key)
	require.Contains(t, names.Scopes[1].Bound, "_A__x")
}

func TestCallsTellTheirCallee(t *testing.T) {
	t.Parallel()
	names := grammar.Analyze("@dec\n@reg(1)\ndef f(self):\n    self.run(1, *a, k=2, **b)\n    super().run()\n    g()()\n")
	var out []string
	for _, c := range names.Calls {
		out = append(out, fmt.Sprintf("%q %d %v %v %v %v", c.Callee, c.Positional, c.Keywords, c.Star, c.DoubleStar,
			c.Decorator))
	}
	require.Equal(t, []string{
		`"dec" 0 [] false false true`, `"reg" 1 [] false false true`, `"self.run" 1 [k] true true false`,
		`"super().run" 0 [] false false false`, `"super" 0 [] false false false`, `"" 0 [] false false false`,
		`"g" 0 [] false false false`,
	}, out)
	require.Equal(t, "f", names.Calls[2].Scope.Symbol.Path)
	require.Nil(t, names.Calls[0].Scope.Symbol)
}

func TestAttributesTellTheirObject(t *testing.T) {
	t.Parallel()
	for _, u := range grammar.Analyze("a.b.c = d[0].e\n").Uses {
		switch u.Name {
		case "c":
			require.Equal(t, "a.b", u.Object)
			require.Equal(t, grammar.Store, u.Access)
		case "e":
			require.Empty(t, u.Object)
			require.Equal(t, grammar.Load, u.Access)
		}
	}
}
