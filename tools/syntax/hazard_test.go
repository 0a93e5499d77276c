package syntax_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"runtime"
	"runtime/debug"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"manualslop/tools/syntax"
)

func language(t testing.TB, name string) syntax.Language {
	t.Helper()
	l, ok := syntax.ByName(name)
	require.True(t, ok, name)
	return l
}

// resident is the memory of the process in bytes, as the kernel counts it; false where it does not
// tell.
func resident(t *testing.T) (int, bool) {
	t.Helper()
	raw, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		return 0, false
	}
	pages, err := strconv.Atoi(strings.Fields(string(raw))[1])
	require.NoError(t, err)
	return pages * os.Getpagesize(), true
}

// Not parallel: other tests would be counted in.
func TestMemoryStaysFlatOver100000Parses(t *testing.T) {
	if _, ok := resident(t); !ok {
		t.Skip("the system does not tell the memory of a process")
	}
	source := []byte(strings.Repeat("int add(int a, int b) { return a + b; }\nstruct p { int x; };\n", 4))
	damaged := []byte("int f( {{{ class ]")
	parse := func(n int) {
		for range n {
			for _, src := range [][]byte{source, damaged} {
				_, err := syntax.DamageOf(t.Context(), language(t, "cpp"), src)
				require.NoError(t, err)
			}
		}
	}
	settle := func() int {
		runtime.GC()
		debug.FreeOSMemory()
		size, _ := resident(t)
		return size
	}
	parse(500)
	before := settle()
	const rounds = 50_000 // two parses each
	parse(rounds)
	grown := settle() - before
	t.Logf("%d parses: %d KiB more resident", 2*rounds, grown>>10)
	limit := 32 << 20
	if raceDetector {
		limit = 150 << 20 // it remembers every goroutine
	}
	require.Less(t, grown, limit, "a leak of 2 KB a parse would show")
}

func TestHostileTextsEndWell(t *testing.T) {
	t.Parallel()
	n := 2_000
	if os.Getenv("SLOP_LOAD") == "full" {
		n = 50_000
	}
	texts := map[string]string{
		"empty":            "",
		"NUL":              "\x00\x00int f() {}\x00",
		"invalid UTF-8":    "\xff\xfe{\x80",
		"lone CR":          "a\rb\rc",
		"deep braces":      strings.Repeat("{", n),
		"deep parens":      strings.Repeat("(", n) + strings.Repeat(")", n),
		"deep classes":     strings.Repeat("class A {", n/10),
		"deep namespaces":  strings.Repeat("namespace a {", n/10) + strings.Repeat("}", n/10),
		"angles":           strings.Repeat("a<", n),
		"quotes":           strings.Repeat(`"`, n+1),
		"flat":             strings.Repeat("x = 1\n", n),
		"deep indentation": deepIndentation(150),
		"long line":        strings.Repeat("é", n),
	}
	for name, text := range texts {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for _, l := range syntax.Languages() {
				got, err := syntax.Outline(t.Context(), l, []byte(text))
				if err != nil {
					require.ErrorIs(t, err, syntax.ErrTooHard, l.Name())
					continue
				}
				inside(t, l, got, len(text))
			}
		})
	}
}

func deepIndentation(n int) string {
	var b strings.Builder
	for i := range n {
		b.WriteString(strings.Repeat(" ", i) + "class A:\n")
	}
	return b.String()
}

// inside checks that every place is one of the text.
func inside(t testing.TB, l syntax.Language, got syntax.Structure, size int) {
	t.Helper()
	for _, s := range got.Symbols {
		require.True(t, 0 <= s.Start && s.Start <= s.SignatureEnd && s.SignatureEnd <= s.End && s.End <= size, "%s %+v",
			l.Name(), s)
		require.True(t, 1 <= s.StartLine && s.StartLine <= s.Line && s.Line <= s.EndLine, "%s %+v", l.Name(), s)
		require.NotEmpty(t, s.Name)
		require.True(t, 1 <= s.Ordinal && s.Ordinal <= s.Of)
	}
	for _, d := range got.Damage {
		require.True(t, 0 <= d.Start && d.Start <= d.End && d.End <= size && d.Line >= 1, "%s %+v", l.Name(), d)
	}
}

func TestTooLargeAndCancelledAreRefused(t *testing.T) {
	t.Parallel()
	_, err := syntax.Outline(t.Context(), language(t, "go"), bytes.Repeat([]byte(" "), syntax.MaxSize+1))
	require.ErrorIs(t, err, syntax.ErrTooLarge)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err = syntax.Outline(ctx, language(t, "go"), []byte("package a"))
	require.ErrorIs(t, err, context.Canceled)
	_, err = syntax.Outline(t.Context(), syntax.Language{}, nil)
	require.ErrorIs(t, err, syntax.ErrNoLanguage)
}

func TestManyCallsAtOnceAgree(t *testing.T) {
	t.Parallel()
	src, err := os.ReadFile("testdata/samples/a.ts")
	require.NoError(t, err)
	want, err := syntax.Outline(t.Context(), language(t, "typescript"), src)
	require.NoError(t, err)
	var wg sync.WaitGroup
	for range 16 {
		wg.Go(func() {
			for range 20 {
				got, err := syntax.OutlineAnew(t.Context(), language(t, "typescript"), src)
				if err != nil || len(got.Symbols) != len(want.Symbols) {
					t.Errorf("%v, %d symbols", err, len(got.Symbols))
				}
			}
		})
	}
	wg.Wait()
}

