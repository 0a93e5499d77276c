package bus

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/nats-io/nats-server/v2/server"

	"manualslop/events"
)

// Subjects of the server's API, and of buckets, that rights are made of.
const (
	apiStreamInfo   = "$JS.API.STREAM.INFO."
	apiStreamCreate = "$JS.API.STREAM.CREATE."
	apiStreamUpdate = "$JS.API.STREAM.UPDATE."
	apiPurge        = "$JS.API.STREAM.PURGE."
	apiStreamDelete = "$JS.API.STREAM.DELETE."
	apiConsList     = "$JS.API.CONSUMER.LIST."
	apiConsPause    = "$JS.API.CONSUMER.PAUSE."
	apiConsReset    = "$JS.API.CONSUMER.RESET."
	apiMsgGet       = "$JS.API.STREAM.MSG.GET."
	apiDurable      = "$JS.API.CONSUMER.DURABLE.CREATE."
	apiDirectGet    = "$JS.API.DIRECT.GET."
	apiCreate       = "$JS.API.CONSUMER.CREATE."
	apiConsInfo     = "$JS.API.CONSUMER.INFO."
	apiDelete       = "$JS.API.CONSUMER.DELETE."
	apiNext         = "$JS.API.CONSUMER.MSG.NEXT."
	subjectClaims   = "$KV.SLOP_CLAIMS."
	subjectSnaps    = "$KV.SLOP_SNAPSHOTS."
	subjectBlobs    = "$O.SLOP_BLOBS."
)

// grants are the subjects that a connection may publish and subscribe. What is
// not granted is refused; a denial beats a grant.
type grants struct {
	publish, denyPublish, subscribe []string
}

// rightsOf lists what a role may do. The subject alone says who published a
// message, so no role may publish under another's token, nor make the server do
// so: its answers go to any reply subject that a request names. What it copies
// out of a stream carries a mark and does not count (see stored); what a consumer
// delivers keeps its own subject; its other answers are no events. Pools are the
// names of the work pools: a reader may make consumers of its own and never
// touch those.
func rightsOf(r Role, pools []string) grants {
	g := grants{subscribe: []string{r.inbox() + ".>"}}
	switch r.Kind {
	case Live:
		return grants{subscribe: []string{events.RootLive + ".>"}}
	case Admin:
		return grants{publish: []string{">"}, subscribe: []string{">"}}
	case Reader:
		g.readLog(pools)
		g.readBlobs()
		return g
	case Agent:
		if r.Name == events.ActorMCP {
			g.write(r, events.NameOf[events.ToolRequested](), events.NameOf[events.CallAbandoned]())
		} else {
			g.write(r, events.NameOf[events.AskPosted]())
		}
		g.lastOfOwn(r)
		return g
	case Worker:
		g.write(r, typesOf("worker")...)
		g.lastOfOwn(r)
		g.readBeforeCalls(r, projectsOf(pools, r.Project))
		g.work(append(ofKind(pools, events.PoolTools, r.Project), ofKind(pools, events.PoolShort, r.Project)...))
		g.claims()
		g.writeBlobs()
		g.signals(r)
		g.subscribe = append(g.subscribe, events.RootHere+".*."+r.Actor()+".*")
		g.probe()
		return g
	}
	g.write(r)
	g.writeBlobs()
	g.signals(r)
	g.subscribe = append(g.subscribe, events.RootHere+".*."+r.Actor()+".*")
	switch r.Kind {
	case Models:
		models := ofKind(pools, events.PoolModels, r.Project)
		g.readLog(pools, models...)
		g.work(models)
		g.probe()
		g.snapshots("states.*.*." + r.Actor())
	case Timers:
		g.readLog(pools)
		g.reconcile(r, pools)
		g.probe()
		g.snapshots("states.*.*." + r.Actor())
	case Decider:
		g.readLog(pools)
		g.snapshots("states.*.*." + r.Actor())
	case Gateway:
		g.readLog(pools)
		g.probe()
		g.snapshots("folds.>")
		g.publish = append(g.publish, apiStreamInfo+streamSnapshots)
	case Person:
		g.readLog(pools)
	}
	return g
}

