// Package streams sends events while they happen: the queue of events, server-sent
// events and WebSockets.
package streams

import (
	"net/http"

	"manualslop/hookgw/access"
	"manualslop/hookgw/core"
	"manualslop/hookgw/record"
	"manualslop/hookgw/request"
)

// Routes hand out what happens.
func Routes(g *core.State) []request.Route {
	const get, group = http.MethodGet, "Events"
	client := request.Parameter{Name: "client", Type: "string", Doc: "Name of the reader, up to 64 of A-Z a-z 0-9 _ -; " +
		"empty: the one that all others share."}
	return []request.Route{
		{Method: get, Pattern: "/api/events", Right: access.RightHuman, Group: group, Doc: "Drains the queue of ?client=. " +
			"With ?through=SEQ it removes events up to SEQ and returns the rest, so that a lost answer loses nothing. With " +
			"?since=SEQ it removes nothing.", Handle: g.In(getEvents),
			Query: []request.Parameter{client, {Name: "since", Type: "integer", Doc: "Read the events after this sequence " +
				"without removing any."},
				{Name: "through", Type: "integer", Doc: "Remove events up to this sequence and return the rest. Send the through " +
					"of the last answer, at first 0."}, request.SessionParameter()}, Gives: batch{}},
		{Method: get, Pattern: "/api/stream", Right: access.RightRead, Group: group,
			Doc: "Server-sent events: the log of ?session=, replayed and then live, by ?filter=.", Media: request.MediaEvents,
			Handle: g.In(stream),
			Query: []request.Parameter{client, {Name: "since", Type: "integer", Doc: "Begin after this sequence; " +
				"Last-Event-ID takes precedence."}, {Name: "filter", Type: "string",
				Doc: "A subject with wildcards; may stand several times.", Many: true},
				{Name: "signals", Type: "integer", Doc: "1 shows live text of models too, as event: delta, which has no " +
					"position; it is no answer, and what came for a request that then fails counts for nothing."},
				request.SessionParameter()}},
		{Method: get, Pattern: "/ws", Right: access.RightRead, Group: group,
			Doc:   "The same and more over a WebSocket, in named channels; the first message lists them.",
			Media: request.MediaSocket, Handle: g.In(webSocket),
			Query: []request.Parameter{client, {Name: "channels", Type: "string", Doc: "Subscribe to these at once, with " +
				"commas between them.", Many: true},
				{Name: "since", Type: "integer",
					Doc: "Begin after this sequence; now when left out. Last-Event-ID goes before it."},
				{Name: "filter", Type: "string", Doc: "Of the channel log: a subject with wildcards; may stand several times.",
					Many: true}, request.SessionParameter()}},
		{Method: get, Pattern: "/api/blobs/{sha256}", Right: access.RightRead, Group: group,
			Doc: "The bytes of a body that an event names.", Media: request.MediaBytes, Handle: g.In(record.GetBlob)},
	}
}
