package rawbus

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"manualslop/events"
)

// someID is a placeholder for the id of an event.
const someID = "01JABCDEFGHJKMNPQRSTVWXYZ0"

// leg is one of the three messages of a trip.
type leg struct {
	subject string
	filter  string // filter of the compare-and-set; empty for none
	last    uint64
	body    []byte
}

func requested(session string) leg {
	return newLeg(session, events.ActorContributor, true, events.ToolRequested{Call: someID + "-0", Tool: "read_file",
		Args: callArgs, Ticket: "T-001", Attempt: 1, Round: 1})
}

func approved(session string) leg {
	return newLeg(session, events.ActorApproval, true, events.ToolApproved{Call: someID + "-0", Tool: "read_file",
		Args:       callArgs,
		ArgsSHA256: events.Digest(callArgs), Effect: "reads", Ticket: "T-001", Generation: 1, By: "rule", TimeoutMS: 60000})
}

func settled(session, worker string) leg {
	return newLeg(session, worker, false, events.ToolSettled{Call: someID + "-0", Tool: "read_file",
		Outcome: events.ToolDone, Text: "package a\n",
		SHA256: events.Digest([]byte("package a\n")), ArgsSHA256: events.Digest(callArgs), Generation: 1})
}

func newLeg(session, actor string, expect bool, p events.Payload) leg {
	e, err := events.New(events.Origin{ID: someID, Time: time.Now(), Project: Project, Session: session, Actor: actor,
		Cause: someID, N: 1}, p)
	if err != nil {
		panic(err) // fails only if a constant of the program is wrong
	}
	body, err := json.Marshal(e)
	if err != nil {
		panic(err)
	}
	l := leg{subject: e.Subject(), body: body}
	if expect {
		l.filter = events.Filter{Project: Project, Session: session, Actor: actor}.Subject()
	}
	return l
}

func (l *leg) publish(ctx context.Context, js jetstream.JetStream, id string) error {
	m := &nats.Msg{Subject: l.subject, Data: l.body, Header: nats.Header{jetstream.MsgIDHeader: {l.subject + id}}}
	if l.filter != "" {
		m.Header[jetstream.ExpectedLastSubjSeqHeader] = []string{strconv.FormatUint(l.last, 10)}
		m.Header[jetstream.ExpectedLastSubjSeqSubjHeader] = []string{l.filter}
	}
	ack, err := js.PublishMsg(ctx, m)
	if err != nil {
		return fmt.Errorf("raw publish %s: %w", l.subject, err)
	}
	l.last = ack.Sequence
	return nil
}
