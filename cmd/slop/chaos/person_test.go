package chaos

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/oklog/ulid/v2"

	"manualslop/bus"
	"manualslop/events"
)

// personName is who answers.
const personName = "ada"

// person is somebody who follows the log and answers what is asked, again and
// again until it counts.
type person struct {
	run *run

	mu       sync.Mutex
	conn     *bus.Conn
	seen     map[uint64]events.Event // by sequence, as the feed told
	heard    map[uint64]time.Time    // when it told
	last     uint64
	sessions map[string]*session
	offers   map[string]events.ToolsOffered // by session, the newest
	asks     map[string]*openAsk
	acked    map[string]uint64 // events of the person that the bus acknowledged, and where
	pushed   map[string]string // questions of a program that the gateway answered, and with what
	moved    time.Time         // when the log last grew
}

// session is what the person knows of a session.
type session struct {
	id      string
	goal    bool
	over    bool // its goal is reached or failed, or it is closed
	closed  bool
	running map[string]bool // tickets
	killed  map[string]bool // and not yet tried again
	play    string          // what it performs
}

// openAsk is a question that is not settled.
type openAsk struct {
	session string
	events.AskRaised
	answered time.Time
}

func newPerson(r *run) *person {
	return &person{run: r, seen: map[uint64]events.Event{}, heard: map[uint64]time.Time{}, sessions: map[string]*session{},
		offers: map[string]events.ToolsOffered{}, asks: map[string]*openAsk{},
		acked: map[string]uint64{}, pushed: map[string]string{}, moved: time.Now()}
}

// follow reads the log until ctx ends, over every loss of the bus.
func (p *person) follow(ctx context.Context) {
	for ctx.Err() == nil {
		conn, err := bus.Dial(ctx, bus.DialConfig{URL: "nats://" + p.run.bus, Creds: filepath.Join(p.run.data(), "keys",
			"person-"+personName+".json"),
			Role: bus.Role{Kind: bus.Person, Name: personName}})
		if err != nil {
			p.run.rest(100 * time.Millisecond)
			continue
		}
		p.mu.Lock()
		p.conn = conn
		from := p.last + 1
		p.mu.Unlock()
		p.read(ctx, conn, from)
		p.mu.Lock()
		p.conn = nil
		p.mu.Unlock()
		conn.Close()
	}
}

func (p *person) read(ctx context.Context, conn *bus.Conn, from uint64) {
	_, feed, err := conn.Watch(ctx, events.Filter{}, from)
	if err != nil {
		return
	}
	registry := events.Catalogue()
	for e, err := range feed {
		if err != nil {
			if ctx.Err() == nil {
				p.run.violate("feed-ended", "the feed of %s behind %d: %v", personName, p.position(), err)
			}
			return
		}
		registry.Decode(&e)
		p.take(e)
	}
}

func (p *person) position() uint64 {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.last
}

// take folds one event.
func (p *person) take(e events.Event) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if e.Seq <= p.last {
		p.run.violate("feed-repeats", "event %d came behind %d", e.Seq, p.last)
	}
	p.last, p.moved, p.seen[e.Seq], p.heard[e.Seq] = e.Seq, time.Now(), e, time.Now()
	s := p.sessions[e.Session]
	if s == nil {
		s = &session{id: e.Session, running: map[string]bool{}, killed: map[string]bool{}}
		p.sessions[e.Session] = s
	}
	switch x := e.Payload.(type) {
	case events.GoalSubmitted:
		s.goal, s.play = true, playName.FindString(x.Goal)
	case events.ToolsOffered:
		p.offers[e.Session] = x
	case events.GoalCompleted, events.GoalFailed:
		s.over = true
	case events.SessionClosed:
		s.over, s.closed = true, true
	case events.TicketStarted:
		s.running[x.Ticket.ID] = true
	case events.TicketResolved:
		delete(s.running, x.Ticket)
	case events.TicketKilled:
		delete(s.running, x.Ticket)
		s.killed[x.Ticket] = true
	case events.AskRaised:
		p.asks[x.Ask] = &openAsk{session: e.Session, AskRaised: x}
	case events.AskSettled:
		delete(p.asks, x.Ask)
	case events.SessionStalled:
		p.run.violate("session-stalled", "session %s, %s: %s", e.Session, x.Decider, x.Reason)
	}
	switch e.Type {
	case "PreviewBuilt", "TicketKilled", "TicketResolved", "GoalFailed", "SessionClosed":
		p.run.release(s.play)
	}
}

