package docs_test

import (
	"go/scanner"
	"go/token"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"manualslop/events"
)

// A name of an event in quotation marks is not noticed when the event gets
// another one; events.NameOf is.
func TestEventsAreNamedByTheirTypes(t *testing.T) {
	t.Parallel()
	eachFile(t, func(path string) {
		if !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") ||
			strings.Contains(path, "testdata/") || strings.HasPrefix(path, "events/") {
			return
		}
		src, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(path)))
		require.NoError(t, err)
		for name, line := range eventLiterals(src) {
			t.Errorf("%s:%d: write events.NameOf[events.%s]() instead of %q", path, line, name, name)
		}
	})
	require.Equal(t, map[string]int{"AskRaised": 2}, eventLiterals([]byte("package p\nvar s = `AskRaised`+\"Asked\"")))
}

// eventLiterals are the names of events that are whole string literals, and the line of each.
func eventLiterals(src []byte) map[string]int {
	found := map[string]int{}
	file := token.NewFileSet().AddFile("", -1, len(src))
	var s scanner.Scanner
	s.Init(file, src, nil, 0)
	for {
		pos, tok, literal := s.Scan()
		if tok == token.EOF {
			return found
		}
		if tok != token.STRING {
			continue
		}
		text, err := strconv.Unquote(literal)
		if _, known := events.Catalogue().Lookup(text); err == nil && known {
			found[text] = file.Line(pos)
		}
	}
}
