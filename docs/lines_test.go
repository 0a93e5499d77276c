package docs_test

import (
	"bytes"
	"go/scanner"
	"go/token"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"
)

// maxLine is how many characters a line of Go code may have; a tab counts as one.
const maxLine = 120

func TestLinesOfGoCodeEndInTime(t *testing.T) {
	t.Parallel()
	eachFile(t, func(path string) {
		if !strings.HasSuffix(path, ".go") || strings.Contains(path, "testdata/") {
			return
		}
		src, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(path)))
		require.NoError(t, err)
		if bytes.Contains(src[:min(len(src), 400)], []byte("Code generated")) {
			return
		}
		for _, n := range longLines(src) {
			t.Errorf("%s:%d: the line has over %d characters; break it after a comma or an operator", path, n, maxLine)
		}
	})
}

// longLines are the numbers of the lines that are too long. Those that a literal
// makes too long alone are not among them: raw strings, tags of fields and other
// strings without a break.
func longLines(src []byte) []int {
	var long []int
	lines := strings.Split(string(src), "\n")
	tooLong := map[int]bool{}
	for i, line := range lines {
		if utf8.RuneCountInString(line) > maxLine {
			tooLong[i+1] = true
		}
	}
	if len(tooLong) == 0 {
		return nil
	}
	fset := token.NewFileSet()
	file := fset.AddFile("", fset.Base(), len(src))
	var s scanner.Scanner
	s.Init(file, src, nil, 0)
	for {
		pos, tok, literal := s.Scan()
		if tok == token.EOF {
			break
		}
		first := file.Line(pos)
		last := first + strings.Count(literal, "\n")
		if tok == token.STRING && (strings.HasPrefix(literal, "`") || utf8.RuneCountInString(literal) > maxLine/2) {
			for n := first; n <= last; n++ {
				delete(tooLong, n)
			}
		}
	}
	for i := range lines {
		if tooLong[i+1] {
			long = append(long, i+1)
		}
	}
	return long
}

func TestALongLineIsFoundAndALongLiteralIsNot(t *testing.T) {
	t.Parallel()
	words := strings.Repeat("a, ", 50)
	require.Empty(t, longLines([]byte("package a\n// "+strings.Repeat("x", maxLine-3)+"\n")))
	require.Equal(t, []int{2}, longLines([]byte("package a\n// "+strings.Repeat("x", maxLine-2)+"\n")))
	require.Equal(t, []int{2}, longLines([]byte("package a\nvar b = []int{"+words+"}\n")))
	require.Empty(t, longLines([]byte("package a\nvar b = `"+words+"\n"+words+"`\n")))
	require.Empty(t, longLines([]byte("package a\nvar b = \""+words+"\"\n")))
}