// answer answers what waits, until ctx ends.
func (p *person) answer(ctx context.Context) {
	for ctx.Err() == nil {
		for _, a := range p.due() {
			decision, args := p.decide(a)
			if p.pick(a.Ask+"way")%2 == 0 {
				p.say(ctx, a.session, fmt.Sprintf("answer-%s-%s-%d", a.session, a.Ask, p.run.clock()),
					events.AskAnswered{Ask: a.Ask, Decision: decision, Args: args, Response: response(a)})
			} else {
				p.post(ctx, a, decision, args)
			}
		}
		p.run.rest(30 * time.Millisecond)
	}
}

// response is what a program that asked gets to know.
func response(a openAsk) json.RawMessage {
	if a.Gate == events.GateHTTP {
		return json.RawMessage("true")
	}
	return nil
}

// due are the asks that were not answered, or whose answer seems lost.
func (p *person) due() []openAsk {
	p.mu.Lock()
	defer p.mu.Unlock()
	var out []openAsk
	for _, a := range p.asks { // order-independent: each is answered by itself
		if time.Since(a.answered) > 2*time.Second {
			a.answered = time.Now()
			out = append(out, *a)
		}
	}
	return out
}

// pick is a number that depends on a word and the seed alone.
func (p *person) pick(word string) int {
	h := fnv.New32a()
	fmt.Fprintf(h, "%d %s", p.run.seed, word)
	return int(h.Sum32() >> 8)
}

// decide says yes to most; of an interrupted call it looks at what it left.
func (p *person) decide(a openAsk) (decision string, args json.RawMessage) {
	id := idOf(a.Args)
	if a.Gate == events.GateInterrupted {
		return p.judge(id)
	}
	if a.Gate == events.GateTool && p.pick(id)%12 == 0 {
		return events.No, nil
	}
	return events.Yes, nil
}

// judge decides on an interrupted call: what ended is done, what did not begin
// is tried again, and of the rest the person is unsure.
func (p *person) judge(id string) (decision string, args json.RawMessage) {
	begun, ended := ran(p.run.marks()[id])
	switch {
	case id != "" && ended > 0:
		return events.Yes, json.RawMessage(`{"resolution":"done"}`)
	case begun == 0 || p.pick(id)%2 == 0:
		return events.Yes, json.RawMessage(`{"resolution":"retry"}`)
	}
	return events.No, nil
}

// say records a word of the person; what the bus acknowledges must stay.
func (p *person) say(ctx context.Context, session, id string, payload events.Payload) {
	p.mu.Lock()
	conn := p.conn
	p.mu.Unlock()
	if conn == nil {
		return
	}
	e, err := events.New(events.Origin{ID: id, Time: time.Now(), Project: p.run.name(), Session: session,
		Actor: personName}, payload)
	if err != nil {
		p.run.violate("harness", "%v", err)
		return
	}
	ctx, cancel := context.WithTimeout(ctx, 3*time.Second)
	defer cancel()
	if seq, err := conn.Append(ctx, e, nil); err == nil {
		p.mu.Lock()
		defer p.mu.Unlock()
		p.acked[id] = seq
	}
}

// post answers over HTTP.
func (p *person) post(ctx context.Context, a openAsk, decision string, args json.RawMessage) {
	answer := map[string]any{"approved": decision == events.Yes}
	if args != nil {
		answer["args"] = args
	}
	body := map[string]any{"request_id": a.Ask, "response": answer}
	if a.Gate == events.GateHTTP {
		body["response"] = true
	}
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	p.http(ctx, "/api/ask/respond?session="+a.session, text(body))
}

