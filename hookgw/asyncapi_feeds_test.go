package hookgw_test

import (
	"net/http"
	"strings"

	"manualslop/hookgw"
	"manualslop/hookgw/openapi"
	"manualslop/hookgw/request"
	"manualslop/projections"
)

// routeAt is the row of a method and pattern.
func routeAt(method, pattern string) request.Route {
	for _, r := range hookgw.Routes() {
		if r.Method == method && r.Pattern == pattern {
			return r
		}
	}
	panic("no route " + method + " " + pattern) // a mistake in this test
}

// queryOf is the query of a route as an object schema.
func queryOf(r request.Route) openapi.Object {
	var members openapi.Object
	for _, p := range r.Query {
		schema := explained(p.Type, p.Doc)
		if p.Many {
			schema = explained("array", p.Doc).With("items", object(p.Type))
		}
		members = members.With(p.Name, schema)
	}
	return object("object").With("properties", members)
}

// overHTTP is the binding of an operation that a request begins.
func overHTTP(r request.Route) openapi.Object {
	return openapi.Object{}.With("http", openapi.Object{}.With("method", r.Method).With("query",
		queryOf(r)).With("bindingVersion", "0.3.0"))
}

// frameMessage is a server-sent event of a kind; an empty kind has no event line.
func (d *asyncAPI) frameMessage(name, kind, doc string, payload openapi.Object) {
	title := "Frames without an event line."
	if kind != "" {
		title = "Frames with event: " + kind + "."
	}
	d.message(name, doc, payload, openapi.Member{Name: "title", Value: title})
}

// comments adds what is no server-sent event: a line that keeps the connection,
// and the position.
func (d *asyncAPI) comments() {
	d.message("Retry", "The first lines: how long to wait before connecting again.", exactly("retry: 1000"),
		openapi.Member{Name: "contentType", Value: "text/plain"})
	d.message("Heartbeat", "A comment that keeps the connection; its id moves the position over what the filter left out.",
		object("string").With("pattern", `^: heartbeat\nid: [0-9]+$`), openapi.Member{Name: "contentType",
			Value: "text/plain"})
}

// stream describes GET /api/stream.
func (d *asyncAPI) stream() {
	d.comments()
	d.frameMessage("Fact", "", "A fact of the session, with its sequence as id.", componentRef("schemas", "Envelope"))
	d.frameMessage("Snapshot", "snapshot", "The models, once everything up to them was shown.", componentRef("schemas",
		"Snapshot"))
	d.frameMessage("Delta", "delta", "With ?signals=1: a piece of the text that a model is writing; it has no id.",
		componentRef("schemas", "Delta"))
	d.frameMessage("Disconnected", "disconnected", "The end, with the position from which to go on.",
		d.payload(hookgw.FeedPayloads()["disconnected"]))
	messages := []string{"Retry", "Heartbeat", "Fact", "Snapshot", "Delta", "Disconnected"}
	r := routeAt(http.MethodGet, "/api/stream")
	d.channel("stream", openapi.Object{}.With("address", r.Pattern).With("description", r.Doc).With("servers",
		servers("gateway")), messages...)
	d.operation("showStream", "send", "stream", openapi.Object{}.With("summary", r.Doc).
		With("description", "The id of a frame is the sequence in the log; a client that comes back with Last-Event-ID "+
			"goes on behind it.").
		With("bindings", overHTTP(r)), messages...)
}

// snapshotSchema is what the snapshot frame carries. A model that stopped reads null.
func (d *asyncAPI) snapshotSchema() openapi.Object {
	orNull := func(schema openapi.Object) openapi.Object {
		return openapi.Object{}.With("anyOf", []any{schema, object("null")})
	}
	return record(openapi.Object{}.
		With("seq", explained("integer", "The sequence at which the models stand.")).
		With("asks", orNull(d.payload(hookgw.FeedPayloads()["asks"]))).
		With("mma_status", orNull(d.payload(projections.MMAStatus{}))).
		With("diagnostics", orNull(d.payload(projections.Diagnostics{}))).
		With("session", orNull(discussionSchema())).
		With("stopped", explained("array", "Why models show null.").With("items", object("string"))), "stopped")
}

// workerStream describes both methods of /api/v1/stream.
func (d *asyncAPI) workerStream() {
	d.frameMessage("Worker", "worker", "The first: which worker it is.", record(openapi.Object{}.
		With("ticket", object("string")).With("worker_uid", object("string")).With("stream_id", object("string")).With(
		"session", object("string"))))
	messages := []string{"Retry", "Heartbeat", "Delta", "Disconnected", "Worker"}
	for _, f := range []struct{ kind, doc string }{
		{"text", "What the worker's model replied, whole."},
		{"call", "How a tool call of the worker stands."},
		{"ask", "A question that waits for a person."},
		{"answer", "How a question was settled."},
		{"state", "How the ticket stands."},
		{"end", "The last: the worker's last word and its outcome."},
	} {
		name := "Worker" + strings.ToUpper(f.kind[:1]) + f.kind[1:]
		d.frameMessage(name, f.kind, f.doc, d.payload(hookgw.FeedPayloads()[f.kind]))
		messages = append(messages, name)
	}
	get, post := routeAt(http.MethodGet, "/api/v1/stream"), routeAt(http.MethodPost, "/api/v1/stream")
	d.channel("workerStream", openapi.Object{}.With("address", get.Pattern).With("description", get.Doc).With("servers",
		servers("gateway")), messages...)
	d.operation("showWorker", "send", "workerStream", openapi.Object{}.With("summary", get.Doc).With("bindings",
		overHTTP(get)), messages...)
	d.operation("spawnAndShowWorker", "send", "workerStream", openapi.Object{}.With("summary", post.Doc).With("bindings",
		overHTTP(post)), messages...)
}
