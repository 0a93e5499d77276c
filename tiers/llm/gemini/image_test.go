package gemini_test

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/require"

	"manualslop/tiers/llm"
	"manualslop/tiers/llm/gemini"
	"manualslop/tiers/llm/llmtest"
)

// seeing asks about a picture of n bytes.
func seeing(n int) llm.Request {
	data := append([]byte("\xff\xd8\xff"), bytes.Repeat([]byte{1}, n-3)...)
	return llm.Request{Model: model, Messages: []llm.Message{{Role: llm.RoleUser, Blocks: []llm.Block{
		llm.Text("## a.jpg\n"), llm.Image{Media: "image/jpeg", Data: data}, llm.Text("What is it?")}}}}
}

func TestPicturesAreInlineData(t *testing.T) {
	t.Parallel()
	require.Equal(t, []any{map[string]any{"text": "## a.jpg\n"},
		map[string]any{"inlineData": map[string]any{"mimeType": "image/jpeg", "data": "/9j/AQEB"}},
		map[string]any{"text": "What is it?"}}, at(t, bodyOf(t, seeing(6)), "contents", 0, "parts"))
}

func TestTheServerTakesTheLargestPictureAndBodyRefusesLargerOnes(t *testing.T) {
	t.Parallel()
	const largest = 20_000_000 / 4 * 3
	s := llmtest.Gemini(t, llmtest.Options{Turns: []llmtest.Turn{{Text: "A dot."}}})
	p := gemini.Provider{Endpoint: s.Endpoint()}
	reply, err := llm.Collect(p.Stream(t.Context(), seeing(largest)), nil)
	require.NoError(t, err)
	require.Equal(t, "A dot.", reply.Text)
	require.Equal(t, []string{"image/jpeg of 15000000 bytes"}, s.Requests()[0].Messages[0].Images)
	_, err = p.Body(seeing(largest + 1))
	require.ErrorContains(t, err, "gemini accepts images of up to 20000000 bytes in base64 in total")
	many := seeing(6)
	for range 2999 {
		many.Messages[0].Blocks = append(many.Messages[0].Blocks, many.Messages[0].Blocks[1])
	}
	bodyOf(t, many)
	many.Messages[0].Blocks = append(many.Messages[0].Blocks, many.Messages[0].Blocks[1])
	_, err = p.Body(many)
	require.ErrorContains(t, err, "up to 3000 images in a request, got 3001")
}
