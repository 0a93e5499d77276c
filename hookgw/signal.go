package hookgw

import "context"

// Signal is a remark on the bus that is never stored, such as a piece of the
// text that a model is writing.
type Signal struct {
	// Actor is who said it; the bus vouches for it.
	Actor string
	// Name is its kind, such as "delta".
	Name string
	// Body is JSON, at most as large as the bus allows.
	Body []byte
}

// Signals calls take for each signal of a session from now on until ctx ends.
// Signals that are lost are gone. Calls do not overlap.
type Signals func(ctx context.Context, session string, take func(Signal)) error

// signalDelta names the signals of models that carry a piece of text:
// {"stream_id", "request", "delta"}.
const signalDelta = "delta"
