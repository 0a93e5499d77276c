package asks

import (
	"bytes"
	"encoding/json"
	"net/http"
	"time"

	"manualslop/events"
	"manualslop/hookgw/core"
	"manualslop/hookgw/problem"
	"manualslop/hookgw/request"
	"manualslop/projections"
)

// postRespond publishes the user's answer to an ask and reports whether it counted.
func postRespond(c *core.Call) error {
	session, err := c.SomeSession()
	if err != nil {
		return err
	}
	id, response, err := readResponse(c)
	if err != nil {
		return err
	}
	if id == "" {
		return problem.New(http.StatusBadRequest, "request_id is missing", `Send {"request_id": "…", "response": …}.`)
	}
	ask, err := known(c, session, id)
	if err != nil {
		return err
	}
	return respond(c, session, ask, response)
}

// respond answers an open ask and sends the outcome to the client.
func respond(c *core.Call, session string, ask projections.Ask, response json.RawMessage) error {
	answer := Meaning(ask, response)
	rule, err := ruleOf(c, session, ask, answer, response)
	if err == nil {
		err = CheckFiles(c, session, ask, answer)
	}
	if err != nil {
		return err
	}
	e, err := c.Gw.AskEvent(c.Gw.Person, session, answer)
	if err != nil {
		return err
	}
	v, err := SettleAnswer(c, e, answer)
	if err != nil {
		return err
	}
	if p := v.Problem(); p != nil {
		return p
	}
	if v.Settled == nil {
		hint := "The answer is recorded; approval has not settled the ask yet. See GET /api/asks."
		if rule != nil {
			hint += " Its rule was not recorded."
		}
		return c.Reply(http.StatusAccepted, request.HintedAnswer{Status: "recorded", Hint: hint})
	}
	if rule != nil {
		kept, err := addRule(c, session, *rule)
		if err != nil {
			return err
		}
		return c.Reply(http.StatusOK, respondAnswer{Status: "ok", Rule: &kept})
	}
	if answer.Reason == NotUnderstood {
		return c.Reply(http.StatusOK, respondAnswer{Status: "ok", Decision: answer.Decision,
			Hint: "It was treated as a denial; send true, false or {\"approved\": …}."})
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

// respondAnswer reports that an answer counted, how an unclear one was understood, and which rule it created.
type respondAnswer struct {
	Status   string `json:"status"`
	Decision string `json:"decision,omitempty"`
	Hint     string `json:"hint,omitempty"`
	// Rule is the rule that an approval created.
	Rule *events.Rule `json:"rule,omitempty"`
}

// readResponse parses the body into the ask, which is empty if the body names none, and the answer.
func readResponse(c *core.Call) (id string, response json.RawMessage, err error) {
	if _, err := events.Canonical(c.Body); err != nil {
		return "", nil, problem.New(http.StatusBadRequest, "the body has no canonical JSON form",
			"An object must not repeat a name.").WithCause(err)
	}
	if raw, ok := c.Fields["request_id"]; ok {
		if id, err = RequestID(raw); err != nil {
			return "", nil, err
		}
	}
	response, ok := c.Fields["response"]
	if !ok {
		return "", nil, problem.New(http.StatusBadRequest, "response is missing",
			`Send {"request_id": "…", "response": …}.`)
	}
	if !bytes.Equal(c.Gw.Cfg.Masker(c.Body), c.Body) { // masked, it would mean or run something else
		return "", nil, problem.New(http.StatusUnprocessableEntity, "the answer contains a secret, which must not be "+
			"recorded", "Answer without the secret; say where it is stored instead.")
	}
	return id, response, nil
}

// known returns the open ask with this id.
func known(c *core.Call, session, id string) (projections.Ask, error) {
	ask, ok, err := findAsk(c, session, id)
	switch {
	case err != nil:
		return projections.Ask{}, err
	case !ok:
		return projections.Ask{}, problem.New(http.StatusNotFound, "no such ask",
			"GET /api/asks lists the open asks.")
	case ask.Settled != nil:
		return projections.Ask{}, problem.Settled(ask.Settled)
	}
	return ask, nil
}

// findAsk looks an ask up. Before it reports a missing ask it makes sure that the read models have seen the whole log.
func findAsk(c *core.Call, session, id string) (projections.Ask, bool, error) {
	ask, ok, err := lookup(c, session, id)
	if ok || err != nil {
		return ask, ok, err
	}
	last, err := c.Gw.Cfg.Log.Last(c.Request.Context(), events.Filter{Project: c.Gw.Cfg.Project, Session: session})
	if err != nil {
		return projections.Ask{}, false, err
	}
	if err := c.Gw.CaughtUp(c.Request.Context(), last); err != nil {
		return projections.Ask{}, false, err
	}
	return lookup(c, session, id)
}

// refuses reports whether e rejects the answer with this id.
func refuses(e *events.Event, answer string) bool {
	p, ok := e.Payload.(events.AnswerRefused)
	return ok && p.AnswerID == answer
}

// verdict is the outcome of an answer.
type verdict struct {
	answerID string
	Settled  *projections.SettledAsk // nil while the ask is open
	refused  string                  // why the answer does not count
}

// SettleAnswer publishes an answer and waits until approval has settled the ask or refused the answer, or until the
// time limit is reached.
func SettleAnswer(c *core.Call, e events.Event, answer events.AskAnswered) (verdict, error) {
	outcome := make(chan *events.Event, 1)
	w := c.Gw.Asks.Join(e.Session, answer.Ask, func(got *events.Event) {
		if settles(got) || refuses(got, e.ID) {
			select {
			case outcome <- got:
			default: // the first event decides
			}
		}
	})
	defer w.Leave()
	if _, err := c.Gw.Append(c.Request.Context(), c.Gw.Person, e, nil); err != nil {
		return verdict{}, err
	}
	c.Wrote = true
	out := verdict{answerID: e.ID}
	timer := time.NewTimer(c.Gw.Cfg.Limits.SettleWait)
	defer timer.Stop()
	until := w.Since
	select {
	case got := <-outcome:
		until = got.Seq
		if p, refused := got.Payload.(events.AnswerRefused); refused {
			out.refused = p.Reason
		}
	case <-timer.C:
	case <-c.Gw.Stopping:
	}
	if err := c.Gw.CaughtUp(c.Request.Context(), until); err != nil {
		return verdict{}, err
	}
	ask, _, err := lookup(c, e.Session, answer.Ask)
	out.Settled = ask.Settled
	return out, err
}

// Problem returns why the answer did not count, or nil if it counted or still may.
func (v verdict) Problem() *problem.Problem {
	switch {
	case v.Settled != nil && v.Settled.AnswerID != v.answerID:
		return problem.Settled(v.Settled)
	case v.Settled == nil && v.refused != "":
		return problem.New(http.StatusUnprocessableEntity, "the answer was rejected: "+v.refused,
			"The ask is still open; correct the answer and send it again.")
	}
	return nil
}
