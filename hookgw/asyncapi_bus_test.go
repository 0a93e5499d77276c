package hookgw_test

import (
	"fmt"
	"slices"
	"strings"

	"manualslop/events"
	"manualslop/hookgw/openapi"
	"manualslop/hookgw/wire"
)

const (
	cloudEvent = "application/cloudevents+json"
	subject    = ".{project}.{session}.{actor}."
)

// subjectParameters are the tokens of subjects.
func subjectParameters() openapi.Object {
	token := func(doc string) openapi.Object { return openapi.Object{}.With("description", doc) }
	return openapi.Object{}.
		With("project", token("1 to 64 of A-Z a-z 0-9 _ -, as is every token.")).
		With("session", token("The session; - in signals of no session.")).
		With("actor", token("Who wrote it: a decider, models, timers, gateway, worker-HOST-N, agent-LABEL, or a person's "+
			"name.")).
		With("type", token("The type of the fact.")).
		With("topic", token("Tool, tier or gate where the type has one, else -."))
}

// headerTraits are the NATS headers of stored and of re-published facts.
func headerTraits() openapi.Object {
	id := openapi.Object{}.With("Nats-Msg-Id", explained("string", "The id of the fact, by which the server knows a "+
		"copy. A publisher may leave it out; then a copy is a fact of its own."))
	stored := append(slices.Clone(id),
		openapi.Member{Name: "Nats-Expected-Last-Subject-Sequence", Value: explained("string", "Of a decider: the newest "+
			"sequence that it knows under the subject below; another one is refused.")},
		openapi.Member{Name: "Nats-Expected-Last-Subject-Sequence-Subject", Value: explained("string",
			"slop.ev.PROJECT.SESSION.ACTOR.>, the decider's own subtree.")})
	shown := append(slices.Clone(id),
		openapi.Member{Name: "Nats-Stream", Value: exactly("SLOP_EV")},
		openapi.Member{Name: "Nats-Subject", Value: explained("string", "The subject under which the fact is stored.")},
		openapi.Member{Name: "Nats-Sequence", Value: explained("string", "Its sequence in the stream.")},
		openapi.Member{Name: "Nats-Time-Stamp", Value: explained("string", "When the server stored it.")})
	return openapi.Object{}.
		With("stored", openapi.Object{}.With("headers", object("object").With("properties", stored))).
		With("republished", openapi.Object{}.With("headers", object("object").With("properties", shown)))
}

// fact describes a type of the catalogue: its channel, its message and who may
// write it. What people and programs outside say is received, the rest sent.
func (d *asyncAPI) fact(def events.Def) {
	name, v := def.Type.Name, def.Type.Version
	body := reference(fmt.Sprintf("schemas/%s.v%d.json", name, v))
	own := openapi.Object{}.With("type", exactly(name)).With("v", exactly(v)).With("dataschema",
		exactly(events.SchemaURN(name, v))).With("data", body)
	d.message(name, def.Doc, openapi.Object{}.With("allOf", []any{componentRef("schemas", "Envelope"),
		openapi.Object{}.With("properties", own)}),
		openapi.Member{Name: "contentType", Value: cloudEvent},
		openapi.Member{Name: "traits", Value: []any{componentRef("messageTraits", "stored")}})
	messages := []string{name}
	if name == (events.AskAnswered{}).EventType().Name {
		messages = append(messages, "AskAnsweredBare")
		d.message("AskAnsweredBare", "The same from any NATS client: the body alone, the rest is read from subject and "+
			"headers.", body,
			openapi.Member{Name: "contentType", Value: "application/json"},
			openapi.Member{Name: "traits", Value: []any{componentRef("messageTraits", "stored")}})
	}
	d.channel(name, openapi.Object{}.With("address", events.RootEvents+subject+name+".{topic}").With("description",
		def.Doc).
		With("servers", servers("bus")).With("parameters", addressed(actorsOf(def), "topic")), messages...)
	verb, action := "send", "send"
	if def.Class == events.Command {
		verb, action = "receive", "receive"
	}
	d.operation(verb+name, action, name, openapi.Object{}.
		With("summary", fmt.Sprintf("A %s. May be written by: %s.", def.Class, def.Writer)).
		With("x-writers", anyOf(strings.Split(def.Writer, ", "))), messages...)
}

