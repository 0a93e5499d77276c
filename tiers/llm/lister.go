package llm

import "context"

// Lister is a [Provider] that can list the models that its key gives access to.
type Lister interface {
	// Models returns the model names on the first page of the vendor's list. Errors are of type
	// [*Error]; a key that the vendor rejects gives one of kind auth.
	Models(ctx context.Context) ([]string, error)
}
