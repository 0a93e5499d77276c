package asks

import (
	"context"
	"net/http"
	"sync"
	"time"

	"manualslop/events"
	"manualslop/hookgw/access"
	"manualslop/hookgw/core"
	"manualslop/hookgw/feed"
	"manualslop/hookgw/problem"
	"manualslop/hookgw/request"
)

// asking is a request to /api/ask after its handler has returned. While it waits it has no goroutine: an event, its
// timeout, its client or the gateway starts the work to answer it.
type asking struct {
	core.Call
	late *request.Late
	q    question
	size int // of the question
	came time.Time

	mu     sync.Mutex   // held by the code that works on it
	over   bool         // the answer is being sent
	posted bool         // the ask is on the log
	w      *feed.Waiter // nil before its turn
	timer  *time.Timer
}

// Begin posts the question or joins the one with its id, and starts the wait.
func (a *asking) Begin() {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.over {
		return
	}
	if p := a.Gw.Current(a.Request.Context()); p != nil { // the session was closed meanwhile
		a.finish(p)
		return
	}
	if time.Since(a.came) > a.Gw.Cfg.AskTimeout+a.Gw.Cfg.Limits.AskGrace {
		a.finish(timedOut(&a.Call))
		return
	}
	left, err := a.put()
	if err != nil || a.Status != 0 {
		a.finish(err)
		return
	}
	a.posted, a.q.data = true, nil
	a.ReleaseBody()
	a.timer = time.AfterFunc(max(0, left)+a.Gw.Cfg.Limits.AskGrace, func() { a.give(timedOut(&a.Call)) })
}

// put posts the question or joins an existing one, and returns how long it may wait. The same body with the same
// request_id joins the existing question and is answered at once if that is settled. Joiners are dropped when their
// client disconnects. The poster keeps its slot until the ask settles, so that a program that posts and disconnects
// cannot have more asks open than it has slots.
func (a *asking) put() (left time.Duration, err error) {
	a.w = a.Gw.Asks.Join(a.q.session, a.q.id, a.told)
	if err := a.Gw.CaughtUp(a.Request.Context(), a.w.Since); err != nil {
		return 0, err
	}
	ask, known, err := lookup(&a.Call, a.q.session, a.q.id)
	if err != nil {
		return 0, err
	}
	left = a.Gw.Cfg.AskTimeout
	if known {
		if err := a.q.same(ask); err != nil {
			return 0, err
		}
		if ask.Settled != nil {
			return 0, answerOf(&a.Call, ask.Settled)
		}
		if ask.ExpiresAt != nil {
			left = ask.ExpiresAt.Sub(a.Gw.Cfg.Clock())
		}
		go a.watch()
		return left, nil
	}
	as := a.Gw.Own
	if a.Right == access.RightAsk {
		as = a.Gw.Agent
	}
	if full := a.Gw.Cfg.Bus.Room(); full != nil { // an agent's connection does not know how full the log is
		return 0, full
	}
	e, err := a.Gw.AskEvent(as, a.q.session, events.AskPosted{RequestID: a.q.id, Data: a.q.data, BodySHA256: a.q.digest,
		TimeoutMS: a.Gw.Cfg.AskTimeout.Milliseconds()})
	if err != nil {
		return 0, err
	}
	return left, a.Publish(as, e)
}

// told handles an event of the ask without blocking the caller.
func (a *asking) told(e *events.Event) {
	if raises(e) || settles(e) {
		go a.look(e.Seq)
	}
}

// look answers if the ask is settled, once the read models have passed seq.
func (a *asking) look(seq uint64) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.over {
		return
	}
	if err := a.conclude(seq); err != nil || a.Status != 0 {
		a.finish(err)
	}
}

func (a *asking) conclude(seq uint64) error {
	if err := a.Gw.CaughtUp(a.Request.Context(), seq); err != nil {
		return err
	}
	ask, _, err := lookup(&a.Call, a.q.session, a.q.id)
	if err != nil {
		return err
	}
	if err := a.q.same(ask); err != nil { // another request posted this id a moment before
		return err
	}
	if ask.Settled == nil {
		return nil
	}
	return settled(&a.Call, ask.Settled)
}

// watch detects when the client closes the connection. If the client sends more data instead, watching ends, because
// the client gets only one answer.
func (a *asking) watch() {
	var next [1]byte
	if n, err := a.late.Conn.Read(next[:]); n == 0 && err != nil {
		a.give(context.Canceled)
	}
}

// Stop answers the request because the gateway is stopping.
func (a *asking) Stop() {
	a.mu.Lock()
	defer a.mu.Unlock()
	hint := "Nothing was asked; post the same body again."
	if a.posted {
		hint = "The ask stays open; post the same body with request_id " + a.q.id + " again to keep waiting."
	}
	if !a.over {
		a.finish(problem.New(http.StatusServiceUnavailable, "the gateway is stopping", hint))
	}
}

// give ends the wait with err, unless it has already ended.
func (a *asking) give(err error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if !a.over {
		a.finish(err)
	}
}

// finish releases the request's slot and answers the request, unless that has been done. mu must be held.
func (a *asking) finish(err error) {
	a.over = true
	if a.timer != nil {
		a.timer.Stop()
	}
	if a.w != nil {
		a.w.Leave()
	}
	a.Gw.Pending.Leave(a)
	a.Gw.Asked.Give(a.Right, a.size)
	<-a.Gw.Slots
	go a.late.End(err)
}
