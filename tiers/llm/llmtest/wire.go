package llmtest

import (
	"net/http"

	"manualslop/events"
)

// wire implements one vendor's API.
type wire interface {
	// key returns the key in a request; empty if none.
	key(r *http.Request) string
	// wrongKey returns the vendor's status for an unknown key.
	wrongKey() int
	// other answers requests for something other than a reply, such as the list of models. It
	// returns false for a request for a reply and for one that the vendor does not know.
	other(w http.ResponseWriter, r *http.Request, body []byte) bool
	// read parses a request for a reply and checks it as its vendor does.
	read(r *http.Request, body []byte) (View, *refusal)
	// count returns the usage of an accepted request's prompt with the current state of the
	// vendor's cache; the server adds the output.
	count(v View) events.Usage
	// frames returns the reply as complete events of the stream. It applies faults of the content;
	// the server applies faults of the bytes.
	frames(v View, t Turn, u events.Usage) []string
	// ends reports whether a frame is the vendor's end marker.
	ends(frame string) bool
	// errorFrame returns an error event that ends a stream.
	errorFrame(kind, message string) string
	// failure returns the body of an error response; kind is one of the Model* constants of
	// events, or empty.
	failure(status int, kind, message string) []byte
	// status returns the vendor's status for a kind of error.
	status(kind string) int
	// expects returns the faults that lead to another kind than usual.
	expects() map[Fault]string
	// bases returns the spellings of the base URL that an adapter must accept.
	bases(url string) []string
}

// refusal is the reason why the vendor rejects a request.
type refusal struct {
	status  int
	kind    string
	message string
}

func refuse(message string) *refusal { return &refusal{400, events.ModelInvalidRequest, message} }
