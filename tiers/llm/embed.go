package llm

import (
	"context"
	"math"

	"manualslop/events"
)

// Limits of embeddings.
const (
	// MaxEmbedText limits the bytes of a text. Gemini's models take 2,048 tokens, and a token has at
	// least one byte.
	MaxEmbedText = 2_000
	// EmbedDimensions is the length that vectors have where a model lets the caller choose: a quarter
	// to a half of the full length, which costs little quality and reduces memory use by the
	// same factor.
	EmbedDimensions = 768
	// MaxEmbedDimensions limits the length of a vector that a server chooses.
	MaxEmbedDimensions = 4_096
)

// Embedder is a [Provider] whose API turns texts into vectors. The vectors of two texts with similar
// meanings have a large dot product.
type Embedder interface {
	// EmbedLimits returns the model for [EmbedRequest]s that name none, empty if there is no
	// default, and how many texts a request takes; 0 if the server has no embeddings.
	EmbedLimits() (model string, texts int)
	// Embed makes exactly one attempt. Errors are of type [*Error].
	Embed(ctx context.Context, r EmbedRequest) (Embedded, error)
}

// EmbedRequest asks for the vectors of texts.
type EmbedRequest struct {
	Model string
	// Query reports whether the texts are questions, whose vectors are compared with those of other
	// texts. Some models treat the two differently.
	Query bool
	Texts []string
}

// Embedded has one vector of length 1 for each text, in order.
type Embedded struct {
	Vectors [][]float32
	Usage   events.Usage
}

// Check returns an error if a server would reject the request; texts is how many it takes.
func (r EmbedRequest) Check(provider string, texts int) error {
	switch {
	case texts == 0:
		return Unsendable("%s has no embeddings; set another provider", provider)
	case r.Model == "":
		return Unsendable("%s has no default model for embeddings; set one", provider)
	case len(r.Texts) == 0 || len(r.Texts) > texts:
		return Unsendable("%s embeds 1 to %d texts in a request, got %d", provider, texts, len(r.Texts))
	}
	for _, t := range r.Texts {
		if t == "" || len(t) > MaxEmbedText {
			return Unsendable("a text to embed must have 1 to %d bytes, got %d", MaxEmbedText, len(t))
		}
	}
	return nil
}

// Answer checks what a server returned for the request and scales each vector to length 1. If the
// server reported no tokens, they are estimated from the length of the texts.
func (r EmbedRequest) Answer(vectors [][]float32, tokens int64) (Embedded, error) {
	if len(vectors) != len(r.Texts) {
		return Embedded{}, Incomplete("the server returned %d vectors for %d texts", len(vectors), len(r.Texts))
	}
	for _, v := range vectors {
		if len(v) == 0 || len(v) > MaxEmbedDimensions || len(v) != len(vectors[0]) {
			return Embedded{}, Incomplete("the server's vectors must all have the same length, 1 to %d; one has %d",
				MaxEmbedDimensions, len(v))
		}
		if !scale(v) {
			return Embedded{}, Incomplete("the server returned a zero vector")
		}
	}
	out := Embedded{Vectors: vectors, Usage: events.Usage{Input: tokens}}
	if tokens <= 0 {
		chars := 0
		for _, t := range r.Texts {
			chars += len(t)
		}
		out.Usage = events.Usage{Input: int64(chars+3) / 4, Estimated: true}
	}
	out.Usage = credible(out.Usage)
	return out, nil
}

// scale scales v to length 1. It returns false if v has no direction: all zeros, or not finite.
func scale(v []float32) bool {
	var sum float64
	for _, x := range v {
		sum += float64(x) * float64(x)
	}
	length := math.Sqrt(sum)
	if !(length > 0) || math.IsInf(length, 0) { // also rejects NaN
		return false
	}
	for i, x := range v {
		v[i] = float32(float64(x) / length)
	}
	return true
}