// write grants the role's own subtree, or only the given types in it. A subject
// with fewer or more tokens than an event's is nobody's.
func (g *grants) write(r Role, types ...string) {
	own := events.RootEvents + ".*.*." + r.Actor() + "."
	if len(types) == 0 {
		g.publish = append(g.publish, own+"*.*")
	}
	for _, t := range types {
		g.publish = append(g.publish, own+t+".*")
	}
}

// lastOfOwn grants the newest event of the role's own subtree.
func (g *grants) lastOfOwn(r Role) {
	g.publish = append(g.publish, apiDirectGet+StreamEvents+"."+events.RootEvents+".*.*."+r.Actor()+".>")
}

// readLog grants consumers of the role's own making over events, each with one
// filter. The pools stay as they are, and work is taken only from those in works.
func (g *grants) readLog(pools []string, works ...string) {
	g.publish = append(g.publish,
		apiStreamInfo+StreamEvents, apiMsgGet+StreamEvents,
		apiDirectGet+StreamEvents, apiDirectGet+StreamEvents+"."+events.RootEvents+".>",
		apiCreate+StreamEvents+".*."+events.RootEvents+".>", apiConsInfo+StreamEvents+".*",
		apiDelete+StreamEvents+".*", apiNext+StreamEvents+".*")
	for _, p := range pools {
		g.denyPublish = append(g.denyPublish, apiCreate+StreamEvents+"."+p+".>", apiDelete+StreamEvents+"."+p)
		if !slices.Contains(works, p) {
			g.denyPublish = append(g.denyPublish, apiNext+StreamEvents+"."+p)
		}
	}
	g.subscribe = append(g.subscribe, events.RootLive+".>", events.RootSignals+".>")
}

// work grants pulling from pools: next message, its description, and
// acknowledgements.
func (g *grants) work(pools []string) {
	for _, pool := range pools {
		g.publish = append(g.publish, apiNext+StreamEvents+"."+pool, apiConsInfo+StreamEvents+"."+pool)
		g.acknowledge(pool)
	}
}

// acknowledge grants acknowledgements in both formats that the server knows.
func (g *grants) acknowledge(pool string) {
	g.publish = append(g.publish, "$JS.ACK."+StreamEvents+"."+pool+".>", "$JS.ACK.*.*."+StreamEvents+"."+pool+".>")
}

// reconcile grants handing work back, and making pools of the role's projects
// again. It does not grant pulling from them.
func (g *grants) reconcile(r Role, pools []string) {
	for _, kind := range []string{events.PoolTools, events.PoolShort, events.PoolModels} {
		for _, pool := range ofKind(pools, kind, r.Project) {
			g.acknowledge(pool)
			g.publish = append(g.publish, apiDurable+StreamEvents+"."+pool, apiConsReset+StreamEvents+"."+pool, apiConsPause+
				StreamEvents+"."+pool)
		}
	}
}

// readBeforeCalls grants what a worker reads before a call begins and while it
// runs: closed sessions, killed tickets and what workers wrote, by one consumer of
// a fixed name.
func (g *grants) readBeforeCalls(r Role, projects []string) {
	for _, project := range projects {
		name := r.consumer(project)
		under := events.RootEvents + "." + project + ".*."
		g.publish = append(g.publish,
			apiNext+StreamEvents+"."+name, apiDelete+StreamEvents+"."+name)
		selections := []string{"*.SessionClosed", events.ActorConductor + ".TicketKilled",
			events.ActorApproval + ".AskSettled"}
		for _, t := range typesOf("worker") {
			selections = append(selections, "*."+t)
		}
		for _, selection := range selections {
			subject := under + selection + ".>"
			g.publish = append(g.publish, apiDirectGet+StreamEvents+"."+subject, apiCreate+StreamEvents+"."+name+"."+subject)
		}
		g.subscribe = append(g.subscribe, events.RootLive+"."+project+".*."+events.ActorConductor+".TicketKilled.>",
			events.RootLive+"."+project+".*."+events.ActorApproval+".AskSettled.>")
	}
}

