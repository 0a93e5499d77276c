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
	a, err := c.put(ctx, q)
	if err != nil {
		return nil, err
	}
	if !a.Accepted {
		return &sdk.ElicitResult{Action: "decline"}, nil
	}
	return &sdk.ElicitResult{Action: "accept", Content: a.Content}, nil
}

// put asks a question of a running call and returns the answer. A call that cannot ask gets a no.
func (c *connection) put(ctx context.Context, q tools.Question) (tools.Answer, error) {
	e, err := c.asking(ctx)
	if err != nil || e.ask == nil {
		return tools.Answer{}, err
	}
	within, cancel := context.WithCancel(e.ctx)
	defer cancel()
	defer context.AfterFunc(ctx, cancel)()
	defer e.hold()() // the person's time does not count
	return e.ask(within, q)
}

// maxSampling limits the parameters of a request for a reply of a model, in bytes.
const maxSampling = 48 << 10

// sample passes on a server's request for a reply of a model.
//
//lint:ignore SA1019 current servers still ask for it
func (c *connection) sample(ctx context.Context, r *sdk.CreateMessageRequest) (*sdk.CreateMessageResult, error) {
	params := *r.Params
	params.Meta, params.Metadata = nil, nil
	raw, err := json.Marshal(&params)
	if err != nil {
		return nil, err
	}
	if len(raw) > maxSampling {
		return nil, fmt.Errorf("a request for a reply of a model must have at most %d bytes, has %d", maxSampling, len(raw))
	}
	a, err := c.put(ctx, tools.Question{Server: c.of.definition.Name, Message: "the reply of a model", Sampling: raw})
	if err != nil {
		return nil, err
	}
	if !a.Accepted {
		return nil, errors.New("the request for a reply of a model was refused")
	}
	//lint:ignore SA1019 current servers still ask for it
	out := &sdk.CreateMessageResult{}
	if raw, err = json.Marshal(a.Content); err == nil {
		err = json.Unmarshal(raw, out)
	}
	return out, err
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
