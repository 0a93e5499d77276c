package hookgw

import (
	"context"
	"net"
	"net/http"
	"time"

	"manualslop/events"
)

// postingAtOnce is how many questions are put on the log at the same time. What
// a request needs for that is much more than what it needs to wait, so that
// thousands which come together take their turns.
const postingAtOnce = 32

// asking is a request to /api/ask, from when its handler has ended.
type asking struct {
	*late
	q    question
	w    *waiter // nil before its turn
	left time.Duration
	gone chan struct{} // closed when the client leaves; nil where that changes nothing
}

// begin posts the question, or joins the one with its id, and lets the request
// wait in a goroutine of its own, whose stack stays small.
func (a *asking) begin() {
	err := a.takeTurn()
	if err == nil {
		err = a.put()
		<-a.gw.turns
	}
	if err != nil || a.status != 0 {
		a.end(err)
		return
	}
	a.q.data = nil // it is on the log
	go func() { a.end(a.await()) }()
}

// takeTurn waits for a place among those that may post.
func (a *asking) takeTurn() error {
	timer := time.NewTimer(a.gw.cfg.Limits.CatchUp)
	defer timer.Stop()
	select {
	case a.gw.turns <- struct{}{}:
		return nil
	case <-timer.C:
		return context.DeadlineExceeded
	case <-a.gw.stopping:
		return refuse(http.StatusServiceUnavailable, "the gateway is stopping", "Nothing was asked: post the same body again.")
	}
}

// put posts the question. The same body with the same request_id joins the
// question that is already there, and is answered where that is settled. Who
// joins may leave when its client does; who posted waits until the end, so that
// a program that posts and leaves cannot have more asks open than there are
// places.
func (a *asking) put() error {
	a.w = a.gw.asks.join(a.q.session, a.q.id, func(e *events.Event) bool { return raises(e) || settles(e) })
	if err := a.gw.caughtUp(a.r.Context(), a.w.since); err != nil {
		return err
	}
	ask, known, err := a.lookup(a.q.session, a.q.id)
	if err != nil {
		return err
	}
	a.left = a.gw.cfg.AskTimeout
	if !known {
		return a.post(a.q)
	}
	if err := a.q.same(ask); err != nil {
		return err
	}
	if ask.Settled != nil {
		return a.answerOf(ask.Settled)
	}
	if ask.ExpiresAt != nil {
		a.left = ask.ExpiresAt.Sub(a.gw.cfg.Clock())
	}
	a.gone = make(chan struct{})
	go watch(a.conn, a.gone)
	return nil
}

// await waits for the settlement as long as the ask has left, and a little more.
// Its frame stays small: thousands stand here.
func (a *asking) await() error {
	timer := time.NewTimer(max(0, a.left) + a.gw.cfg.Limits.AskGrace)
	defer timer.Stop()
	for {
		select {
		case e := <-a.w.got:
			if err := a.conclude(e.Seq); err != nil || a.status != 0 {
				return err
			}
		case <-timer.C:
			return a.timedOut()
		case <-a.gone:
			return context.Canceled
		case <-a.gw.stopping:
			return refuse(http.StatusServiceUnavailable, "the gateway is stopping", "The ask stays open: post the same body with request_id "+a.q.id+" again to go on waiting.")
		}
	}
}

// conclude answers where the ask is settled once the read models have passed seq.
func (a *asking) conclude(seq uint64) error {
	if err := a.gw.caughtUp(a.r.Context(), seq); err != nil {
		return err
	}
	ask, _, err := a.lookup(a.q.session, a.q.id)
	if err != nil {
		return err
	}
	if err := a.q.same(ask); err != nil { // somebody posted this id a moment before
		return err
	}
	if ask.Settled == nil {
		return nil
	}
	return a.settled(ask.Settled)
}

// end gives up the place of the request and answers it, where that is not done.
func (a *asking) end(err error) {
	if a.w != nil {
		a.w.leave()
	}
	<-a.gw.slots
	a.late.end(err)
}

// watch closes gone when the client closes its side. One that sends more
// instead is not watched on: it gets no second answer.
func watch(conn net.Conn, gone chan<- struct{}) {
	var next [1]byte
	if n, err := conn.Read(next[:]); n == 0 && err != nil {
		close(gone)
	}
}
