package cfamily_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"manualslop/tools/cfamily"
)

func seeds(f *testing.F) []string {
	f.Helper()
	files, err := filepath.Glob("testdata/read/*")
	require.NoError(f, err)
	out := []string{
		"", "int f() {}", "#if 1\nint f(\n#else\nint f(\n#endif\n) {}\n", "R\"x(\n)x\"", "class A { A() : a{1} {} };",
		"\\\r\n/*", "template<class T>\nT f(T t) { return t; }\n",
		"int a(b) int b; {}", "#define X(a) __attribute__((a))\nX(y) int f() {}", "struct {", "operator()(",
		"enum class E : int { A };", "#", "\x00\xff{", "a::~b(){}",
	}
	for _, name := range files {
		if !strings.HasSuffix(name, ".txt") {
			raw, err := os.ReadFile(name)
			require.NoError(f, err)
			out = append(out, string(raw))
		}
	}
	return out
}

// FuzzRead checks what holds for every text: spans inside, order, and a clean-up of the same length
// and line ends.
func FuzzRead(f *testing.F) {
	for _, s := range seeds(f) {
		f.Add(s, true)
		f.Add(s, false)
	}
	f.Fuzz(func(t *testing.T, text string, plus bool) {
		language := cfamily.C
		if plus {
			language = cfamily.CPP
		}
		file := cfamily.Read(text, language, cfamily.Learn(text))
		checkFile(t, file)
		require.LessOrEqual(t, len(file.Problems()), 20)
		for _, s := range file.Symbols {
			require.NotEmpty(t, cfamily.Find(file.Symbols, s.Name+"#1"), "%q", s.Name)
		}
		_ = file.Skeleton()
		cfamily.Includes(text)
	})
}

// FuzzUpdate replaces a definition, and checks that the bytes around it stay and that the result
// defines the name and balances as it did.
func FuzzUpdate(f *testing.F) {
	for _, s := range seeds(f) {
		f.Add(s, uint8(0), "int f() {\n  return 2;\n}\n", true)
		f.Add(s, uint8(3), "", false)
	}
	f.Fuzz(func(t *testing.T, text string, pick uint8, content string, plus bool) {
		language := cfamily.C
		if plus {
			language = cfamily.CPP
		}
		file := cfamily.Read(text, language, cfamily.Macros{})
		if len(file.Symbols) == 0 {
			return
		}
		s := file.Symbols[int(pick)%len(file.Symbols)]
		if content == "" {
			content = file.Text[s.Start:s.End]
		}
		splice, err := file.Update(t.Context(), s, content)
		if err != nil {
			var problem *cfamily.UpdateError
			require.True(t, errors.As(err, &problem), "%v", err)
			require.NotContains(t, problem.Text, "\n")
			return
		}
		require.True(t, splice.Start >= s.Start && splice.Start <= splice.End && splice.End == s.End)
		result := text[:splice.Start] + splice.New + text[splice.End:]
		after := cfamily.Read(result, language, cfamily.Macros{})
		require.NotEmpty(t, cfamily.Find(after.Symbols, s.Name+"#1"))
		require.LessOrEqual(t, len(after.Problems()), max(len(file.Problems()), 0))
	})
}