func TestStructuresAreKeptByTextWithinLimits(t *testing.T) {
	t.Parallel()
	text := func(i int) []byte { return fmt.Appendf(nil, "package a\n\nfunc f%d() {}\n\nfunc (\n", i) }
	want, err := syntax.OutlineAnew(t.Context(), language(t, "go"), text(0))
	require.NoError(t, err)
	for range 2 {
		got, err := syntax.Outline(t.Context(), language(t, "go"), text(0))
		require.NoError(t, err)
		require.Equal(t, want, got)
		got.Symbols[0].Name, got.Damage[0].Line = "changed", 0
	}
	other, err := syntax.Outline(t.Context(), language(t, "c"), text(0))
	require.NoError(t, err)
	require.Empty(t, other.Symbols, "the language is a part of the key")
	for i := range 1_000 {
		got, err := syntax.Outline(t.Context(), language(t, "go"), text(i))
		require.NoError(t, err)
		require.Equal(t, fmt.Sprintf("f%d", i), got.Symbols[0].Name)
	}
	long := bytes.Repeat([]byte("var a = 1\n"), 15_000)
	for i := range 3 {
		got, err := syntax.Outline(t.Context(), language(t, "go"), append(text(i), long...))
		require.NoError(t, err)
		require.Greater(t, len(got.Symbols), 10_000)
	}
	texts, size := syntax.Kept()
	require.LessOrEqual(t, texts, 256)
	require.LessOrEqual(t, size, 20_000)
}

func TestDamageIsFound(t *testing.T) {
	t.Parallel()
	damage, err := syntax.DamageOf(t.Context(), language(t, "go"), []byte("package a\n\nfunc f( {\n}\n"))
	require.NoError(t, err)
	require.NotEmpty(t, damage)
	require.Equal(t, 3, damage[0].Line)
	damage, err = syntax.DamageOf(t.Context(), language(t, "go"), []byte("package a\n"))
	require.NoError(t, err)
	require.Empty(t, damage)
}

// TestDamagedTextsOfEveryKindSaySo has texts in which the parsers lose definitions.
func TestDamagedTextsOfEveryKindSaySo(t *testing.T) {
	t.Parallel()
	for language, texts := range map[string][]string{
		"yaml": {"key\na: 1\n{{ t }}\nb: 2\n", "a: 1\nb: [1, 2\nc: 3\n", "a:\n  b: 1\n c: 2\nd: 3\n", "a:\n\tb: 1\nc: 2\n",
			"a: \"open\nb: 1\n", "a: b: c\n", "- a\nb: 1\n", "a: 'it's'\nb: 1\n", "a: {b: 1\nd: 2\n", "a: @b\n"},
		"sql": {"CREATE TABLE a (x int));\n", "CREATE TABLE (x int);\n", "CREATE TABLE;\n", "CREATE TABLE a (x int;\n",
			"CREATE PROCEDURE p() BEGIN SELECT 1;\nCREATE TABLE c (y int);\n", "CREATE TABLE a (x text DEFAULT 'b);\n",
			"/* a\nCREATE TABLE a (x int);\n", "CREATE FUNCTION f() AS $$ begin;\n"},
		"javascript": {"(() => {\n function a( { }\n function b() {}\n})();\n", "(() => {\n function a() {}\n"},
	} {
		of, ok := syntax.ByName(language)
		require.True(t, ok)
		for _, text := range texts {
			got, err := syntax.Outline(t.Context(), of, []byte(text))
			require.NoError(t, err)
			require.NotEmpty(t, got.Damage, text)
			damage, err := syntax.DamageOf(t.Context(), of, []byte(text))
			require.NoError(t, err)
			require.Equal(t, got.Damage, damage, text)
		}
	}
}

// TestAStatementOfSQLWithoutItsEndHidesNoOther has a CREATE at the start of a line inside of another statement.
func TestAStatementOfSQLWithoutItsEndHidesNoOther(t *testing.T) {
	t.Parallel()
	sql, _ := syntax.ByName("sql")
	got, err := syntax.Outline(t.Context(), sql, []byte("CREATE TABLE a (x int)\nCREATE TABLE b (y int;\nCREATE OR REPLACE "+
		"FUNCTION f() RETURNS int AS 'x';\n"))
	require.NoError(t, err)
	var names []string
	for _, s := range got.Symbols {
		names = append(names, s.Name)
	}
	require.Equal(t, []string{"a", "b", "f"}, names)
	require.Len(t, got.Damage, 1)
}

func TestLanguagesAreFoundByNameAndPath(t *testing.T) {
	t.Parallel()
	require.Len(t, syntax.Languages(), 22)
	for path, want := range map[string]string{
		"a/b.go": "go", `c:\x\B.HPP`: "cpp", "x/Dockerfile": "dockerfile", "a.d.ts": "typescript", "b.tsx": "tsx", "Gemfile": "ruby",
	} {
		l, ok := syntax.ByPath(path)
		require.True(t, ok, path)
		require.Equal(t, want, l.Name())
	}
	for _, path := range []string{"", "a", "a.unknown", ".go/x"} {
		_, ok := syntax.ByPath(path)
		require.False(t, ok, path)
	}
	l, ok := syntax.ByName("TS")
	require.True(t, ok)
	require.Equal(t, "typescript", l.Name())
}

func FuzzOutline(f *testing.F) {
	for i, l := range syntax.Languages() {
		f.Add(uint8(i), []byte("class A { void f() {} }\nfunc g() {}\n# x\n"+l.Name()))
	}
	f.Fuzz(func(t *testing.T, pick uint8, src []byte) {
		all := syntax.Languages()
		l := all[int(pick)%len(all)]
		got, err := syntax.Outline(t.Context(), l, src)
		if errors.Is(err, syntax.ErrTooHard) { // see TestAParseIsGivenUpAtItsLimit
			return
		}
		require.NoError(t, err)
		inside(t, l, got, len(src))
	})
}
