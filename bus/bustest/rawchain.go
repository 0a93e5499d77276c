package bustest

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"manualslop/bus"
	"manualslop/events"
)

// RawChain is the round trip of one tool call by the plain NATS client, to
// stand beside the same trip through our parts in the same run: a publish with
// compare-and-set, an ordered consumer that sees it, a publish with
// compare-and-set, a durable pull consumer that gets it, a plain publish, and
// the ordered consumer that sees that. Subjects, body sizes and kinds of
// headers are those of a real call; nothing is encoded or decoded on the way.
type RawChain struct {
	tb                          testing.TB
	requested, approved         leg
	settled                     leg
	contributor, approval, work jetstream.JetStream
	seen                        chan *nats.Msg
	n                           int
}

// leg is one of the three messages.
type leg struct {
	subject string
	filter  string // of the compare-and-set; empty for none
	last    uint64
	body    []byte
}

// NewRawChain prepares a chain in a session of its own. It takes work from the
// pool of tools, so nobody else may do so meanwhile. It stops with the test.
func NewRawChain(tb testing.TB, s *bus.Server, session string) *RawChain {
	tb.Helper()
	worker := bus.WorkerName("test", 1)
	args := json.RawMessage(`{"path":"src/a.go","start_line":1,"end_line":200}`)
	r := &RawChain{tb: tb, seen: make(chan *nats.Msg, 64),
		requested: newLeg(tb, session, events.ActorContributor, true, events.ToolRequested{Call: "01JABCDEFGHJKMNPQRSTVWXYZ0-0",
			Tool: "read_file", Args: args, Ticket: "T-001", Attempt: 1, Round: 1}),
		approved: newLeg(tb, session, events.ActorApproval, true, events.ToolApproved{Call: "01JABCDEFGHJKMNPQRSTVWXYZ0-0",
			Tool: "read_file", Args: args, ArgsSHA256: events.Digest(args), Effect: "reads", Ticket: "T-001", Generation: 1, By: "rule", TimeoutMS: 60000}),
		settled: newLeg(tb, session, worker, false, events.ToolSettled{Call: "01JABCDEFGHJKMNPQRSTVWXYZ0-0",
			Tool: "read_file", Outcome: events.ToolDone, Text: "package a\n", SHA256: events.Digest([]byte("package a\n")), ArgsSHA256: events.Digest(args), Generation: 1}),
	}
	r.contributor = r.connect(s, bus.Role{Kind: bus.Decider, Name: events.ActorContributor})
	r.approval = r.connect(s, bus.Role{Kind: bus.Decider, Name: events.ActorApproval})
	r.work = r.connect(s, bus.Role{Kind: bus.Worker, Name: worker})
	r.follow(r.connect(s, bus.Role{Kind: bus.Reader}), session)
	r.serve()
	return r
}

func newLeg(tb testing.TB, session, actor string, expect bool, p events.Payload) leg {
	tb.Helper()
	e, err := events.New(events.Origin{ID: "01JABCDEFGHJKMNPQRSTVWXYZ0", Time: time.Now(), Project: "raw", Session: session, Actor: actor, Cause: "01JABCDEFGHJKMNPQRSTVWXYZ0", N: 1}, p)
	if err != nil {
		tb.Fatalf("raw chain: %v", err)
	}
	body, err := json.Marshal(e)
	if err != nil {
		tb.Fatalf("raw chain: %v", err)
	}
	l := leg{subject: e.Subject(), body: body}
	if expect {
		l.filter = events.Filter{Project: "raw", Session: session, Actor: actor}.Subject()
	}
	return l
}

func (r *RawChain) connect(s *bus.Server, role bus.Role) jetstream.JetStream {
	nc, err := s.Stock(role)
	if err != nil {
		r.tb.Fatalf("raw chain: %v", err)
	}
	r.tb.Cleanup(nc.Close)
	js, err := jetstream.New(nc)
	if err != nil {
		r.tb.Fatalf("raw chain: %v", err)
	}
	return js
}

// follow begins the ordered consumer.
func (r *RawChain) follow(js jetstream.JetStream, session string) {
	ctx, cancel := context.WithTimeout(context.Background(), openTimeout)
	defer cancel()
	c, err := js.OrderedConsumer(ctx, bus.StreamEvents, jetstream.OrderedConsumerConfig{
		FilterSubjects: []string{events.Filter{Project: "raw", Session: session}.Subject()}, DeliverPolicy: jetstream.DeliverNewPolicy})
	if err != nil {
		r.tb.Fatalf("raw chain: %v", err)
	}
	cc, err := c.Consume(func(m jetstream.Msg) { r.seen <- &nats.Msg{Subject: m.Subject()} })
	if err != nil {
		r.tb.Fatalf("raw chain: %v", err)
	}
	r.tb.Cleanup(cc.Stop)
}

// serve answers each approved call, one pull per message.
func (r *RawChain) serve() {
	ctx, cancel := context.WithCancel(context.Background())
	c, err := r.work.Consumer(ctx, bus.StreamEvents, bus.PoolTools)
	if err != nil {
		cancel()
		r.tb.Fatalf("raw chain: %v", err)
	}
	done := make(chan struct{})
	r.tb.Cleanup(func() {
		cancel()
		<-done
	})
	go func() {
		defer close(done)
		for n := 0; ctx.Err() == nil; n++ {
			m, err := c.Next(jetstream.FetchContext(ctx))
			if err != nil {
				continue // expired, or the end
			}
			if err := r.settled.publish(ctx, r.work, "settled-"+strconv.Itoa(n)); err == nil {
				_ = m.Ack()
			}
		}
	}()
}

func (l *leg) publish(ctx context.Context, js jetstream.JetStream, id string) error {
	m := &nats.Msg{Subject: l.subject, Data: l.body, Header: nats.Header{jetstream.MsgIDHeader: {l.subject + id}}}
	if l.filter != "" {
		m.Header[jetstream.ExpectedLastSubjSeqHeader] = []string{strconv.FormatUint(l.last, 10)}
		m.Header[jetstream.ExpectedLastSubjSeqSubjHeader] = []string{l.filter}
	}
	ack, err := js.PublishMsg(ctx, m)
	if err == nil {
		l.last = ack.Sequence
	}
	return err
}

// Trip makes one round trip and says how long it took.
func (r *RawChain) Trip(ctx context.Context) (time.Duration, error) {
	r.n++
	id := strconv.Itoa(r.n)
	start := time.Now()
	if err := r.requested.publish(ctx, r.contributor, id); err != nil {
		return 0, fmt.Errorf("request: %w", err)
	}
	if err := r.await(ctx, r.requested.subject); err != nil {
		return 0, err
	}
	if err := r.approved.publish(ctx, r.approval, id); err != nil {
		return 0, fmt.Errorf("approval: %w", err)
	}
	if err := r.await(ctx, r.settled.subject); err != nil {
		return 0, err
	}
	return time.Since(start), nil
}

func (r *RawChain) await(ctx context.Context, subject string) error {
	for {
		select {
		case m := <-r.seen:
			if m.Subject == subject {
				return nil
			}
		case <-ctx.Done():
			return fmt.Errorf("wait for %s: %w", subject, ctx.Err())
		}
	}
}
