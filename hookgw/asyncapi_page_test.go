package hookgw_test

import (
	"os"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"manualslop/events"
	"manualslop/hookgw/openapi"
)

const asyncAPIPath = "../docs/asyncapi.yaml"

// asyncAPI is the AsyncAPI 3.0 document of the bus and of the live feeds: the
// former from the catalogue of events, the latter from the gateway's own lists.
type asyncAPI struct {
	channels, operations, messages openapi.Object
	schemas                        *openapi.Schemas
}

// document is made once for all tests.
var document = sync.OnceValue(newAsyncAPI)

func newAsyncAPI() openapi.Object {
	d := &asyncAPI{schemas: openapi.NewSchemas()}
	for _, def := range events.Catalogue().Defs() {
		d.fact(def)
	}
	d.live()
	d.signals()
	d.stream()
	d.workerStream()
	d.socket()
	components := openapi.Object{}.
		With("securitySchemes", openapi.Object{}.
			With("bearer", object("http").With("scheme", "bearer")).
			With("apiKey", object("httpApiKey").With("in", "header").With("name", "X-API-KEY")).
			With("busToken", object("apiKey").With("in", "user").With("description", "The token of a role, from a file that "+
				"slop keys writes; it decides what may be published and read."))).
		With("parameters", subjectParameters()).
		With("messageTraits", headerTraits()).
		With("messages", d.messages).
		With("schemas", append(openapi.Object{}.With("Envelope", envelopeSchema()).With("Delta",
			deltaSchema()).With("Snapshot", d.snapshotSchema()), plainSchema(d.schemas.Object()).(openapi.Object)...))
	return openapi.Object{}.With("asyncapi", "3.0.0").
		With("info", openapi.Object{}.With("title", "Manual Slop events and live feeds").With("version",
			"1.0.0").With("description", asyncAPIIntroduction).
			With("license", openapi.Object{}.With("name", "Apache 2.0"))).
		With("defaultContentType", "application/json").
		With("servers", asyncServers()).
		With("channels", d.channels).
		With("operations", d.operations).
		With("components", components)
}

const asyncAPIIntroduction = `Messages that Manual Slop sends and receives on its bus and over its live feeds.

* Facts are stored under slop.ev, in one stream and one order. The actor token of the subject is the author of a fact; the rights of the connection fix it, and a fact counts only if its author may write its type.
* The server re-publishes each stored fact under slop.live, for readers that need no consumer.
* Signals under slop.sig are never stored, and may be lost.
* The gateway sends the same over HTTP and WebSocket, on loopback; openapi.yaml describes its requests and answers.

Send operations are messages from Manual Slop; receive operations are messages that people and other programs may send to it.
`

// asyncServers returns the bus and the gateway, the latter with two protocols.
func asyncServers() openapi.Object {
	tokens := []any{componentRef("securitySchemes", "bearer"), componentRef("securitySchemes", "apiKey")}
	return openapi.Object{}.
		With("bus", openapi.Object{}.With("host", "127.0.0.1:4222").With("protocol", "nats").
			With("description", "The NATS server inside the engine, at the address of --nats-listen, or your own cluster. Facts "+
				"are in the JetStream stream SLOP_EV.").
			With("security", []any{componentRef("securitySchemes", "busToken")})).
		With("gateway", openapi.Object{}.With("host", "127.0.0.1:8999").With("protocol", "http").
			With("description", "The Hook API, on loopback only; slop serve prints the address.").With("security", tokens)).
		With("socket", openapi.Object{}.With("host", "127.0.0.1:8999").With("protocol", "ws").
			With("description", "The same gateway over WebSocket.").With("security", tokens))
}

// channel adds a channel with its messages, and one operation over all of them
// for each action.
func (d *asyncAPI) channel(name string, about openapi.Object, messages ...string) {
	var refs openapi.Object
	for _, m := range messages {
		refs = refs.With(m, componentRef("messages", m))
	}
	d.channels = d.channels.With(name, about.With("messages", refs))
}

// operation adds an operation on messages of a channel.
func (d *asyncAPI) operation(name, action, channel string, about openapi.Object, messages ...string) {
	var refs []any
	for _, m := range messages {
		refs = append(refs, reference("#/channels/"+channel+"/messages/"+m))
	}
	d.operations = d.operations.With(name, append(openapi.Object{}.With("action", action).With("channel",
		reference("#/channels/"+channel)), about.With("messages", refs)...))
}

// message adds one message.
func (d *asyncAPI) message(name, summary string, payload openapi.Object, more ...openapi.Member) {
	d.messages = d.messages.With(name, append(openapi.Object{}.With("name", name).With("summary", summary).With("payload",
		payload), more...))
}

// servers is the list of one server of a channel.
func servers(name string) []any { return []any{reference("#/servers/" + name)} }

func reference(to string) openapi.Object { return openapi.Object{}.With("$ref", to) }

func componentRef(kind, name string) openapi.Object {
	return reference("#/components/" + kind + "/" + name)
}

// object is a schema, or a security scheme, of a type.
func object(typ string) openapi.Object { return openapi.Object{}.With("type", typ) }

func TestAsyncAPIDocumentIsUpToDate(t *testing.T) {
	t.Parallel()
	want := "# Generated by the tests of hookgw; run \"make generate\".\n" + document().YAML()
	if *update {
		require.NoError(t, os.WriteFile(asyncAPIPath, []byte(want), 0o644))
	}
	have, err := os.ReadFile(asyncAPIPath)
	require.NoError(t, err, "run make generate")
	require.Equal(t, want, string(have), "docs/asyncapi.yaml is stale; run make generate")
}
