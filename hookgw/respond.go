package hookgw

import (
	"bytes"
	"encoding/json"
	"net/http"
	"time"

	"manualslop/events"
	"manualslop/projections"
)

// postRespond publishes the person's answer to an ask and tells whether it was
// the one that counted.
func postRespond(c *call) error {
	session, err := c.someSession()
	if err != nil {
		return err
	}
	id, response, err := c.response()
	if err != nil {
		return err
	}
	ask, err := c.known(session, id)
	if err != nil {
		return err
	}
	answer := meaning(ask, response)
	e, err := c.gw.askEvent(c.gw.person, session, answer)
	if err != nil {
		return err
	}
	w := c.gw.asks.join(session, id, func(got *events.Event) bool { return settles(got) || refuses(got, e.ID) })
	defer w.leave()
	if _, err := c.gw.append(c.r.Context(), c.gw.person, e, nil); err != nil {
		return err
	}
	c.wrote = true
	return c.verdict(session, e.ID, answer, w)
}

// response reads the body: which ask, and what is said.
func (c *call) response() (id string, response json.RawMessage, err error) {
	if _, err := events.Canonical(c.body); err != nil {
		return "", nil, refuse(http.StatusBadRequest, "the body has no canonical form", "No name may stand twice in an object.").because(err)
	}
	raw, ok := c.fields["request_id"]
	if !ok {
		return "", nil, refuse(http.StatusBadRequest, "request_id is missing", `Send {"request_id": "…", "response": …}.`)
	}
	if id, err = requestID(raw); err != nil {
		return "", nil, err
	}
	if response, ok = c.fields["response"]; !ok {
		return "", nil, refuse(http.StatusBadRequest, "response is missing", `Send {"request_id": "…", "response": …}.`)
	}
	if !bytes.Equal(c.gw.cfg.Masker(c.body), c.body) { // masked, it would say or run something else
		return "", nil, refuse(http.StatusUnprocessableEntity, "the answer holds a secret, which may not be put on record", "Answer without it; name the place where it is kept.")
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
		return projections.Ask{}, refuse(http.StatusNotFound, "there is no such ask", "GET /api/asks lists the open ones.")
	case ask.Settled != nil:
		return projections.Ask{}, settledProblem(ask.Settled)
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
	last, err := c.gw.cfg.Log.Last(c.r.Context(), events.Filter{Project: c.gw.cfg.Project, Session: session})
	if err != nil {
		return projections.Ask{}, false, err
	}
	if err := c.gw.caughtUp(c.r.Context(), last); err != nil {
		return projections.Ask{}, false, err
	}
	return c.lookup(session, id)
}

// refuses tells whether e says that the answer with this id does not count.
func refuses(e *events.Event, answer string) bool {
	p, ok := e.Payload.(events.AnswerRefused)
	return ok && p.AnswerID == answer
}

// verdict waits until approval has settled the ask or refused the answer.
func (c *call) verdict(session, answerID string, answer events.AskAnswered, w *waiter) error {
	timer := time.NewTimer(c.gw.cfg.Limits.SettleWait)
	defer timer.Stop()
	until, why := w.since, ""
	select {
	case e := <-w.got:
		until = e.Seq
		if p, refused := e.Payload.(events.AnswerRefused); refused {
			why = p.Reason
		}
	case <-timer.C:
	case <-c.gw.stopping:
	}
	if err := c.gw.caughtUp(c.r.Context(), until); err != nil {
		return err
	}
	ask, _, err := c.lookup(session, answer.Ask)
	if err != nil {
		return err
	}
	if ask.Settled != nil {
		return c.told(ask.Settled, answerID, answer)
	}
	if why != "" {
		return refuse(http.StatusUnprocessableEntity, "the answer does not count: "+why, "The ask is still open; correct the answer and send it again.")
	}
	return c.reply(http.StatusAccepted, map[string]string{
		"status": "recorded", "hint": "The answer is on record; approval has not settled the ask yet. See GET /api/asks.",
	})
}

// told says whether the settlement was this answer's.
func (c *call) told(s *projections.SettledAsk, answerID string, answer events.AskAnswered) error {
	if s.AnswerID != answerID {
		return settledProblem(s)
	}
	out := map[string]string{"status": "ok"}
	if answer.Reason == notUnderstood {
		out["decision"], out["hint"] = answer.Decision, "It counted as a no: send true, false or {\"approved\": …}."
	}
	return c.reply(http.StatusOK, out)
}
