package asks

import (
	"crypto/rand"
	"encoding/json"
	"fmt"
	"net/http"
	"time"
	"unicode"

	"manualslop/events"
	"manualslop/hookgw/core"
	"manualslop/hookgw/problem"
	"manualslop/projections"
)

// question is the body of a POST to /api/ask.
type question struct {
	session string
	id      string
	data    json.RawMessage // masked
	digest  string          // of the body's canonical form, before masking
}

// postAsk asks the user a question. The response is sent when the user answers.
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
			"Wait until some of them are answered.")
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

// same returns an error if the request_id of a question belongs to another ask.
func (q question) same(ask projections.Ask) error {
	if ask.Posted == nil || ask.Posted.BodySHA256 != q.digest {
		return problem.New(http.StatusConflict, "this request_id belongs to another ask",
			"Use a fresh request_id, or the same body to join the ask.")
	}
	return nil
}

// raises reports whether an event is an AskRaised event written by approval. Under another actor's name such a body
// decodes to events.Malformed.
func raises(e *events.Event) bool {
	_, ok := e.Payload.(events.AskRaised)
	return ok
}

func settles(e *events.Event) bool {
	_, ok := e.Payload.(events.AskSettled)
	return ok
}

// newQuestion parses the body of a POST /api/ask.
func newQuestion(c *core.Call) (question, error) {
	session, err := c.OpenSession()
	if err != nil {
		return question{}, err
	}
	digest, err := events.CanonicalDigest(c.Body)
	if err != nil {
		return question{}, problem.New(http.StatusBadRequest, "the body has no canonical JSON form",
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

// RequestID parses an id from a client.
func RequestID(raw json.RawMessage) (string, error) {
	var id string
	if json.Unmarshal(raw, &id) != nil || id == "" || len(id) > events.MaxIDLength {
		return "", problem.New(http.StatusBadRequest, "request_id must be 1 to 128 bytes",
			"Send a shorter one, or leave it out to have the gateway create one.")
	}
	for _, r := range id {
		if !unicode.IsPrint(r) {
			return "", problem.New(http.StatusBadRequest, "request_id must have only printable characters",
				"Use letters, digits and punctuation.")
		}
	}
	return id, nil
}

// newUUID returns a random identifier of version 4 (RFC 9562).
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

// settled answers a waiting request.
func settled(c *core.Call, s *projections.SettledAsk) error {
	if s.Outcome == events.Expired {
		return timedOut(c)
	}
	return answerOf(c, s)
}

func timedOut(c *core.Call) *problem.Problem {
	return problem.New(http.StatusGatewayTimeout, "no answer came within "+c.Gw.Cfg.AskTimeout.String(),
		"Treat it as a denial.")
}

// answerOf returns the user's answer for the program: the response verbatim, or the meaning of a plain approval or
// rejection.
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

// askAnswer is the body of replyResponse.
type askAnswer struct {
	Status   string          `json:"status"`
	Response json.RawMessage `json:"response"`
}

// replyResponse answers POST /api/ask in the format of Manual Slop.
func replyResponse(c *core.Call, response json.RawMessage) error {
	return c.ReplyFixed(`{"status": "ok", "response": ` + string(response) + `}`)
}
