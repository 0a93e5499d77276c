package llm

import (
	"fmt"

	"manualslop/events"
)

// NoKey returns the error for a provider that needs a key and has none. It says where to put the
// key.
func NoKey(provider string) *Error {
	return &Error{Kind: events.ModelAuth, Message: fmt.Sprintf(
		"%[1]s needs an API key, but none is set: set the environment variable that slop models %[1]s shows, or put api_key "+
			"under [%[1]s] into credentials.toml; see docs/providers.md", provider)}
}
