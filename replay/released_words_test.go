package replay_test

import (
	"flag"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

var words = flag.String("words", "", "record the words of this program's decisions as this release, such as v0.2.0")

// TestTheWordsOfReleasedDecisionsStay holds that the deciders, and the checks of package events that they quote, still
// have every text that they had in a release: with another wording a session that recorded the old one no longer
// replays. A later decision with other words keeps the old ones beside its own. A release adds its lists, and no list
// ever changes.
func TestTheWordsOfReleasedDecisionsStay(t *testing.T) {
	t.Parallel()
	now := strings.Join(decisionWords(t), "\n")
	if *words != "" {
		var list strings.Builder
		for _, word := range slices.Compact(slices.Sorted(slices.Values(decisionWords(t)))) {
			fmt.Fprintf(&list, "%q\n", word)
		}
		require.NoError(t, os.WriteFile(filepath.Join("testdata", "words", *words+".txt"), []byte(list.String()), 0o644))
	}
	lists, err := filepath.Glob("testdata/words/*.txt")
	require.NoError(t, err)
	require.NotEmpty(t, lists)
	for _, list := range lists {
		text, err := os.ReadFile(list)
		require.NoError(t, err)
		for line := range strings.Lines(string(text)) {
			word, err := strconv.Unquote(strings.TrimSpace(line))
			require.NoError(t, err, line)
			if !strings.Contains(now, word) {
				t.Errorf("%s has %q, and no decider does now", list, word)
			}
		}
	}
}

// decisionWords returns the texts of several words in the sources of the deciders and of what they call.
func decisionWords(t *testing.T) []string {
	t.Helper()
	var out []string
	for _, folder := range []string{"events", "tiers", "tiers/approval", "tiers/basis", "tiers/conductor",
		"tiers/contributor", "tiers/conversation", "tiers/fence", "tiers/lead", "tiers/planner", "tiers/planning",
		"tiers/qa"} {
		files, err := filepath.Glob(filepath.Join("..", folder, "*.go"))
		require.NoError(t, err)
		for _, file := range files {
			if strings.HasSuffix(file, "_test.go") {
				continue
			}
			parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, 0)
			require.NoError(t, err)
			ast.Inspect(parsed, func(n ast.Node) bool {
				if call, is := n.(*ast.CallExpr); is {
					if f, is := call.Fun.(*ast.Ident); is && f.Name == "Define" { // descriptions of types are not decisions
						return false
					}
				}
				e, is := n.(ast.Expr)
				if !is {
					return true
				}
				text, whole := literal(e)
				if whole && strings.Contains(strings.TrimSpace(text), " ") {
					out = append(out, text)
				}
				return !whole
			})
		}
	}
	return out
}

// literal returns the text of string literals that are put together, and whether an expression is nothing else.
func literal(e ast.Expr) (text string, whole bool) {
	switch e := e.(type) {
	case *ast.BasicLit:
		text, err := strconv.Unquote(e.Value)
		return text, err == nil && e.Kind == token.STRING
	case *ast.BinaryExpr:
		left, one := literal(e.X)
		right, two := literal(e.Y)
		return left + right, one && two && e.Op == token.ADD
	}
	return "", false
}
