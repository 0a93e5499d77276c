package llm

import "net/http"

// Endpoint is where and how a provider of an HTTP API is reached. Adapters take
// everything from here and nothing from the environment.
type Endpoint struct {
	// BaseURL is the address of the API without a slash at its end; empty: the
	// vendor's own.
	BaseURL string
	// Key opens it; empty if none is needed.
	Key string
	// Headers are sent with every request beside the vendor's own.
	Headers map[string]string
	// Client is whose transport makes the requests; nil: [http.DefaultTransport].
	// No redirect is followed, whatever the client says.
	Client *http.Client
}
