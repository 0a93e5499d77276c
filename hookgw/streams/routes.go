// Package streams sends events as they happen: as a queue of events, as server-sent events and over WebSockets.
package streams

import (
	"net/http"

	"manualslop/hookgw/access"
	"manualslop/hookgw/core"
	"manualslop/hookgw/record"
	"manualslop/hookgw/request"
)

// Routes returns the routes that send events.
func Routes(g *core.State) []request.Route {
	const get, group = http.MethodGet, "Events"
	client := request.Parameter{Name: "client", Type: "string", Doc: "Name of the reader, up to 64 of A-Z a-z 0-9 _ -; " +
		"empty: the reader that all unnamed clients share."}
	return []request.Route{
		{Method: get, Pattern: "/api/events", Right: access.RightHuman, Group: group, Doc: "Drains the queue of ?client=. " +
			"With ?through=SEQ it removes events up to SEQ and returns the rest, so that a lost answer loses nothing. With " +
			"?since=SEQ it removes nothing.", Handle: g.In(getEvents),
			Query: []request.Parameter{client, {Name: "since", Type: "integer", Doc: "Read the events after this sequence " +
				"without removing any."},
				{Name: "through", Type: "integer", Doc: "Remove events up to this sequence and return the rest. " +
					"Send through " +
					"of the previous answer, 0 at first."}, request.SessionParameter()}, Gives: batch{}},
		{Method: get, Pattern: "/api/stream", Right: access.RightRead, Group: group,
			Doc: "Streams the log of ?session= as server-sent events, first the stored ones, then live; " +
				"?filter= selects.", Media: request.MediaEvents,
			Handle: g.In(stream),
			Query: []request.Parameter{client, {Name: "since", Type: "integer", Doc: "Begin after this sequence; " +
				"Last-Event-ID takes precedence."}, {Name: "filter", Type: "string",
				Doc: "A subject with wildcards; may be repeated.", Many: true},
				{Name: "signals", Type: "integer", Doc: "1 also sends live text of models, as event: delta. It has " +
					"no position and is not a final answer; discard it if its request fails."},
				request.SessionParameter()}},
		{Method: get, Pattern: "/ws", Right: access.RightRead, Group: group,
			Doc: "Streams the same events and more over a WebSocket, in named channels; the first message lists " +
				"them.",
			Media: request.MediaSocket, Handle: g.In(webSocket),
			Query: []request.Parameter{client, {Name: "channels", Type: "string", Doc: "Channels to subscribe " +
				"to at once, with " +
				"commas between them.", Many: true},
				{Name: "since", Type: "integer",
					Doc: "Begin after this sequence; default: now. Last-Event-ID takes precedence."},
				{Name: "filter", Type: "string", Doc: "For the channel log: a subject with wildcards; may be repeated.",
					Many: true}, request.SessionParameter()}},
		{Method: get, Pattern: "/api/blobs/{sha256}", Right: access.RightRead, Group: group,
			Doc: "Returns the bytes of a body that an event " +
				"names.", Media: request.MediaBytes, Handle: g.In(record.GetBlob)},
	}
}
