package llm

import "context"

// ModelInfo is a model as its provider lists it. A number that the provider does
// not say is 0.
type ModelInfo struct {
	ID              string
	ContextWindow   int64 // tokens
	MaxOutputTokens int64
}

// Lister is a [Provider] that can tell which models its key opens. The list is
// one page of the vendor's, the first one; errors are of the type [*Error].
type Lister interface {
	Models(ctx context.Context) ([]ModelInfo, error)
}
