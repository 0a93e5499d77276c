package search_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"manualslop/projections/search"
)

func TestAQueryThatIsWrongSaysWhereAndWhatInstead(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"":                       "there is nothing to search for",
		"  \t ":                  "there is nothing to search for",
		`word "open`:             "a quote is not closed at character 6",
		`ä "open`:                "a quote is not closed at character 3",
		"word tikcet:T-1":        `there is no qualifier "tikcet" at character 6. The nearest is ticket:.`,
		"type:ToolSetled":        "The nearest is ToolSettled;",
		"tier:5":                 `there is no tier "5" at character 6`,
		"tier:":                  "tier: has no value",
		"before:tomorrow":        `"tomorrow" is not a time at character 8`,
		"after:-3d":              "is not a time",
		"after:1d after:2d":      "a time is given twice",
		"-type:ToolSettled":      "a qualifier cannot be excluded",
		"p*":                     "the word before * is too short",
		"*":                      "* is not allowed after more than one word",
		"pa*rs":                  "* is not allowed inside a word",
		"foo_ba*":                "* is not allowed after more than one word",
		"word ...":               `"..." has no word at character 6`,
		`""`:                     "has no word",
		strings.Repeat("x", 129): "has no word",
		"\xff":                   "not UTF-8",
		"(a+)+$":                 "",
		"-":                      "has no word",
		"http://x.y/z":           "",
		"std::move":              "",
		"-word":                  "",
	} {
		_, err := search.Parse(text, now())
		if want == "" {
			require.NoError(t, err, text)
			continue
		}
		var wrong *search.QueryError
		require.ErrorAs(t, err, &wrong, text)
		require.Contains(t, err.Error(), want, text)
	}
}

func TestQueriesAreBounded(t *testing.T) {
	t.Parallel()
	_, err := search.Parse(strings.Repeat("ab ", search.MaxTerms), now())
	require.NoError(t, err)
	_, err = search.Parse(strings.Repeat("ab ", search.MaxTerms+1), now())
	require.ErrorContains(t, err, "more than 32 terms")
	_, err = search.Parse("ab"+strings.Repeat(" ", search.MaxQuery-2), now())
	require.NoError(t, err)
	_, err = search.Parse("ab"+strings.Repeat(" ", search.MaxQuery-1), now())
	require.ErrorContains(t, err, "over 1024 bytes")
}

func FuzzParse(f *testing.F) {
	for _, seed := range []string{`a "b c" -d type:ToolSettled after:2d`, `"`, "x:*", "tier:\x00"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		_, err := search.Parse(text, now())
		if err != nil {
			var wrong *search.QueryError
			require.ErrorAs(t, err, &wrong)
			require.LessOrEqual(t, wrong.At, max(len(text), search.MaxQuery))
		}
	})
}
