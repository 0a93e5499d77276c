package bus

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"sync"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/nats-io/nuid"

	"manualslop/events"
)

// copied is one kept message of the log.
type copied struct {
	subject, id string
	body        []byte
}

// chain is a digest over a sequence of messages.
type chain [sha256.Size]byte

func (s *chain) add(subject string, body []byte) {
	h := sha256.New()
	h.Write(s[:])
	fmt.Fprintf(h, "%s %d ", subject, len(body))
	h.Write(body)
	h.Sum(s[:0])
}

// copiedEvery is the number of events between two progress reports.
const copiedEvery = 1000

// each passes the kept events to take in their order and counts all events. It drops messages that the server
// copied into the log and messages that are not events, because they never had an effect.
func (c *copying) each(ctx context.Context, take func(copied) error) error {
	last, err := c.old.Last(ctx, events.Filter{})
	if err != nil || last == 0 {
		return err
	}
	fd, err := c.old.openFeed(ctx, events.Filter{}, 1)
	if err != nil {
		return err
	}
	defer fd.close()
	fd.due = true
	for at := uint64(0); at < last; {
		d, err := fd.next(ctx)
		if err != nil {
			return err
		}
		if d.seq != at+1 {
			return fmt.Errorf("%w: sequence %d follows %d", events.ErrHole, d.seq, at)
		}
		at = d.seq
		if c.rewrite.Progress != nil && (at%copiedEvery == 0 || at == last) {
			c.rewrite.Progress(at, last)
		}
		if err := c.one(d, take); err != nil {
			return err
		}
	}
	return nil
}

func (c *copying) one(d delivery, take func(copied) error) error {
	c.result.Old++
	e, ok := c.old.event(d)
	if !ok || d.msg.Header.Get(jetstream.StreamHeader) != "" || !c.rewrite.Keep(e.Project, e.Session) {
		c.result.DroppedSize += uint64(len(d.msg.Data))
		note(c.dropped, d.msg.Data)
		return nil
	}
	c.result.New++
	c.kept[e.Session] = true
	c.places = append(c.places, d.seq)
	note(c.refs, d.msg.Data)
	body, err := c.moved(e, d.msg.Data)
	if err != nil {
		return err
	}
	id := d.msg.Header.Get(jetstream.MsgIDHeader)
	if id == "" {
		id = e.ID
	}
	return take(copied{d.msg.Subject, id, body})
}

// moved returns the body of an event in the new store, with its positions adjusted. An answer that is not an
// envelope is converted to one, because its id and time depend on its position.
func (c *copying) moved(e events.Event, body []byte) ([]byte, error) {
	if e.Payload == nil {
		events.Catalogue().Decode(&e)
	}
	var payload events.Payload
	switch p := e.Payload.(type) {
	case events.EventsDrained:
		p.Through = c.place(p.Through)
		payload = p
	case events.ProjectSaved:
		p.Through = c.place(p.Through)
		payload = p
	case events.UndoRequested:
		if p.ToSeq == 0 {
			return body, nil
		}
		p.ToSeq = max(c.place(p.ToSeq), 1)
		payload = p
	case events.AskAnswered:
		var whole events.Event
		if whole.UnmarshalJSON(body) == nil {
			return body, nil
		}
		return e.MarshalJSON()
	default:
		return body, nil
	}
	var err error
	if e.Data, err = json.Marshal(payload); err != nil {
		return nil, err
	}
	return e.MarshalJSON()
}

// store appends a message to the new log.
func (c *copying) store(ctx context.Context, m copied, sum *chain) error {
	for id := m.id; ; id = m.id + "." + nuid.Next() {
		a, err := c.new.publish(ctx, &nats.Msg{Subject: m.subject, Data: m.body,
			Header: nats.Header{jetstream.MsgIDHeader: {id}}}, nil)
		switch {
		case err != nil:
			return err
		case a.Duplicate:
			continue // two events may have one id
		case a.Sequence != uint64(len(c.places)):
			return fmt.Errorf("%w: event %d became %d", events.ErrHole, len(c.places), a.Sequence)
		}
		sum.add(m.subject, m.body)
		return nil
	}
}

// digests matches text that may be the name of a blob.
var digests = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`[0-9a-f]{64}`) })

func note(into map[string]bool, body []byte) {
	for _, d := range digests().FindAll(body, -1) {
		into[string(d)] = true
	}
}

