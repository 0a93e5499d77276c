package projectcontext

import (
	"fmt"
	"net/http"
	"strconv"

	"manualslop/events"
	"manualslop/hookgw/core"
	"manualslop/hookgw/discussions"
	"manualslop/hookgw/problem"
	"manualslop/hookgw/request"
	"manualslop/hookgw/wire"
)

func previewQuery() []request.Parameter {
	text := func(name, doc string) request.Parameter {
		return request.Parameter{Name: name, Type: "string", Doc: doc}
	}
	number := func(name, doc string) request.Parameter {
		return request.Parameter{Name: name, Type: "integer", Doc: doc}
	}
	return []request.Parameter{request.SessionParameter(),
		text("discussion", "Name of the discussion; empty: the active one."),
		text("text", "The message that would be sent; empty: the context ends before it."),
		number("tier", "Tier that would answer, 1 to 4; default: 3."),
		text("persona", "Persona that would answer, instead of the tier's."),
		text("model", "Model that would answer, instead of the tier's."),
		text("ticket", "A ticket or turn: the newest request that was sent for it."),
		number("attempt", "Attempt at the ticket; default: the newest."),
		text("request", "Id of a ModelRequested event: the request that was sent."),
	}
}

// getPreview answers with a context that is built for this request.
func getPreview(c *core.Call) error {
	q := c.Query()
	want := wire.ContextWanted{Request: q.Get("request"), Ticket: q.Get("ticket"), Turn: events.TurnRequested{
		Discussion: q.Get("discussion"), Text: q.Get("text"), Persona: q.Get("persona"), Model: q.Get("model")}}
	for name, into := range map[string]*int{"attempt": &want.Attempt, "tier": &want.Turn.Tier} { // order-independent
		n, err := strconv.Atoi(q.Get(name))
		if q.Get(name) != "" && (err != nil || n < 1) {
			return problem.New(http.StatusBadRequest, name+" must be a number, 1 or more", "Leave it out, or send one.")
		}
		*into = n
	}
	if want.Attempt > 0 && want.Ticket == "" {
		return problem.New(http.StatusBadRequest, "attempt needs a ticket", "Send ticket with it.")
	}
	session, err := c.SomeSession()
	if err != nil {
		return err
	}
	out, err := Preview(c, session, want)
	if err != nil {
		return err
	}
	return c.ReplyUnlessKnown(out)
}

// Preview builds a context. For the next turn it uses the current state of the discussion.
func Preview(c *core.Call, session string, want wire.ContextWanted) (wire.ContextPreview, error) {
	if c.Gw.Cfg.Aggregate == nil {
		return wire.ContextPreview{}, problem.New(http.StatusServiceUnavailable,
			"this gateway has no access to the project folder", "Use the gateway of slop serve, started with --project.")
	}
	if want.Request == "" && want.Ticket == "" {
		var err error
		if want.Turn, err = discussions.Preview(c, session, want.Turn); err != nil {
			return wire.ContextPreview{}, err
		}
	}
	out, err := c.Gw.Cfg.Aggregate(c.Request.Context(), session, want)
	if err != nil {
		return out, fmt.Errorf("build the context: %w", err)
	}
	return out, nil
}
