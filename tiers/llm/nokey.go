package llm

import (
	"fmt"

	"manualslop/events"
)

// NoKey is what an adapter says in the place of a request that could not be
// paid for: that the provider needs a key, and where one is put.
func NoKey(provider string) *Error {
	return &Error{Kind: events.ModelAuth, Message: fmt.Sprintf(
		"%[1]s needs a key and there is none: set the environment variable that slop models %[1]s names, or put api_key "+
			"under [%[1]s] into credentials.toml; docs/providers.md says more", provider)}
}
