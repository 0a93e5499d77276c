package planning_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"manualslop/tiers/planning"
)

// sample has something of every kind.
const sample = `{"a":[1,-0.5e+7,0,true,false,null,"x\"\\\/\b\f\n\r\t\u00e9\ud83d\ude00"],"b":{"c":[]}, "d" : {} }`

func TestWhatIsJSONIsWhatItIsForEverybody(t *testing.T) {
	t.Parallel()
	texts := []string{"", " ", "-", "-1", "01", "1.", ".5", "1e", "1e5", "+1", "nul", "nulll", `"`, `"\`, `"\u12"`, `"\x"`,
		"\"\n\"", "[,]", "[1,]", "{,}", `{"a"}`, `{"a":}`, `{a:1}`, "[]]", `"\ud800"`, "tru", "[1 2]", "\ufeff1", `"\u00G0"`,
		`"\u0-10"`}
	for i := range sample {
		texts = append(texts, sample[:i], sample[:i]+sample[i+1:])
		for _, c := range `,:"\{}[]0-e.x ` {
			texts = append(texts, sample[:i]+string(c)+sample[i:])
		}
	}
	require.True(t, planning.IsJSON(sample))
	for _, text := range texts {
		require.Equal(t, json.Valid([]byte(text)), planning.IsJSON(text), "%q", text)
	}
	deep := func(n int) string { return strings.Repeat("[", n) + strings.Repeat("]", n) }
	require.True(t, planning.IsJSON(deep(101)))
	require.False(t, planning.IsJSON(deep(102)))
}

func TestTextsOfAReplyAreReadAsTheyStand(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		`[{"id":"\ud83d\ude00 \u00e9\t"}]`: "😀 é\t", `[{"id":"\ud83d x"}]`: "\uFFFD x", "[{\"id\":\"a\xff\"}]": "a\uFFFD",
		`[{"ID":"y","id":"x"}]`: "x", `[{"id":"a","id":"b"}]`: "b",
	} {
		items, err := planning.Read(text, "items", checkItems)
		require.NoError(t, err, text)
		require.Equal(t, want, items[0].ID)
	}
	_, err := planning.Read(`[{"id":"a",}]`, "items", checkItems)
	require.EqualError(t, err, `it is not a valid JSON array: something is wrong at byte 11, after "[{\"id\":\"a\","`)
	_, err = planning.Read(`[{"ID":"a"}]`, "items", checkItems)
	require.ErrorIs(t, err, errEmptyID, "names have one case")
}