// probe grants asking whether a process of an actor is connected. The server
// answers where it is not; the process itself shows its presence, under its
// actor's name.
func (g *grants) probe() {
	g.publish = append(g.publish, events.RootHere+".*.*.*")
}

// snapshots grants the role's own states: whoever writes one decides what is
// known, so nobody writes another's.
func (g *grants) snapshots(keys string) {
	g.publish = append(g.publish, subjectSnaps+keys, apiDirectGet+streamSnapshots+"."+subjectSnaps+keys)
}

func (g *grants) claims() {
	g.publish = append(g.publish, subjectClaims+">",
		apiMsgGet+streamClaims, apiPurge+streamClaims, apiStreamInfo+streamClaims)
}

func (g *grants) readBlobs() {
	g.publish = append(g.publish, apiDirectGet+streamBlobs, apiMsgGet+streamBlobs)
}

func (g *grants) writeBlobs() {
	g.readBlobs()
	g.publish = append(g.publish, subjectBlobs+">")
}

func (g *grants) signals(r Role) {
	g.publish = append(g.publish, events.RootSignals+".*.*."+r.Actor()+".>")
	g.subscribe = append(g.subscribe, events.RootSignals+".>")
}

// permissions returns the form that the server takes. A connection that may
// publish nothing is denied everything, because an empty list would mean no
// limit.
func (g grants) permissions() *server.Permissions {
	p := &server.Permissions{
		Publish:   &server.SubjectPermission{Allow: g.publish, Deny: g.denyPublish},
		Subscribe: &server.SubjectPermission{Allow: g.subscribe},
	}
	if len(g.publish) == 0 {
		p.Publish = &server.SubjectPermission{Deny: []string{">"}}
	}
	return p
}

// typesOf lists the types of the catalogue that are written by writer.
func typesOf(writer string) []string {
	var out []string
	for _, d := range events.Catalogue().Defs() {
		if d.Writer == writer {
			out = append(out, d.Type.Name)
		}
	}
	return out
}

// denials wakes those who wait for an answer that will not come. The server
// answers a refused publish with a remark that names the subject and nothing
// else; without this a refusal would look like a timeout.
type denials struct {
	mu      sync.Mutex
	waiting map[string]map[*context.CancelCauseFunc]struct{}
}

// watch registers a waiter for the answer to subject until forget is called.
func (d *denials) watch(subject string, cancel context.CancelCauseFunc) (forget func()) {
	key := &cancel
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.waiting == nil {
		d.waiting = map[string]map[*context.CancelCauseFunc]struct{}{}
	}
	if d.waiting[subject] == nil {
		d.waiting[subject] = map[*context.CancelCauseFunc]struct{}{}
	}
	d.waiting[subject][key] = struct{}{}
	return func() {
		d.mu.Lock()
		defer d.mu.Unlock()
		delete(d.waiting[subject], key)
		if len(d.waiting[subject]) == 0 {
			delete(d.waiting, subject)
		}
	}
}

// deny wakes everybody who waits for the subject that the remark quotes.
// Rights depend on the subject alone, so all of them are refused.
func (d *denials) deny(remark error) {
	subject, ok := quoted(remark.Error())
	if !ok {
		return
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	for cancel := range d.waiting[subject] {
		(*cancel)(fmt.Errorf("%w: %s", events.ErrDenied, subject))
	}
}

// wakeAll ends every waiting attempt with the same cause.
func (d *denials) wakeAll(cause error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, set := range d.waiting {
		for cancel := range set {
			(*cancel)(cause)
		}
	}
}

// quoted returns the first text between double quotes.
func quoted(s string) (string, bool) {
	_, rest, ok := strings.Cut(s, `"`)
	if !ok {
		return "", false
	}
	text, _, ok := strings.Cut(rest, `"`)
	return text, ok
}