// http posts to the gateway; status 0: nobody answered.
func (p *person) http(ctx context.Context, path, body string) (status int, said string) {
	where, token := p.run.gateway()
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, where+path, bytes.NewBufferString(body))
	if err != nil || where == "" {
		return 0, ""
	}
	req.Header.Set("Authorization", "Bearer "+token)
	req.Header.Set("Content-Type", "application/json")
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return 0, ""
	}
	defer res.Body.Close()
	raw, err := io.ReadAll(res.Body)
	if err != nil {
		return 0, ""
	}
	return res.StatusCode, string(raw)
}

// push has a program ask one question after the other, each again until it has
// an answer, and remembers the answers.
func (p *person) push(ctx context.Context) {
	for n := 0; ctx.Err() == nil; n++ {
		id := fmt.Sprintf("push-%d", n)
		for ctx.Err() == nil {
			ask, cancel := context.WithTimeout(ctx, 10*time.Second)
			status, said := p.http(ask, "/api/ask", text(map[string]any{"question": id, "request_id": id}))
			cancel()
			if status == http.StatusOK || status == http.StatusConflict && strings.Contains(said, "settled") {
				p.mu.Lock()
				p.pushed[id] = said
				p.mu.Unlock()
				break
			}
			p.run.rest(100 * time.Millisecond)
		}
		p.run.rest(200 * time.Millisecond)
	}
}

// open lists sessions that have not come to their end, oldest first.
func (p *person) open() []session {
	p.mu.Lock()
	defer p.mu.Unlock()
	var out []session
	for _, id := range sorted(p.sessions) {
		if s := p.sessions[id]; !s.over {
			out = append(out, *s)
		}
	}
	return out
}

// meddle kills a running ticket, tries a killed one again, or closes a session.
func (p *person) meddle(ctx context.Context, target, choice int) {
	open := p.open()
	if len(open) == 0 {
		return
	}
	s := open[target%len(open)]
	id := ulid.Make().String()
	p.mu.Lock()
	running, killed := sorted(s.running), sorted(s.killed)
	p.mu.Unlock()
	switch {
	case choice%5 == 0:
		p.say(ctx, s.id, id, events.SessionClosed{Reason: "enough"})
	case len(killed) > 0:
		p.say(ctx, s.id, id, events.RetryRequested{Ticket: killed[choice%len(killed)]})
	case len(running) > 0:
		p.say(ctx, s.id, id, events.KillRequested{Ticket: running[choice%len(running)]})
	}
}

// offer offers an open session its tools once more, with a schema that must not
// be used in the place of one: the tool is refused by name, and nothing else ends.
func (p *person) offer(ctx context.Context, target, choice int) {
	open := p.open()
	if len(open) == 0 {
		return
	}
	s := open[target%len(open)]
	p.mu.Lock()
	offered := events.ToolsOffered{Tools: slices.Clone(p.offers[s.id].Tools)}
	p.mu.Unlock()
	for i, tool := range offered.Tools {
		if tool.Name == "read_file" {
			offered.Tools[i].Schema = json.RawMessage(badSchemas[choice%len(badSchemas)])
		}
	}
	if len(offered.Tools) > 0 {
		p.say(ctx, s.id, ulid.Make().String(), offered)
	}
}

// badSchemas lead to themselves, elsewhere, or too deep, or are none.
var badSchemas = []string{
	`{"$ref":"#"}`,
	`{"properties":{"path":{"$ref":"#"}}}`,
	`{"$ref":"#/$defs/a","$defs":{"a":{"$ref":"#/$defs/b"},"b":{"$ref":"#/$defs/a"}}}`,
	`{"$ref":"https://example.com/schema.json"}`,
	strings.Repeat(`{"not":`, 500) + `{}` + strings.Repeat(`}`, 500),
	`7`,
}

// gateway is where the gateway of now is, and the person's token.
func (r *run) gateway() (url, token string) {
	raw, err := os.ReadFile(filepath.Join(r.data(), "tokens", "human.token"))
	if err != nil {
		return "", ""
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.hooks, strings.TrimSpace(string(raw))
}
