package tokens_test

import (
	"encoding/json"
	"math/rand/v2"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"manualslop/tiers/tokens"
)

// counted is a text with its tokens as vocabularies count them: o200k_base and
// cl100k_base by github.com/tiktoken-go/tokenizer 0.10.0, and that of Claude 2 as
// @anthropic-ai/tokenizer 0.0.4 has it. The counts are recorded because the
// libraries are 15 MB of source.
type counted struct {
	Kind    string `json:"kind"`
	Text    string `json:"text"`
	O200K   int64  `json:"o200k"`
	CL100K  int64  `json:"cl100k"`
	Claude2 int64  `json:"claude2"`
}

func (c counted) most() int64 { return max(c.O200K, c.CL100K, c.Claude2) }

func countedTexts(t testing.TB) []counted {
	data, err := os.ReadFile("testdata/counts.json")
	require.NoError(t, err)
	var texts []counted
	require.NoError(t, json.Unmarshal(data, &texts))
	require.Greater(t, len(texts), 80)
	return texts
}

func TestNoVocabularyCountsMoreTokensThanTheBound(t *testing.T) {
	t.Parallel()
	all, sum := "", int64(0)
	for _, c := range countedTexts(t) {
		require.GreaterOrEqual(t, tokens.Most(c.Text), c.most(), c.Kind)
		all, sum = all+c.Text, sum+c.most()
	}
	require.GreaterOrEqual(t, tokens.Most(all), sum)
}

func TestTheBoundOfWhatModelsMostlyReadIsNearerThanItsBytes(t *testing.T) {
	t.Parallel()
	most := map[string]float64{"Go": 2.4, "prose about code": 2.6, "JSON Schema": 2.6, "YAML": 2.8,
		"shell and Makefile": 2.5, "English": 2.9, "Chinese": 3.4, "Japanese": 3.6}
	for _, c := range countedTexts(t) {
		if times, told := most[c.Kind]; told {
			require.LessOrEqual(t, float64(tokens.Most(c.Text)), times*float64(min(c.O200K, c.CL100K, c.Claude2)), c.Kind)
			delete(most, c.Kind)
		}
	}
	require.Empty(t, most)
}

// TestTheBoundIsOfAnyText cuts and joins the counted texts at random.
func TestTheBoundIsOfAnyText(t *testing.T) {
	t.Parallel()
	texts, random := countedTexts(t), rand.New(rand.NewPCG(1, 2))
	piece := func() string {
		text := texts[random.IntN(len(texts))].Text
		from := random.IntN(len(text))
		return strings.ToValidUTF8(text[from:from+random.IntN(len(text)-from)], "")
	}
	for range 2000 {
		a, b := piece(), piece()
		joined := tokens.Most(a + b)
		require.LessOrEqual(t, tokens.Most(a), int64(3*len(a)))
		require.LessOrEqual(t, joined, tokens.Most(a)+tokens.Most(b)+2, "%q %q", a, b)
		require.GreaterOrEqual(t, joined, tokens.Most(a), "%q %q", a, b)
	}
	for text, want := range map[string]int64{"": 0, "a": 1, " ": 1, "word": 3, "two words": 6, "1234": 4, "世界": 6,
		"\xff": 3, "é": 2, "😀": 4, "HTTPServer": 9, "    x": 3, "====": 4} {
		require.Equal(t, want, tokens.Most(text), "%q", text)
	}
}

func BenchmarkMost(b *testing.B) {
	for name, text := range map[string]string{"code": "\tif err := s.read(ctx, name); err != nil {\n\t\treturn " +
		"fmt.Errorf(\"read %s: %w\", name, err)\n\t}\n", "Chinese": "人人生而自由,在尊严和权利上一律平等。"} {
		text = strings.Repeat(text, 64<<10/len(text))
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				tokens.Most(text)
			}
		})
	}
}
