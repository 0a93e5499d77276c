package bus

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"manualslop/events"
)

// getRequest asks for one stored message.
type getRequest struct {
	Seq     uint64 `json:"seq,omitempty"`
	LastFor string `json:"last_by_subj,omitempty"`
	NextFor string `json:"next_by_subj,omitempty"`
}

// Last is the sequence of the newest event under f; see events.Log. A message
// on a foreign subject is no event and has its place all the same: it is not
// looked into, so that one at the end of the log stops nobody.
func (c *Conn) Last(ctx context.Context, f events.Filter) (uint64, error) {
	m, err := c.lastStored(ctx, f)
	if err != nil || m == nil {
		return 0, err
	}
	return m.Seq, nil
}

// LastEvent is the newest event under f; false if there is none. A role that
// may not read the log may ask for its own subtree only.
func (c *Conn) LastEvent(ctx context.Context, f events.Filter) (events.Event, bool, error) {
	m, err := c.lastStored(ctx, f)
	if err != nil || m == nil {
		return events.Event{}, false, err
	}
	e, err := fromStored(*m)
	return e, err == nil, err
}

// lastStored is the newest message under f; nil if there is none.
func (c *Conn) lastStored(ctx context.Context, f events.Filter) (*stored, error) {
	return c.newestOn(ctx, f.Subject())
}

// newestOn is the newest message of the log on a subject, which may have
// wildcards; nil if there is none.
func (c *Conn) newestOn(ctx context.Context, subject string) (*stored, error) {
	if c.asksLeader() {
		return c.askLeader(ctx, StreamEvents, getRequest{LastFor: subject})
	}
	return c.directGet(ctx, apiDirectGet+StreamEvents+"."+subject, nil)
}

// asksLeader tells whether reads of the log go to the leader of a cluster. An
// agent may not ask it: it reads its own newest event of any replica.
func (c *Conn) asksLeader() bool {
	return c.replicated.Load() && (c.role.readsLog() || c.role.Kind == Worker)
}

// storedAt is the message at a sequence of the log; nil if there is none.
func (c *Conn) storedAt(ctx context.Context, seq uint64) (*stored, error) {
	if c.asksLeader() {
		return c.askLeader(ctx, StreamEvents, getRequest{Seq: seq})
	}
	return c.directGet(ctx, apiDirectGet+StreamEvents, getRequest{Seq: seq})
}

// directGet reads one stored message of any stream; nil where there is none.
func (c *Conn) directGet(ctx context.Context, subject string, req any) (*stored, error) {
	var body []byte
	if req != nil {
		var err error
		if body, err = json.Marshal(req); err != nil {
			return nil, fmt.Errorf("encode request %s: %w", subject, err)
		}
	}
	resp, err := c.request(ctx, &nats.Msg{Subject: subject, Data: body})
	if err != nil {
		return nil, err
	}
	switch status := resp.Header.Get("Status"); status {
	case "":
	case "404":
		return nil, nil
	default:
		return nil, fmt.Errorf("%s: %w: status %s %s", subject, ErrUnavailable, status, resp.Header.Get("Description"))
	}
	seq, err := sequence(resp.Header)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", subject, err)
	}
	at, err := time.Parse(time.RFC3339Nano, stamped(resp.Header, jetstream.TimeStampHeaer))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", subject, err)
	}
	return &stored{events.Stored{
		Subject: stamped(resp.Header, jetstream.SubjectHeader), MsgID: resp.Header.Get(jetstream.MsgIDHeader),
		Seq: seq, Time: at, Body: resp.Data,
	}, len(resp.Header.Values(jetstream.StreamHeader)) > 1}, nil
}

// stamped is a header that the server wrote into its answer. It stands behind
// those that the message was stored with, which its writer may have forged.
func stamped(h nats.Header, key string) string {
	values := h.Values(key)
	if len(values) == 0 {
		return ""
	}
	return values[len(values)-1]
}

func sequence(h nats.Header) (uint64, error) {
	return strconv.ParseUint(stamped(h, jetstream.SequenceHeader), 10, 64)
}

// askLeader asks the leader of a stream, which has every acknowledged message;
// nil where there is none.
func (c *Conn) askLeader(ctx context.Context, stream string, req getRequest) (*stored, error) {
	var out struct {
		Message *struct {
			Subject string    `json:"subject"`
			Seq     uint64    `json:"seq"`
			Header  []byte    `json:"hdrs"`
			Data    []byte    `json:"data"`
			Time    time.Time `json:"time"`
		} `json:"message"`
	}
	err := c.api(ctx, apiMsgGet+stream, req, &out)
	if errors.Is(err, ErrNoKey) {
		return nil, nil
	}
	if err != nil || out.Message == nil {
		return nil, err
	}
	m, h := out.Message, nats.Header{}
	if len(m.Header) > 0 {
		if h, err = nats.DecodeHeadersMsg(m.Header); err != nil {
			return nil, fmt.Errorf("headers of message %d: %w", m.Seq, err)
		}
	}
	return &stored{events.Stored{Subject: m.Subject, MsgID: h.Get(jetstream.MsgIDHeader), Seq: m.Seq, Time: m.Time,
		Body: m.Data},
		len(h.Values(jetstream.StreamHeader)) > 0}, nil
}

// stored is a message of a stream as the server gave it out.
type stored struct {
	events.Stored
	// copied tells that the server put the message into the stream itself. It
	// sends its answers to whatever reply subject a request names, also to one
	// that the asker may not publish; so permissions pin the author of such a
	// message to nobody. The server marks what it copies out of a stream.
	copied bool
}

// fromStored decodes a message of the log. A copied one is malformed, under an
// id of its own: it has its place in the order and never counts. Only a foreign
// subject is an error.
func fromStored(m stored) (events.Event, error) {
	if !m.copied {
		return events.FromStored(m.Stored)
	}
	raw := m.Body
	m.MsgID, m.Body = "", nil
	e, err := events.FromStored(m.Stored)
	if err != nil {
		return events.Event{}, err
	}
	e.Payload = events.Unreadable(e.Type, 1, raw, fmt.Sprintf("%s did not publish it: the server copied it here", e.Actor))
	return e, nil
}
