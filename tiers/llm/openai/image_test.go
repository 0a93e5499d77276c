package openai_test

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/require"

	"manualslop/tiers/llm"
	"manualslop/tiers/llm/llmtest"
	"manualslop/tiers/llm/openai"
)

// Models of the two wires.
const (
	onChat      = "gpt-4.1"
	onResponses = "gpt-5.6-sol"
)

// seeing asks a model about a picture of n bytes.
func seeing(model string, n int) llm.Request {
	data := append([]byte("RIFF\x00\x00\x00\x00WEBPVP8 "), bytes.Repeat([]byte{1}, n-16)...)
	return llm.Request{Model: model, Messages: []llm.Message{{Role: llm.RoleUser, Blocks: []llm.Block{
		llm.Text("So."), llm.Text("## a.webp"), llm.Image{Media: "image/webp", Data: data}, llm.Text("What is it?")}}}}
}

func TestPicturesArePartsOfTheUsersContent(t *testing.T) {
	t.Parallel()
	const url = `data:image/webp;base64,UklGRgAAAABXRUJQVlA4IAEB`
	require.Contains(t, body(t, find(t, "openai"), seeing(onChat, 18)), `"messages":[{"role":"user","content":[`+
		`{"type":"text","text":"So.\n\n## a.webp"},{"type":"image_url","image_url":{"url":"`+url+`","detail":"high"}},`+
		`{"type":"text","text":"What is it?"}]}]`)
	require.Contains(t, body(t, find(t, "openai"), seeing(onResponses, 18)), `"content":[`+
		`{"type":"input_text","text":"So.\n\n## a.webp"},{"type":"input_image","image_url":"`+url+`","detail":"high"},`+
		`{"type":"input_text","text":"What is it?"}]`)
}

func TestPicturesReachTheServerAndLargerOnesAreRefusedBefore(t *testing.T) {
	t.Parallel()
	const largest = 20 << 20
	for _, model := range []string{onChat, onResponses} {
		s, stop, err := llmtest.Start(llmtest.Options{Vendor: "openai", Models: []string{model},
			Turns: []llmtest.Turn{{Text: "A picture."}}})
		require.NoError(t, err)
		t.Cleanup(stop)
		p := openai.Provider{Server: find(t, "openai"), Endpoint: s.Endpoint()}
		reply, err := llm.Collect(p.Stream(t.Context(), seeing(model, 1000)), nil)
		require.NoError(t, err, model)
		require.Equal(t, "A picture.", reply.Text)
		require.Equal(t, []string{"image/webp of 1000 bytes"}, s.Requests()[0].Messages[0].Images)

		_, err = p.Body(seeing(model, largest))
		require.NoError(t, err)
		_, err = p.Body(seeing(model, largest+1))
		require.ErrorContains(t, err, "openai accepts images of up to 20971520 bytes, got 20971521")
		many := repeated(seeing(model, 17), 500)
		_, err = p.Body(many)
		require.NoError(t, err)
		_, err = p.Body(repeated(many, 2))
		require.ErrorContains(t, err, "up to 500 images in a request, got 501")
		_, err = p.Body(repeated(seeing(model, (50<<20)/3+1), 3))
		require.ErrorContains(t, err, "images of up to 52428800 bytes in total")
	}
}

// repeated asks about the picture n times.
func repeated(r llm.Request, n int) llm.Request {
	m := &r.Messages[0]
	for range n - 1 {
		m.Blocks = append(m.Blocks, m.Blocks[2])
	}
	return r
}

func TestModelsWithoutEyesAreSentNoPictures(t *testing.T) {
	t.Parallel()
	for server, model := range map[string]string{"deepseek": "deepseek-chat", "minimax": "MiniMax-M2",
		"openai": "o3-mini"} {
		_, err := openai.Provider{Server: find(t, server)}.Body(seeing(model, 17))
		require.ErrorContains(t, err, server+" accepts no images in requests to "+model)
		_, err = openai.Provider{Server: find(t, server)}.Body(asking(user("Hello.")))
		require.NoError(t, err)
	}
}
