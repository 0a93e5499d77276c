package llm

import "context"

// Lister is a [Provider] that can tell which models its key opens.
type Lister interface {
	// Models are the names of the models on the first page of the vendor's list.
	// Errors are of the type [*Error]; a key that does not work is one of the kind
	// auth.
	Models(ctx context.Context) ([]string, error)
}
