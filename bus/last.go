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

// Last is the sequence of the newest event under f; see events.Log.
func (c *Conn) Last(ctx context.Context, f events.Filter) (uint64, error) {
	e, _, err := c.LastEvent(ctx, f)
	return e.Seq, err
}

// LastEvent is the newest event under f; false if there is none. A worker may
// ask for its own subtree only.
func (c *Conn) LastEvent(ctx context.Context, f events.Filter) (events.Event, bool, error) {
	if c.replicated {
		return c.lastOfLeader(ctx, f)
	}
	return c.get(ctx, apiDirectGet+StreamEvents+"."+f.Subject(), nil)
}

// get reads one stored event by a direct get, which any replica may answer.
func (c *Conn) get(ctx context.Context, subject string, req any) (events.Event, bool, error) {
	m, err := c.directGet(ctx, subject, req)
	if err != nil || m == nil {
		return events.Event{}, false, err
	}
	e, err := events.FromStored(*m)
	return e, err == nil, err
}

// directGet reads one stored message of any stream; nil where there is none.
func (c *Conn) directGet(ctx context.Context, subject string, req any) (*events.Stored, error) {
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
	return &events.Stored{
		Subject: stamped(resp.Header, jetstream.SubjectHeader), MsgID: resp.Header.Get(jetstream.MsgIDHeader),
		Seq: seq, Time: at, Body: resp.Data,
	}, nil
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

// lastOfLeader asks the leader of a replicated stream, which has every
// acknowledged event.
func (c *Conn) lastOfLeader(ctx context.Context, f events.Filter) (events.Event, bool, error) {
	var out struct {
		Message *struct {
			Subject string    `json:"subject"`
			Seq     uint64    `json:"seq"`
			Header  []byte    `json:"hdrs"`
			Data    []byte    `json:"data"`
			Time    time.Time `json:"time"`
		} `json:"message"`
	}
	err := c.api(ctx, apiMsgGet+StreamEvents, getRequest{LastFor: f.Subject()}, &out)
	if errors.Is(err, ErrNoKey) {
		return events.Event{}, false, nil
	}
	if err != nil || out.Message == nil {
		return events.Event{}, false, err
	}
	m := out.Message
	h, err := nats.DecodeHeadersMsg(m.Header)
	if err != nil && len(m.Header) > 0 {
		return events.Event{}, false, fmt.Errorf("headers of event %d: %w", m.Seq, err)
	}
	e, err := events.FromStored(events.Stored{Subject: m.Subject, MsgID: h.Get(jetstream.MsgIDHeader), Seq: m.Seq, Time: m.Time, Body: m.Data})
	return e, err == nil, err
}

// end is the last sequence of the stream and the count of its events.
func (c *Conn) end(ctx context.Context) (jetstream.StreamState, error) {
	var out struct {
		State jetstream.StreamState `json:"state"`
	}
	err := c.api(ctx, apiStreamInfo+StreamEvents, nil, &out)
	return out.State, err
}
