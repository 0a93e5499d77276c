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

// Subject prefixes of the server's API and of buckets that rights refer to.
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

// grants lists the subjects to which a connection may publish and subscribe. Everything else is denied, and a
// denial overrides a grant.
type grants struct {
	publish, denyPublish, subscribe []string
}

// rightsOf returns the rights of a role. Only the subject identifies the author of a message, so no role may
// publish under another's token or make the server do so. The server sends its answers to any reply subject that
// a request names. Of these, messages that it copies out of a stream carry a mark and are ignored (see stored),
// messages that a consumer delivers keep their own subject, and all other answers are not events. pools are the
// names of the work pools: a reader may create its own consumers but never touch those.
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

// write grants the role's own subtree, or only the given types in it. It does not cover subjects with more or
// fewer tokens than an event's.
func (g *grants) write(r Role, types ...string) {
	own := events.RootEvents + ".*.*." + r.Actor() + "."
	if len(types) == 0 {
		g.publish = append(g.publish, own+"*.*")
	}
	for _, t := range types {
		g.publish = append(g.publish, own+t+".*")
	}
}

// lastOfOwn grants reading the newest event of the role's own subtree.
func (g *grants) lastOfOwn(r Role) {
	g.publish = append(g.publish, apiDirectGet+StreamEvents+"."+events.RootEvents+".*.*."+r.Actor()+".>")
}

// readLog grants creating consumers over events, each with one filter. The pools cannot be changed, and work may
// be pulled only from those in works.
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

// work grants pulling from pools: requesting the next message, reading the pool's state, and acknowledging.
func (g *grants) work(pools []string) {
	for _, pool := range pools {
		g.publish = append(g.publish, apiNext+StreamEvents+"."+pool, apiConsInfo+StreamEvents+"."+pool)
		g.acknowledge(pool)
	}
}

// acknowledge grants acknowledgements in both formats that the server supports.
func (g *grants) acknowledge(pool string) {
	g.publish = append(g.publish, "$JS.ACK."+StreamEvents+"."+pool+".>", "$JS.ACK.*.*."+StreamEvents+"."+pool+".>")
}

// reconcile grants releasing work and recreating the pools of the role's projects. It does not grant pulling from
// them.
func (g *grants) reconcile(r Role, pools []string) {
	for _, kind := range []string{events.PoolTools, events.PoolShort, events.PoolModels} {
		for _, pool := range ofKind(pools, kind, r.Project) {
			g.acknowledge(pool)
			g.publish = append(g.publish, apiDurable+StreamEvents+"."+pool, apiConsReset+StreamEvents+"."+pool, apiConsPause+
				StreamEvents+"."+pool)
		}
	}
}

// readBeforeCalls grants what a worker must read before and during a call: closed sessions, killed tickets and
// the events of workers, through one consumer with a fixed name.
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

// probe grants probing whether a process of an actor is connected. If it is not, the server answers; otherwise
// the process sends its presence signal under its actor's name.
func (g *grants) probe() {
	g.publish = append(g.publish, events.RootHere+".*.*.*")
}

// snapshots grants the role's own snapshots. The author of a snapshot decides what is known, so no role may write
// another's.
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

// permissions converts the grants to the server's form. A connection without publish rights is denied everything
// explicitly, because an empty list would mean no limit.
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

// typesOf lists the types of the catalogue that writer may write.
func typesOf(writer string) []string {
	var out []string
	for _, d := range events.Catalogue().Defs() {
		if d.Writer == writer {
			out = append(out, d.Type.Name)
		}
	}
	return out
}

// denials wakes callers that wait for an answer that will not come. The server reports a denied publish only with
// an error that names the subject; without this a denial would look like a timeout.
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

// deny wakes all callers that wait for the subject that the error quotes. Rights depend only on the subject, so
// all of them are denied.
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

// quoted returns the first text in double quotes.
func quoted(s string) (string, bool) {
	_, rest, ok := strings.Cut(s, `"`)
	if !ok {
		return "", false
	}
	text, _, ok := strings.Cut(rest, `"`)
	return text, ok
}
