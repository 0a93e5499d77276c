package llm

import "net/http"

// Endpoint says where and how a provider reaches an HTTP API. Adapters take all of this from here
// and nothing from the environment.
type Endpoint struct {
	// BaseURL is the address of the API without a trailing slash; empty means the vendor's own.
	BaseURL string
	// Key is the API key; empty if none is needed.
	Key string
	// Headers are sent with every request in addition to the vendor's own.
	Headers map[string]string
	// Client supplies the transport for requests; nil means [http.DefaultTransport]. Redirects are
	// never followed, whatever the client's settings.
	Client *http.Client
}
