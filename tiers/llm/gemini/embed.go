package gemini

import (
	"context"
	"strings"

	"manualslop/tiers/llm"
	"manualslop/tiers/llm/transport"
)

var _ llm.Embedder = Provider{}

const (
	embedModel = "gemini-embedding-001"
	// embedBatch is the most texts of a request: the API answers more with "at most 100 requests can
	// be in one batch".
	embedBatch = 100
)

// EmbedLimits returns the default model for embeddings and how many texts a request may have.
func (Provider) EmbedLimits() (model string, texts int) { return embedModel, embedBatch }

// embedContent is EmbedContentRequest of https://ai.google.dev/api/embeddings.
type embedContent struct {
	Model    string    `json:"model"`
	Content  embedText `json:"content"`
	TaskType string    `json:"taskType,omitempty"`
	// OutputDimensionality is the length to which a vector is cut; the model was trained so that this is possible.
	OutputDimensionality int `json:"outputDimensionality"`
}

type embedText struct {
	Parts []embedPart `json:"parts"`
}

type embedPart struct {
	Text string `json:"text"`
}

// Embed makes one attempt to get the vectors of texts.
func (p Provider) Embed(ctx context.Context, r llm.EmbedRequest) (llm.Embedded, error) {
	if err := r.Check(Name, embedBatch); err != nil {
		return llm.Embedded{}, err
	}
	if p.Endpoint.Key == "" {
		return llm.Embedded{}, llm.NoKey(Name)
	}
	resource := "models/" + strings.TrimPrefix(r.Model, "models/")
	var body struct {
		Requests []embedContent `json:"requests"`
	}
	for _, t := range r.Texts {
		body.Requests = append(body.Requests, embedContent{Model: resource, Content: embedText{[]embedPart{{t}}},
			TaskType: taskType(r), OutputDimensionality: llm.EmbedDimensions})
	}
	var answer struct {
		Embeddings []struct {
			Values []float32 `json:"values"`
		} `json:"embeddings"`
		Usage struct {
			PromptTokens int64 `json:"promptTokenCount"`
		} `json:"usageMetadata"`
	}
	header := map[string]string{keyHeader: p.Endpoint.Key}
	if err := transport.Post(ctx, p.Endpoint, p.Silence, p.url(resource+":batchEmbedContents"), header, refine, body,
		&answer); err != nil {
		return llm.Embedded{}, err
	}
	vectors := make([][]float32, len(answer.Embeddings))
	for i, e := range answer.Embeddings {
		vectors[i] = e.Values
	}
	return r.Answer(vectors, answer.Usage.PromptTokens)
}

// taskType returns what the vectors are for; empty for models that do not take it, such as those of the
// second generation.
func taskType(r llm.EmbedRequest) string {
	switch {
	case !strings.HasSuffix(r.Model, embedModel):
		return ""
	case r.Query:
		return "CODE_RETRIEVAL_QUERY"
	}
	return "RETRIEVAL_DOCUMENT"
}
