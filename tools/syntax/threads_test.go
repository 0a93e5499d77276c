package syntax_test

import (
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"manualslop/tools/syntax"
)

// An outline does not depend on what is parsed beside it or was parsed before: a grammar whose scanner keeps state in
// globals of C would fail here, and must be left out or run alone.
func TestOutlinesDoNotDependOnOtherParses(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("testdata/samples/*")
	require.NoError(t, err)
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			t.Parallel()
			language, ok := syntax.ByPath(file)
			require.True(t, ok)
			src, err := os.ReadFile(file)
			require.NoError(t, err)
			texts := pieces(src)
			alone := make([]string, len(texts))
			for i, text := range texts {
				alone[i] = shown(t, language, text)
				got, err := syntax.Outline(t.Context(), language, text)
				require.NoError(t, err)
				inside(t, language, got, len(text))
			}
			backwards := slices.Clone(texts)
			slices.Reverse(backwards)
			var wg sync.WaitGroup
			for thread, order := range [][][]byte{texts, backwards} {
				wg.Go(func() {
					for round := range 3 {
						for i, text := range order {
							if thread == 1 {
								i = len(texts) - 1 - i
							}
							if have := shown(t, language, text); have != alone[i] {
								t.Errorf("thread %d, round %d, text %d: alone\n%s\nbeside another parse\n%s", thread, round, i, alone[i], have)
								return
							}
						}
					}
				})
			}
			wg.Wait()
		})
	}
}

// pieces are a text, parts of it, and texts with strings and comments that are not closed, most of them broken.
func pieces(src []byte) [][]byte {
	out := [][]byte{src}
	for _, open := range []string{`"a`, "'a", "`a", "[==[ a ", "--[=[ a ", "<<EOF\na", "/* a", "{{ a", `"""a`,
		"<!-- a", "$$ a"} {
		out = append(out, slices.Concat(src, []byte(open)), slices.Concat([]byte(open+"\n"), src))
	}
	const parts = 24
	for i := range parts {
		at := len(src) * i / parts
		out = append(out, src[at:], src[:at], slices.Concat(src[:at], src[min(len(src), at+5):]))
	}
	return out
}
