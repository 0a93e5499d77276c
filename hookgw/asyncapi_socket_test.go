package hookgw_test

import (
	"net/http"
	"strings"

	"manualslop/hookgw"
	"manualslop/hookgw/openapi"
	"manualslop/projections"
)

// socketActions are the messages of a client of /ws.
func socketActions() []struct{ name, doc string } {
	return []struct{ name, doc string }{
		{"subscribe", "Shows these channels from now on."},
		{"unsubscribe", "Shows them no longer."},
		{"ping", "Is answered with pong."},
	}
}

// socketWords are what the gateway says on /ws by itself.
func socketWords() []struct{ name, doc string } {
	return []struct{ name, doc string }{
		{"hello", "The first: which session, from where, and which channels there are."},
		{"subscribed", "What the client is subscribed to now."},
		{"pong", "The answer to ping."},
		{"error", "What was wrong with a message; the connection stays."},
		{"disconnected", "The last: the position from which to go on."},
	}
}

// socket describes GET /ws.
func (d *asyncAPI) socket() {
	r := routeAt(http.MethodGet, "/ws")
	var said, heard []string
	var names []any
	for _, w := range socketWords() {
		said = append(said, d.socketMessage(w.name, w.doc, d.payload(hookgw.FeedPayloads()[w.name])))
	}
	for _, c := range hookgw.SocketChannels() {
		said, names = append(said, d.socketMessage(c.Name, c.Doc, d.carried(c.Name))), append(names, c.Name)
	}
	for _, a := range socketActions() {
		members := openapi.Object{}.With("action", exactly(a.name))
		if a.name != "ping" {
			members = members.With("channels", object("array").With("items", object("string").With("enum", names)).With(
				"minItems", 1).With("maxItems", 64))
		}
		name := "SocketClient" + strings.ToUpper(a.name[:1]) + a.name[1:]
		d.message(name, a.doc, record(members))
		heard = append(heard, name)
	}
	d.channel("socket", openapi.Object{}.With("address", r.Pattern).With("description", r.Doc).With("servers",
		servers("socket")).
		With("bindings", openapi.Object{}.With("ws", openapi.Object{}.With("method", r.Method).With("query",
			queryOf(r)).With("bindingVersion", "0.1.0"))),
		append(said, heard...)...)
	d.operation("showSocket", "send", "socket", openapi.Object{}.With("summary", "What the client subscribed to, and "+
		"answers to what it says."), said...)
	d.operation("hearSocket", "receive", "socket", openapi.Object{}.With("summary", "What the client wants to see; "+
		"nothing is written."), heard...)
}

// socketName is the name of the message of a channel.
func socketName(channel string) string {
	name := "Socket"
	for _, word := range strings.Split(channel, "_") {
		name += strings.ToUpper(word[:1]) + word[1:]
	}
	return name
}

// socketMessage adds a message of the gateway and gives its name.
func (d *asyncAPI) socketMessage(channel, doc string, payload openapi.Object) string {
	members := openapi.Object{}.With("channel", exactly(channel))
	if channel == "log" {
		members = members.With("seq", explained("integer", "The fact's sequence in the log."))
	}
	name := socketName(channel)
	d.message(name, doc, record(members.With("payload", payload)))
	return name
}

// discussionSchema is the state of the model session.
func discussionSchema() openapi.Object {
	return record(openapi.Object{}.With("entries", explained("array", "The entries of the discussion.")))
}

// carried is the schema of what a channel carries; the checks miss the one that
// has none.
func (d *asyncAPI) carried(channel string) openapi.Object {
	switch channel {
	case "events":
		return record(openapi.Object{}.With("seq", object("integer")).With("type", object("string")).With("event_type",
			object("string")).With("ts", object("string").With("format", "date-time")).
			With("payload", openapi.Object{})).With("description", "An entry as GET /api/events has it.")
	case "log":
		return componentRef("schemas", "Envelope")
	case "streams":
		return componentRef("schemas", "Delta")
	case "mma_status":
		return d.payload(projections.MMAStatus{})
	case "diagnostics":
		return d.payload(projections.Diagnostics{})
	case "session":
		return discussionSchema()
	}
	return d.payload(hookgw.FeedPayloads()[channel])
}
