package anthropic_test

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/require"

	"manualslop/tiers/llm"
	"manualslop/tiers/llm/anthropic"
	"manualslop/tiers/llm/llmtest"
)

// seeing asks a model about a picture of n bytes.
func seeing(model string, n int) llm.Request {
	data := append([]byte("\x89PNG\r\n\x1a\n"), bytes.Repeat([]byte{1}, n-8)...)
	return llm.Request{Model: model, Messages: []llm.Message{says(llm.RoleUser, llm.Text("## a.png\n"),
		llm.Image{Media: "image/png", Data: data}, llm.Text("What is it?"))}}
}

func TestPicturesAreBlocksInBase64(t *testing.T) {
	t.Parallel()
	require.Contains(t, body(t, seeing("claude-sonnet-4-5", 9)), `"content":[{"type":"text","text":"## a.png\n"},`+
		`{"type":"image","source":{"type":"base64","media_type":"image/png","data":"iVBORw0KGgoB"}},`+
		`{"type":"text","text":"What is it?","cache_control":{"type":"ephemeral"}}]`)
}

func TestTheServerTakesTheLargestPictureAndBodyRefusesLargerOnes(t *testing.T) {
	t.Parallel()
	const largest = (10 << 20) / 4 * 3
	s := llmtest.Anthropic(t, llmtest.Options{Turns: []llmtest.Turn{{Text: "A picture."}}})
	p := anthropic.Provider{Endpoint: s.Endpoint()}
	reply, err := llm.Collect(p.Stream(t.Context(), seeing("claude-sonnet-4-5", largest)), nil)
	require.NoError(t, err)
	require.Equal(t, "A picture.", reply.Text)
	require.Equal(t, []string{"image/png of 7864320 bytes"}, s.Requests()[0].Messages[0].Images)

	_, err = p.Body(seeing("claude-sonnet-4-5", largest+1))
	require.ErrorContains(t, err, "anthropic accepts images of up to 10485760 bytes in base64, got 10485764")
	_, err = p.Body(seeing("claude-2.1", 9))
	require.ErrorContains(t, err, "accepts no images in requests to claude-2.1")
	many := seeing("claude-sonnet-4-5", 9)
	for range 99 {
		many.Messages[0].Blocks = append(many.Messages[0].Blocks, many.Messages[0].Blocks[1])
	}
	body(t, many)
	many.Messages[0].Blocks = append(many.Messages[0].Blocks, many.Messages[0].Blocks[1])
	_, err = p.Body(many)
	require.ErrorContains(t, err, "up to 100 images in a request, got 101")
}