// actorsOf is the actor parameter of a type; its values where they are fixed.
func actorsOf(def events.Def) openapi.Object {
	writers := strings.Split(def.Writer, ", ")
	for _, w := range writers {
		if w == "person" || w == "worker" || w == "agent" || w == "any decider" {
			return componentRef("parameters", "actor")
		}
	}
	return openapi.Object{}.With("description", "Who wrote it.").With("enum", anyOf(writers))
}

func anyOf(names []string) []any {
	var out []any
	for _, name := range names {
		out = append(out, name)
	}
	return out
}

// addressed are the parameters of a subject: project, session, actor and more.
func addressed(actor openapi.Object, more ...string) openapi.Object {
	out := openapi.Object{}.With("project", componentRef("parameters", "project")).With("session",
		componentRef("parameters", "session")).With("actor", actor)
	for _, name := range more {
		out = out.With(name, componentRef("parameters", name))
	}
	return out
}

// anyActor is the actor parameter of what many may write.
func anyActor() openapi.Object { return componentRef("parameters", "actor") }

// live describes what the server re-publishes, and the fact as feeds show it.
func (d *asyncAPI) live() {
	doc := "A fact of any type; its data has the schema of that type."
	d.message("Republished", doc, componentRef("schemas", "Envelope"),
		openapi.Member{Name: "contentType", Value: cloudEvent},
		openapi.Member{Name: "traits", Value: []any{componentRef("messageTraits", "republished")}})
	d.channel("live", openapi.Object{}.With("address", events.RootLive+subject+"{type}.{topic}").
		With("description", "Each stored fact again, without a consumer; what comes while a reader is away is missed. An "+
			"answer that was published as a bare body stays bare.").
		With("servers", servers("bus")).With("parameters", addressed(anyActor(), "type", "topic")), "Republished",
		"AskAnsweredBare")
	d.operation("republishFacts", "send", "live", openapi.Object{}.With("summary", "The server itself does it, right "+
		"after it stored a fact."), "Republished", "AskAnsweredBare")
}

// busSignal is a kind of signal.
type busSignal struct {
	name, doc, writer string
	payload           openapi.Object
}

// signals describes what is said without being stored.
func (d *asyncAPI) signals() {
	empty := object("string").With("maxLength", 0)
	for _, s := range []busSignal{
		{"delta", "A piece of the text that a model is writing; the closing fact has the whole.", "models",
			componentRef("schemas", "Delta")},
		{"sample", "How a process is doing, once a second; its session token is -.", "every process",
			plainObject(openapi.Object{}.With("allOf", []any{
				d.payload(wire.ProcessFigures{}), openapi.Object{}.With("properties", openapi.Object{}.With("log",
					record(openapi.Object{}.
						With("events_per_s", object("number")).With("projection_lag", object("integer")).With("queue_depth",
						object("integer"))))),
			}))},
		{"frame", "What an attached front end measured; its session token is -.", "the process that serves the gateway",
			d.payload(wire.Frame{})},
		{"here", "An actor is at work, every 200 ms; its session token is -.", "every process", empty},
		{"notice", "What the external MCP server of a call reports at once, or a change of a subscribed resource; the " +
			"outcome of the call has the first reports.", "workers", d.payload(events.NoticeSignal{})},
		{"output", "The last lines that a running script has written to one of its streams, masked, at most every 200 ms.",
			"workers", d.payload(events.OutputSignal{})},
		{"gone", "An actor says good-bye; its session token is -.", "every process", empty},
	} {
		message, channel := "Signal"+strings.ToUpper(s.name[:1])+s.name[1:], "signal"+strings.ToUpper(s.name[:1])+s.name[1:]
		d.message(message, s.doc, s.payload)
		d.channel(channel, openapi.Object{}.With("address", events.RootSignals+subject+s.name).With("description", s.doc).
			With("servers", servers("bus")).With("parameters", addressed(anyActor())), message)
		d.operation("send"+message, "send", channel, openapi.Object{}.With("summary", "May be said by: "+s.writer+"."),
			message)
	}
}
