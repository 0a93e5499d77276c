// Package rawbus sends the messages of one tool call with the plain NATS
// client, as the baseline for the engine's own measurements. It publishes the
// same subjects, body sizes and kinds of headers through the same kinds of
// consumers, but encodes, decodes and decides nothing.
//
// A request is published with a compare-and-set. An ordered consumer receives it, and an approval is published
// with a compare-and-set. A durable pull consumer receives the approval, and an outcome is published, which the
// ordered consumer receives.
package rawbus

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"manualslop/bus"
	"manualslop/events"
)

// Connect makes a plain connection with the rights of a role.
type Connect func(bus.Role) (*nats.Conn, error)

// Dial connects to a server in another process with a file of credentials.
func Dial(url, creds string) Connect {
	return func(r bus.Role) (*nats.Conn, error) {
		return bus.DialStock(bus.DialConfig{URL: url, Creds: creds, Role: r})
	}
}

// openTimeout limits the creation of a consumer.
const openTimeout = 10 * time.Second

// Chain makes round trips. It is not safe for concurrent use.
type Chain struct {
	requested, approved   leg
	contributor, approval jetstream.JetStream
	// Signals for each message that the ordered consumer has received, by leg.
	requests, approvals, outcomes chan struct{}

	conns   []*nats.Conn
	consume jetstream.ConsumeContext
	n       int
}

// maxInFlight limits the calls in flight of one Rate.
const maxInFlight = 1 << 16

// New prepares a chain in its own session. A [Work] must serve the pool of tools, and nothing else may. Close
// ends it.
func New(connect Connect, session string) (*Chain, error) {
	c := &Chain{requested: requested(session), approved: approved(session), requests: make(chan struct{}, maxInFlight),
		approvals: make(chan struct{}, maxInFlight), outcomes: make(chan struct{}, maxInFlight)}
	var err error
	if c.contributor, err = c.open(connect, bus.Role{Kind: bus.Decider, Name: events.ActorContributor}); err != nil {
		return nil, err
	}
	if c.approval, err = c.open(connect, bus.Role{Kind: bus.Decider, Name: events.ActorApproval}); err != nil {
		return nil, err
	}
	reader, err := c.open(connect, bus.Role{Kind: bus.Reader})
	if err != nil {
		return nil, err
	}
	return c, c.follow(reader, session)
}

func (c *Chain) open(connect Connect, role bus.Role) (jetstream.JetStream, error) {
	nc, err := connect(role)
	if err != nil {
		return nil, err
	}
	c.conns = append(c.conns, nc)
	return jetstream.New(nc)
}

// follow starts the ordered consumer.
func (c *Chain) follow(js jetstream.JetStream, session string) error {
	return c.consumeNew(js, events.Filter{Project: Project, Session: session}, func(m jetstream.Msg) {
		switch m.Subject() {
		case c.requested.subject:
			c.requests <- struct{}{}
		case c.approved.subject:
			c.approvals <- struct{}{}
		default:
			c.outcomes <- struct{}{}
		}
	})
}

// consumeNew makes an ordered consumer deliver new messages.
func (c *Chain) consumeNew(js jetstream.JetStream, f events.Filter, show func(jetstream.Msg)) error {
	ctx, cancel := context.WithTimeout(context.Background(), openTimeout)
	defer cancel()
	consumer, err := js.OrderedConsumer(ctx, bus.StreamEvents, jetstream.OrderedConsumerConfig{
		FilterSubjects: []string{f.Subject()}, DeliverPolicy: jetstream.DeliverNewPolicy})
	if err != nil {
		return fmt.Errorf("raw chain: %w", err)
	}
	c.consume, err = consumer.Consume(show)
	return err
}

// Close ends the chain.
func (c *Chain) Close() {
	if c.consume != nil {
		c.consume.Stop()
	}
	for _, nc := range c.conns {
		nc.Close()
	}
}

// Trip makes one round trip and returns how long it took.
func (c *Chain) Trip(ctx context.Context) (time.Duration, error) {
	_, whole, err := c.trip(ctx)
	return whole, err
}

// Pair measures two appends with the hops between them: the request is received, and the approval is published
// and received. That corresponds to an answer and its settlement.
func (c *Chain) Pair(ctx context.Context) (time.Duration, error) {
	pair, _, err := c.trip(ctx)
	return pair, err
}

func (c *Chain) trip(ctx context.Context) (pair, whole time.Duration, err error) {
	start := time.Now()
	if err := c.request(ctx); err != nil {
		return 0, 0, err
	}
	if err := await(ctx, c.requests); err != nil {
		return 0, 0, err
	}
	if err := c.approve(ctx); err != nil {
		return 0, 0, err
	}
	if err := await(ctx, c.approvals); err != nil {
		return 0, 0, err
	}
	pair = time.Since(start)
	if err := await(ctx, c.outcomes); err != nil {
		return 0, 0, err
	}
	return pair, time.Since(start), nil
}

// Rate keeps inFlight round trips in progress until the given number is done, each party in its own goroutine,
// and returns how many were done per second.
func (c *Chain) Rate(ctx context.Context, inFlight, calls int) (float64, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	approver := make(chan struct{})
	go func() {
		defer close(approver)
		for range inFlight + calls {
			err := await(ctx, c.requests)
			if err == nil {
				err = c.approve(ctx)
			}
			if err != nil {
				cancel(err)
				return
			}
		}
	}()
	start := time.Now()
	for range inFlight {
		if err := c.request(ctx); err != nil {
			return 0, err
		}
	}
	for range calls {
		if err := await(ctx, c.outcomes); err != nil {
			return 0, err
		}
		if err := c.request(ctx); err != nil {
			return 0, err
		}
	}
	rate := float64(calls) / time.Since(start).Seconds()
	return rate, c.drain(ctx, approver, inFlight, inFlight+calls)
}

// drain waits for the trips still in progress.
func (c *Chain) drain(ctx context.Context, approver <-chan struct{}, inFlight, all int) error {
	<-approver
	for range inFlight {
		if err := await(ctx, c.outcomes); err != nil {
			return err
		}
	}
	for range all {
		if err := await(ctx, c.approvals); err != nil {
			return err
		}
	}
	return nil
}

func (c *Chain) request(ctx context.Context) error {
	c.n++
	return c.requested.publish(ctx, c.contributor, strconv.Itoa(c.n))
}

func (c *Chain) approve(ctx context.Context) error {
	return c.approved.publish(ctx, c.approval, strconv.FormatUint(c.approved.last, 10))
}

func await(ctx context.Context, seen <-chan struct{}) error {
	select {
	case <-seen:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// Project is the project of the raw chain.
const Project = "raw"

// callArgs are the arguments of every call.
var callArgs = json.RawMessage(`{"path":"src/a.go","start_line":1,"end_line":200}`)
