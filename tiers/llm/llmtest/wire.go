package llmtest

import (
	"net/http"

	"manualslop/events"
)

// wire is one vendor's protocol.
type wire interface {
	// key is the key that a request brings; empty: none.
	key(r *http.Request) string
	// wrongKey is the vendor's status for a key that it does not know.
	wrongKey() int
	// other answers requests that ask for no reply, such as the list of models;
	// false: it is one that does, or no request of this vendor's at all.
	other(w http.ResponseWriter, r *http.Request, body []byte) bool
	// read checks a request for a reply as its vendor does.
	read(r *http.Request, body []byte) (View, *refusal)
	// count is the usage of an accepted request's prompt, with the vendor's
	// cache as it stands; the server adds the output.
	count(v View) events.Usage
	// frames is the reply as whole events of the stream. Content faults are its
	// business; faults of the bytes are the server's.
	frames(v View, t Turn, u events.Usage) []string
	// ends reports whether a frame is the vendor's end marker.
	ends(frame string) bool
	// errorFrame is an error that ends a stream.
	errorFrame(kind, message string) string
	// failure is the body of an answer that is not a success; kind is one of the
	// Model* constants of events, or empty.
	failure(status int, kind, message string) []byte
	// status is the vendor's status for a kind of error.
	status(kind string) int
	// expects says which faults lead to another kind than usual.
	expects() map[Fault]string
	// bases are the spellings of the base URL that an adapter must understand.
	bases(url string) []string
}

// refusal is a request that the vendor does not take.
type refusal struct {
	status  int
	kind    string
	message string
}

func refuse(message string) *refusal { return &refusal{400, events.ModelInvalidRequest, message} }
