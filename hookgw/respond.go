package hookgw

import (
	"bytes"
	"encoding/json"
	"net/http"
	"time"

	"manualslop/events"
	"manualslop/hookgw/problem"
	"manualslop/hookgw/request"
	"manualslop/projections"
)

// postRespond publishes the person's answer to an ask and tells whether it was
// the one that counted.
func postRespond(c *call) error {
	session, err := c.SomeSession()
	if err != nil {
		return err
	}
	id, response, err := c.response()
	if err != nil {
		return err
	}
	if id == "" {
		return problem.Refuse(http.StatusBadRequest, "request_id is missing", `Send {"request_id": "…", "response": …}.`)
	}
	ask, err := c.known(session, id)
	if err != nil {
		return err
	}
	return c.respond(session, ask, response)
}

// respond answers an open ask and tells the client what came of it.
func (c *call) respond(session string, ask projections.Ask, response json.RawMessage) error {
	answer := meaning(ask, response)
	e, err := c.gw.AskEvent(c.gw.Person, session, answer)
	if err != nil {
		return err
	}
	v, err := c.settle(e, answer)
	if err != nil {
		return err
	}
	if p := v.problem(); p != nil {
		return p
	}
	if v.settled == nil {
		return c.Reply(http.StatusAccepted, request.HintedAnswer{Status: "recorded", Hint: "The answer is on record; approval has not settled the ask yet. See GET /api/asks."})
	}
	if answer.Reason == notUnderstood {
		return c.Reply(http.StatusOK, respondAnswer{"ok", answer.Decision, "It counted as a no: send true, false or {\"approved\": …}."})
	}
	return c.ReplyFixed(request.FixedOK)
}

// responseBody is the body of POST /api/ask/respond, and gateResponse that of
// a gate's.
type responseBody struct {
	RequestID string          `json:"request_id"`
	Response  json.RawMessage `json:"response"`
}

type gateResponse struct {
	RequestID string          `json:"request_id,omitempty"`
	Response  json.RawMessage `json:"response"`
}

// respondAnswer tells that an answer counted; and as what, where it was unclear.
type respondAnswer struct {
	Status   string `json:"status"`
	Decision string `json:"decision,omitempty"`
	Hint     string `json:"hint,omitempty"`
}

// response reads the body: which ask, empty where it names none, and what is said.
func (c *call) response() (id string, response json.RawMessage, err error) {
	if _, err := events.Canonical(c.Body); err != nil {
		return "", nil, problem.Refuse(http.StatusBadRequest, "the body has no canonical form", "No name may stand twice in an object.").Because(err)
	}
	if raw, ok := c.Fields["request_id"]; ok {
		if id, err = requestID(raw); err != nil {
			return "", nil, err
		}
	}
	response, ok := c.Fields["response"]
	if !ok {
		return "", nil, problem.Refuse(http.StatusBadRequest, "response is missing", `Send {"request_id": "…", "response": …}.`)
	}
	if !bytes.Equal(c.gw.cfg.Masker(c.Body), c.Body) { // masked, it would say or run something else
		return "", nil, problem.Refuse(http.StatusUnprocessableEntity, "the answer holds a secret, which may not be put on record", "Answer without it; name the place where it is kept.")
	}
	return id, response, nil
}

// known is the open ask of that id.
func (c *call) known(session, id string) (projections.Ask, error) {
	ask, ok, err := c.find(session, id)
	switch {
	case err != nil:
		return projections.Ask{}, err
	case !ok:
		return projections.Ask{}, problem.Refuse(http.StatusNotFound, "there is no such ask", "GET /api/asks lists the open ones.")
	case ask.Settled != nil:
		return projections.Ask{}, problem.Settled(ask.Settled)
	}
	return ask, nil
}

// find looks an ask up. Before it says that there is none it makes sure that the
// read models have seen the whole log.
func (c *call) find(session, id string) (projections.Ask, bool, error) {
	ask, ok, err := c.lookup(session, id)
	if ok || err != nil {
		return ask, ok, err
	}
	last, err := c.gw.cfg.Log.Last(c.Request.Context(), events.Filter{Project: c.gw.cfg.Project, Session: session})
	if err != nil {
		return projections.Ask{}, false, err
	}
	if err := c.gw.CaughtUp(c.Request.Context(), last); err != nil {
		return projections.Ask{}, false, err
	}
	return c.lookup(session, id)
}

// refuses tells whether e says that the answer with this id does not count.
func refuses(e *events.Event, answer string) bool {
	p, ok := e.Payload.(events.AnswerRefused)
	return ok && p.AnswerID == answer
}

// verdict is what came of an answer.
type verdict struct {
	answerID string
	settled  *projections.SettledAsk // how the ask stands; nil while it is open
	refused  string                  // why the answer does not count
}

// settle publishes an answer and waits until approval has settled the ask or
// refused the answer, or has done neither in time.
func (c *call) settle(e events.Event, answer events.AskAnswered) (verdict, error) {
	outcome := make(chan *events.Event, 1)
	w := c.gw.asks.Join(e.Session, answer.Ask, func(got *events.Event) {
		if settles(got) || refuses(got, e.ID) {
			select {
			case outcome <- got:
			default: // the first says it
			}
		}
	})
	defer w.Leave()
	if _, err := c.gw.Append(c.Request.Context(), c.gw.Person, e, nil); err != nil {
		return verdict{}, err
	}
	c.Wrote = true
	out := verdict{answerID: e.ID}
	timer := time.NewTimer(c.gw.cfg.Limits.SettleWait)
	defer timer.Stop()
	until := w.Since
	select {
	case got := <-outcome:
		until = got.Seq
		if p, refused := got.Payload.(events.AnswerRefused); refused {
			out.refused = p.Reason
		}
	case <-timer.C:
	case <-c.gw.Stopping:
	}
	if err := c.gw.CaughtUp(c.Request.Context(), until); err != nil {
		return verdict{}, err
	}
	ask, _, err := c.lookup(e.Session, answer.Ask)
	out.settled = ask.Settled
	return out, err
}

// problem says why the answer did not count; nil where it did or may yet.
func (v verdict) problem() *problem.Problem {
	switch {
	case v.settled != nil && v.settled.AnswerID != v.answerID:
		return problem.Settled(v.settled)
	case v.settled == nil && v.refused != "":
		return problem.Refuse(http.StatusUnprocessableEntity, "the answer does not count: "+v.refused, "The ask is still open; correct the answer and send it again.")
	}
	return nil
}
