package openai

import (
	"context"
	"strings"

	"manualslop/tiers/llm"
	"manualslop/tiers/llm/transport"
)

var _ llm.Embedder = Provider{}

// embedBatch is how many texts a request has where the server sets no lower limit. OpenAI takes
// 2,048 texts and 300,000 tokens in all, which texts of [llm.MaxEmbedText] bytes cannot exceed.
const embedBatch = 96

// EmbedLimits returns the server's default model for embeddings and how many texts a request may have.
func (p Provider) EmbedLimits() (model string, texts int) {
	return p.Server.EmbedModel, p.Server.Embeds
}

// embedBody is the request of https://platform.openai.com/docs/api-reference/embeddings/create.
type embedBody struct {
	Model          string   `json:"model"`
	Input          []string `json:"input"`
	EncodingFormat string   `json:"encoding_format"`
	Dimensions     int      `json:"dimensions,omitempty"`
}

// Embed makes one attempt to get the vectors of texts.
func (p Provider) Embed(ctx context.Context, r llm.EmbedRequest) (llm.Embedded, error) {
	if err := r.Check(p.Server.Name, p.Server.Embeds); err != nil {
		return llm.Embedded{}, err
	}
	if err := p.reachable(); err != nil {
		return llm.Embedded{}, err
	}
	body := embedBody{Model: r.Model, Input: prefixed(r), EncodingFormat: "float"}
	if strings.Contains(r.Model, "text-embedding-3-") {
		body.Dimensions = llm.EmbedDimensions
	}
	var answer struct {
		Data []struct {
			Index     int       `json:"index"`
			Embedding []float32 `json:"embedding"`
		} `json:"data"`
		Usage struct {
			PromptTokens int64 `json:"prompt_tokens"`
		} `json:"usage"`
	}
	url, header := p.at("/embeddings")
	if err := transport.Post(ctx, p.Endpoint, p.Silence, url, header, refine, body, &answer); err != nil {
		return llm.Embedded{}, err
	}
	vectors := make([][]float32, len(r.Texts))
	for _, d := range answer.Data {
		if d.Index < 0 || d.Index >= len(vectors) || vectors[d.Index] != nil {
			return llm.Embedded{}, llm.Incomplete("the server returned a vector with the index %d for %d texts", d.Index,
				len(r.Texts))
		}
		vectors[d.Index] = d.Embedding
	}
	return r.Answer(vectors, answer.Usage.PromptTokens)
}

// prefixed returns the texts as the model was trained to see them: nomic-embed-text, which many local
// servers have, expects to be told what each text is for.
// See https://huggingface.co/nomic-ai/nomic-embed-text-v1.5.
func prefixed(r llm.EmbedRequest) []string {
	if !strings.Contains(r.Model, "nomic-embed-text") {
		return r.Texts
	}
	prefix := "search_document: "
	if r.Query {
		prefix = "search_query: "
	}
	out := make([]string, len(r.Texts))
	for i, t := range r.Texts {
		out[i] = prefix + t
	}
	return out
}