// followBlobs passes each kept blob to take: those that kept events name, and those that these blobs name.
func (c *copying) followBlobs(ctx context.Context, take func(digest string) error) error {
	todo := make([]string, 0, len(c.refs))
	for d := range c.refs {
		todo = append(todo, d)
	}
	for len(todo) > 0 {
		digest := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		b, err := c.old.Get(ctx, digest)
		if errors.Is(err, events.ErrNoBlob) {
			continue // a digest of something else
		}
		if err != nil {
			return err
		}
		for _, d := range digests().FindAll(b, -1) {
			if !c.refs[string(d)] {
				c.refs[string(d)] = true
				todo = append(todo, string(d))
			}
		}
		if err := take(digest); err != nil {
			return err
		}
	}
	return nil
}

func (c *copying) copyBlob(ctx context.Context, digest string) error {
	info, err := c.old.blobInfo(ctx, digest, c.old.nearBlob)
	if err != nil || info == nil {
		return err
	}
	b, err := c.old.Get(ctx, digest)
	if err != nil {
		return err
	}
	_, err = c.new.Put(ctx, b, info.Metadata["media_type"])
	return err
}

// countDropped adds the number and the size of the dropped blobs to the result.
func (c *copying) countDropped(ctx context.Context) error {
	for digest := range c.dropped {
		if c.refs[digest] {
			continue
		}
		info, err := c.old.blobInfo(ctx, digest, c.old.nearBlob)
		if err != nil {
			return err
		}
		if info != nil {
			c.result.Blobs++
			c.result.DroppedSize += info.Size
		}
	}
	return nil
}

// copyClaims copies the claims of kept sessions, because a call that has started and has no outcome must not
// start again.
func (c *copying) copyClaims(ctx context.Context) error {
	return c.old.eachClaim(ctx, func(key string, value []byte) error {
		if session, _, _ := strings.Cut(key, "."); !c.kept[session] {
			return nil
		}
		for _, d := range digests().FindAll(value, -1) {
			if err := c.copyBlob(ctx, string(d)); err != nil {
				return err
			}
		}
		moved, err := c.movedClaim(value)
		if err != nil {
			return fmt.Errorf("claim %s: %w", key, err)
		}
		_, err = c.new.CreateClaim(ctx, key, moved)
		return err
	})
}

// movedClaim adjusts the position of the approval in a claim.
func (c *copying) movedClaim(value []byte) ([]byte, error) {
	var claim map[string]json.RawMessage
	if err := json.Unmarshal(value, &claim); err != nil {
		return nil, err
	}
	var approved uint64
	if json.Unmarshal(claim["approved"], &approved) != nil {
		return value, nil
	}
	claim["approved"] = json.RawMessage(fmt.Sprint(c.place(approved)))
	return json.Marshal(claim)
}

// copyPools makes the pools continue at their old positions. Work that was delivered but is not done is
// redelivered, as after a crash.
func (c *copying) copyPools(ctx context.Context) error {
	pools, err := c.old.listPools(ctx)
	if err != nil {
		return err
	}
	for _, p := range pools {
		var out struct{}
		err := c.new.api(ctx, apiDurable+StreamEvents+"."+p.Name, map[string]any{"stream_name": StreamEvents,
			"config": p.Config}, &out)
		if err != nil {
			return fmt.Errorf("pool %s: %w", p.Name, err)
		}
		if err := c.new.RewindPool(ctx, p.Name, c.place(p.AckFloor.Stream)+1); err != nil {
			return err
		}
	}
	return nil
}

// check reads the new log and compares it with the expected digest.
func (c *copying) check(ctx context.Context, want chain) error {
	var got chain
	n := uint64(0)
	if c.result.New > 0 {
		fd, err := c.new.openFeed(ctx, events.Filter{}, 1)
		if err != nil {
			return err
		}
		defer fd.close()
		for fd.due = true; n < c.result.New; n++ {
			d, err := fd.next(ctx)
			if err != nil {
				return err
			}
			got.add(d.msg.Subject, d.msg.Data)
		}
	}
	last, err := c.new.Last(ctx, events.Filter{})
	if err == nil && (got != want || last != c.result.New) {
		err = fmt.Errorf("%w: the copy holds %d events with the digest %s", ErrDamaged, last, hex.EncodeToString(got[:4]))
	}
	return err
}
