package llm

import (
	"fmt"

	"manualslop/events"
)

// NoKey returns what an adapter says in place of a request that could not be
// paid for: that the provider needs a key, and where one is put.
func NoKey(provider string) *Error {
	return &Error{Kind: events.ModelAuth, Message: fmt.Sprintf(
		"%[1]s needs an API key, but none is set: set the environment variable that slop models %[1]s shows, or put api_key "+
			"under [%[1]s] into credentials.toml; see docs/providers.md", provider)}
}
