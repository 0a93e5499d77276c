package asks

import (
	"crypto/rand"
	"encoding/json"
	"fmt"
	"net/http"
	"time"
	"unicode"

	"manualslop/events"
	"manualslop/hookgw/access"
	"manualslop/hookgw/core"
	"manualslop/hookgw/problem"
	"manualslop/projections"
)

// newQuestion is what a program posted to /api/ask.
type question struct {
	session string
	id      string
	data    json.RawMessage // masked
	digest  string          // of the body's canonical form, as it came
}

// postAsk puts a question to the person; the answer comes when there is one.
func postAsk(c *core.Call) error {
	q, err := newQuestion(c)
	if err != nil {
		return err
	}
	select {
	case c.Gw.Slots <- struct{}{}:
	default:
		c.Response.Header().Set("Retry-After", "1")
		return problem.New(http.StatusServiceUnavailable, "too many asks are waiting",
			"Wait until the person has answered some.")
	}
	if !c.Gw.Asked.Take(c.Right, len(q.data)) {
		<-c.Gw.Slots
		return c.Overloaded()
	}
	l, err := c.HandOver()
	if err != nil {
		c.Gw.Asked.Give(c.Right, len(q.data))
		<-c.Gw.Slots
		return err
	}
	c.Gw.Pending.Enter(&asking{Call: core.Call{Call: &l.Call, Gw: c.Gw}, late: l, q: q, size: len(q.data),
		came: time.Now()})
	return nil
}

// same refuses a question whose request_id belongs to something else.
func (q question) same(ask projections.Ask) error {
	if ask.Posted == nil || ask.Posted.BodySHA256 != q.digest {
		return problem.New(http.StatusConflict, "this request_id belongs to another ask",
			"Use a fresh request_id, or the same body to join the ask.")
	}
	return nil
}

// raises and settles know approval's facts. Under another actor's name such a
// body decodes to events.Malformed.
func raises(e *events.Event) bool {
	_, ok := e.Payload.(events.AskRaised)
	return ok
}

func settles(e *events.Event) bool {
	_, ok := e.Payload.(events.AskSettled)
	return ok
}

// newQuestion reads the body of a POST /api/ask.
func newQuestion(c *core.Call) (question, error) {
	session, err := c.OpenSession()
	if err != nil {
		return question{}, err
	}
	digest, err := events.CanonicalDigest(c.Body)
	if err != nil {
		return question{}, problem.New(http.StatusBadRequest, "the body has no canonical form",
			"Numbers must fit a double, and an object must not repeat a name.").WithCause(err)
	}
	q := question{session: session, data: c.Gw.Mask(c.Body), digest: digest}
	raw, named := c.Fields["request_id"]
	if !named {
		q.id = newUUID()
		return q, nil
	}
	q.id, err = RequestID(raw)
	return q, err
}

// RequestID reads an id that came from outside.
func RequestID(raw json.RawMessage) (string, error) {
	var id string
	if json.Unmarshal(raw, &id) != nil || id == "" || len(id) > events.MaxIDLength {
		return "", problem.New(http.StatusBadRequest, "request_id must be 1 to 128 bytes",
			"Send another one, or leave it out to get one.")
	}
	for _, r := range id {
		if !unicode.IsPrint(r) {
			return "", problem.New(http.StatusBadRequest, "request_id holds characters that cannot be shown",
				"Use letters, digits and punctuation.")
		}
	}
	return id, nil
}

// newUUID is a random identifier of version 4 (RFC 9562).
func newUUID() string {
	var b [16]byte
	_, _ = rand.Read(b[:]) // never fails: crypto/rand ends the program instead
	b[6], b[8] = b[6]&0x0f|0x40, b[8]&0x3f|0x80
	return fmt.Sprintf("%x-%x-%x-%x-%x", b[:4], b[4:6], b[6:8], b[8:10], b[10:])
}

func lookup(c *core.Call, session, id string) (ask projections.Ask, ok bool, err error) {
	err = c.Read(session, func(s *projections.Set) { ask, ok = s.Ask(id) })
	return ask, ok, err
}

// publishAsk publishes the question under the actor whose token came with it. Clients
// discover it by the entry of the queue that its AskRaised makes.
func publishAsk(c *core.Call, q question) error {
	as := c.Gw.Own
	if c.Right == access.RightAsk {
		as = c.Gw.Agent
	}
	if full := c.Gw.Cfg.Bus.Room(); full != nil { // an agent's connection does not know
		return full
	}
	e, err := c.Gw.AskEvent(as, q.session, events.AskPosted{
		RequestID: q.id, Data: q.data, BodySHA256: q.digest, TimeoutMS: c.Gw.Cfg.AskTimeout.Milliseconds(),
	})
	if err != nil {
		return err
	}
	return c.Publish(as, e)
}

// settled answers one who was waiting.
func settled(c *core.Call, s *projections.SettledAsk) error {
	if s.Outcome == events.Expired {
		return timedOut(c)
	}
	return answerOf(c, s)
}

func timedOut(c *core.Call) *problem.Problem {
	return problem.New(http.StatusGatewayTimeout, "nobody answered within "+c.Gw.Cfg.AskTimeout.String(),
		"Treat it as a denial.")
}

// answerOf tells the program what the person said: the response verbatim, or
// what a plain yes or no means.
func answerOf(c *core.Call, s *projections.SettledAsk) error {
	if s.Outcome != events.Yes && s.Outcome != events.No {
		return problem.Settled(s)
	}
	response := s.Response
	if len(response) == 0 {
		plain, err := json.Marshal(plainAnswer{Approved: s.Outcome == events.Yes, Args: s.Args, Reason: s.Reason})
		if err != nil {
			return err
		}
		response = plain
	}
	return replyResponse(c, response)
}

// askAnswer is what replyResponse sends.
type askAnswer struct {
	Status   string          `json:"status"`
	Response json.RawMessage `json:"response"`
}

// replyResponse answers POST /api/ask, spelled as the original does.
func replyResponse(c *core.Call, response json.RawMessage) error {
	return c.ReplyFixed(`{"status": "ok", "response": ` + string(response) + `}`)
}
