package conversation

import (
	"fmt"
	"slices"

	"manualslop/events"
)

// MaxBytes limits the parts of a prompt, without what follows the conversation, in bytes of JSON,
// so that they fit into an event.
const MaxBytes = 320 << 10

// spare returns the size to which a prompt over the limit is shortened.
func spare(limit int64) int64 { return limit * 7 / 10 }

// Fit returns what must be left out so that the prompt, with tail after it, fits its reader; nil
// if it fits as it is. The owner fills in which conversation it is. The error says that the prompt
// cannot be made to fit, and what a user can do; it begins with context_too_long.
func (t *Thread) Fit(to Reader, tail *events.Part) (*events.ConversationShortened, error) {
	before, limit := t.measure(to, tail), t.Room(to)
	if !t.refused(to) && before <= limit && t.bytes <= MaxBytes {
		return nil, nil
	}
	c := cutting{Thread: t.clone(), to: to, tail: tail, p: events.ConversationShortened{Before: before, Limit: limit}}
	fits := func() bool { return c.tokens() <= c.p.Limit }
	switch {
	case t.refused(to) && t.refusals > MaxRefusals:
		return nil, t.noRoom(to, before, limit)
	case t.refused(to):
		c.p.Reason, c.p.Limit = events.ShortenedForVendor, spare(min(limit, before))
		c.leaveOut(c.p.Limit)
		fits = func() bool { return true }
	case before > limit:
		c.p.Reason = events.ShortenedForWindow
		c.leaveOut(spare(limit))
	default:
		c.p.Reason = events.ShortenedForEvent
		c.dropRounds(func() bool { return c.size() > MaxBytes/10*7 })
		fits = func() bool { return c.size() <= MaxBytes }
	}
	if len(c.p.Shortened)+len(c.p.DroppedRounds)+len(c.p.Views) == 0 || !fits() {
		return nil, t.noRoom(to, before, limit)
	}
	c.p.After = c.tokens()
	return &c.p, nil
}

// cutting is a copy of a thread that is being shortened, and what was left out so far.
type cutting struct {
	*Thread
	to   Reader
	tail *events.Part
	p    events.ConversationShortened
}

func (c *cutting) tokens() int64 { return c.measure(c.to, c.tail) }
func (c *cutting) over() bool    { return c.tokens() > c.p.Limit }

// leaveOut shortens the prompt to target tokens, or at least so that it fits.
func (c *cutting) leaveOut(target int64) {
	more := func() bool { return c.tokens() > target }
	c.cutResults(1, c.newest()-1, more)
	if c.over() {
		c.dropRounds(more)
	}
	if c.over() {
		c.cutResults(c.newest(), c.newest(), more)
	}
	if c.over() {
		c.cutViews(more)
	}
	if c.over() {
		c.hideViews(more)
	}
}

// cutResults cuts the results of rounds in [from, to], oldest first, until more returns false.
func (c *cutting) cutResults(from, to int, more func() bool) {
	for _, p := range c.longResults(from, to) {
		if !more() {
			return
		}
		c.cutResult(p.Call, ResultHead)
		c.p.Shortened = append(c.p.Shortened, events.ShortenedResult{Call: p.Call, Tool: p.name, Size: p.Size,
			Head: ResultHead})
	}
}

// dropRounds leaves out whole rounds, oldest first.
func (c *cutting) dropRounds(more func() bool) {
	for round := c.oldest(); round > 0 && more(); round = c.oldest() {
		c.drop(round)
		c.p.DroppedRounds = append(c.p.DroppedRounds, round)
		c.p.Shortened = slices.DeleteFunc(c.p.Shortened, func(x events.ShortenedResult) bool { return !c.has(x.Call) })
	}
}

// cutViews cuts views and the project's rules, last one first.
func (c *cutting) cutViews(more func() bool) {
	for i := len(c.pieces) - 1; i >= 0 && more(); i-- {
		if p := c.pieces[i]; p.hold != stays && isLong(p.Part) {
			c.view(i, ResultHead)
		}
	}
}

// hideViews removes views, last one first.
func (c *cutting) hideViews(more func() bool) {
	for i := len(c.pieces) - 1; i >= 0 && more(); i-- {
		if p := c.pieces[i]; p.hold == goes && p.whole > worth {
			c.view(i, 0)
		}
	}
}

// view shortens a view; the last entry for a view counts.
func (c *cutting) view(at, head int) {
	p := c.pieces[at]
	c.p.Views = slices.DeleteFunc(c.p.Views, func(v events.ShortenedView) bool { return v.Part == at })
	c.p.Views = append(c.p.Views, events.ShortenedView{Part: at, Name: p.name, Size: p.whole, Head: head})
	c.cutView(at, head)
}

// noRoom returns the error that explains why the prompt cannot be made to fit.
func (t *Thread) noRoom(to Reader, tokens, limit int64) error {
	advice := fmt.Sprintf("give tier %d a model with a larger context window, or ask for less at once", to.Tier)
	switch {
	case t.refused(to) && t.refusals > MaxRefusals:
		return fmt.Errorf("%s: %s; it was shortened %d times: %s", t.refusal.Kind, t.refusal.Message, MaxRefusals, advice)
	case t.refused(to):
		return fmt.Errorf("%s: %s; nothing more can be left out: %s", t.refusal.Kind, t.refusal.Message, advice)
	case tokens > limit:
		return fmt.Errorf("%s: the prompt of about %d tokens is over the %d that %s takes, and nothing more can be left "+
			"out: %s", events.ModelContextTooLong, tokens, limit, to.Model, advice)
	}
	return fmt.Errorf("%s: the conversation of %d bytes is over the limit of %d, and nothing more can be left out: ask "+
		"for less at once", events.ModelContextTooLong, t.bytes, MaxBytes)
}
