package cfamily_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"manualslop/tools/cfamily"
)

// Every file in testdata/read has its structure beside it.
func TestReadGivesTheStructure(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("testdata/read/*")
	require.NoError(t, err)
	for _, name := range files {
		if strings.HasSuffix(name, ".txt") {
			continue
		}
		raw, err := os.ReadFile(name)
		require.NoError(t, err)
		language := cfamily.C
		if cfamily.OnlyCPP(name) {
			language = cfamily.CPP
		}
		file := cfamily.Read(string(raw), language, cfamily.Macros{})
		have := shown(file)
		if *update {
			require.NoError(t, os.WriteFile(name+".txt", []byte(have), 0o644))
		}
		want, err := os.ReadFile(name + ".txt")
		require.NoError(t, err)
		require.Equal(t, string(want), have, name)
		checkFile(t, file)
	}
}

func shown(file *cfamily.File) string {
	var b strings.Builder
	for _, s := range file.Symbols {
		fmt.Fprintf(&b, "%s%s %s%s lines %d-%d name %d", strings.Repeat("  ", s.Depth), s.Kind, s.Name, s.Arguments,
			s.StartLine, s.EndLine, s.Line)
		for mark, is := range map[string]bool{" declaration": s.Declaration, " minor": s.Minor} {
			if is {
				b.WriteString(mark)
			}
		}
		if s.Of > 1 {
			fmt.Fprintf(&b, " #%d of %d", s.Ordinal, s.Of)
		}
		if s.Bases != "" {
			fmt.Fprintf(&b, " bases %q", s.Bases)
		}
		fmt.Fprintf(&b, " signature %q", file.Text[s.Start:s.SignatureEnd])
		if s.Doc != "" {
			fmt.Fprintf(&b, " doc %q", s.Doc)
		}
		b.WriteString("\n")
	}
	return b.String()
}

// checkFile checks what holds for every text.
func checkFile(t testing.TB, file *cfamily.File) {
	t.Helper()
	size := len(file.Text)
	cleaned := file.Cleaned()
	require.Len(t, cleaned, size)
	for i := range cleaned {
		if c := file.Text[i]; cleaned[i] != c {
			require.Equal(t, byte(' '), cleaned[i], "only blanks are put in")
			require.NotContains(t, "\r\n", string(c), "line ends stay")
		}
	}
	last := 0
	for _, s := range file.Symbols {
		require.True(t, 0 <= s.Start && s.Start <= s.Head && s.Head <= s.End && s.End <= size && s.Start <= s.SignatureEnd &&
			s.SignatureEnd <= s.End, "%+v", s)
		require.True(t, s.BodyEnd == 0 && s.BodyStart == 0 || s.Start <= s.BodyStart && s.BodyStart < s.BodyEnd &&
			s.BodyEnd <= s.End, "%+v", s)
		require.True(t, 1 <= s.StartLine && s.StartLine <= s.EndLine, "%+v", s)
		require.True(t, 1 <= s.Ordinal && s.Ordinal <= s.Of)
		require.NotEmpty(t, s.Name)
		require.NotEmpty(t, s.Kind)
		require.GreaterOrEqual(t, s.Start, last, "in source order")
		last = s.Start
	}
}

// A macro call without ";" in a class hides neither the constructor behind it nor begins it.
func TestAMacroInAClassIsNoPartOfWhatFollows(t *testing.T) {
	t.Parallel()
	for text, want := range map[string][]string{
		"class A {\n Q_DECLARE_PRIVATE(A)\npublic:\n A();\n A(int x) : a(x) { }\n};\n": {"class A 1-6", "constructor A::A 4-4",
			"constructor A::A 5-5"},
		"class A {\n DECL_A(x)\n public:\n A() : a(1) { }\n ~A() { }\n};\n": {"class A 1-6", "constructor A::A 4-4",
			"destructor A::~A 5-5"},
		"class A {\n X(1)\n A() { }\n};\n":                  {"class A 1-4", "constructor A::A 3-3"},
		"class A {\n X(1)\n ~A() { }\n};\n":                 {"class A 1-4", "destructor A::~A 3-3"},
		"class A {\n X(1)\n int f() { }\n};\n":              {"class A 1-4", "method A::f 2-3"},
		"class A {\n explicit(true)\n A() { }\n};\n":        {"class A 1-4", "constructor A::A 2-3"},
		"class A {\n MY_DEPRECATED(\"x\")\n A() { }\n};\n":  {"class A 1-4", "constructor A::A 2-3"},
		"class A {\n A(int x)\n : a(x) { }\n A() { }\n};\n": {"class A 1-5", "constructor A::A 2-3", "constructor A::A 4-4"},
		"class A {\n void f(int x)\n { }\n A() { }\n};\n":   {"class A 1-5", "method A::f 2-3", "constructor A::A 4-4"},
	} {
		var have []string
		for _, s := range cfamily.Read(text, cfamily.CPP, cfamily.Macros{}).Symbols {
			have = append(have, fmt.Sprintf("%s %s %d-%d", s.Kind, s.Name, s.StartLine, s.EndLine))
		}
		require.Equal(t, want, have, "%q", text)
	}
}
