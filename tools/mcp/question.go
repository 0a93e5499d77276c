package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"manualslop/tools"
)

// errNoCall means that a server asked a question while none or several of its calls were running, so it is
// unknown to which call the question belongs.
var errNoCall = errors.New("a question must belong to one running call")

// maxQuestions limits the questions of one call. Each is an ask that a person must answer, and it stops the time
// limit of the call.
const maxQuestions = 16

var errTooManyQuestions = fmt.Errorf("a call may ask at most %d questions", maxQuestions)

// elicit passes a server's question to the person.
func (c *connection) elicit(ctx context.Context, r *sdk.ElicitRequest) (*sdk.ElicitResult, error) {
	q := tools.Question{Server: c.of.definition.Name, Message: clean(r.Params.Message, maxDescription), URL: r.Params.URL}
	if q.URL != "" {
		u, err := url.Parse(q.URL)
		if err != nil || u.Scheme != "https" && u.Scheme != "http" || u.Host == "" {
			return nil, errors.New("the address must begin with http:// or https://")
		}
		q.Origin = u.Scheme + "://" + u.Host
	} else if r.Params.RequestedSchema != nil {
		schema, err := json.Marshal(r.Params.RequestedSchema)
		if err != nil || len(schema) > maxSchema {
			return nil, errors.New("the form cannot be shown")
		}
		q.Schema = schema
	}
	e, err := c.asking(ctx)
	if err != nil {
		return nil, err
	}
	if e.ask == nil {
		return &sdk.ElicitResult{Action: "decline"}, nil
	}
	within, cancel := context.WithCancel(e.ctx)
	defer cancel()
	defer context.AfterFunc(ctx, cancel)()
	defer e.hold()() // the person's time does not count
	a, err := e.ask(within, q)
	if err != nil {
		return nil, err
	}
	if !a.Accepted {
		return &sdk.ElicitResult{Action: "decline"}, nil
	}
	return &sdk.ElicitResult{Action: "accept", Content: a.Content}, nil
}

// asking returns the call to which a question belongs, and counts the question. In the newer protocol the server
// asks in its answer; in the older one it sends a separate request, which names no call.
func (c *connection) asking(ctx context.Context) (*expectation, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	e, named := ctx.Value(underWay{}).(*expectation)
	if !named {
		if len(c.expected) != 1 {
			return nil, errNoCall
		}
		for _, e = range c.expected {
		}
	}
	if e.questions++; e.questions > maxQuestions {
		return nil, errTooManyQuestions
	}
	return e, nil
}
