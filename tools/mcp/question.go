package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/url"
	"sync"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"manualslop/tools"
)

// errNoCall means that a server asked a question while none or several of its calls were running, so it is
// unknown to which call the question belongs.
var errNoCall = errors.New("a question must belong to one running call")

// maxQuestions limits the questions of one call. Each is an ask that a user must answer, and it stops the time
// limit of the call.
const maxQuestions = 16

// maxKey limits the server's own name of a question, in bytes.
const maxKey = 100

var errTooManyQuestions = fmt.Errorf("a call may ask at most %d questions", maxQuestions)

// round identifies how a question was asked: key is the server's name for it, of the number of questions asked
// together. It is empty in the older protocol.
type round struct {
	key string
	of  int
}

// needed lists what a server needs before it gives a result, and the state that it wants back.
type needed struct {
	asked sdk.InputRequestMap
	state string
}

// rounds repeats a request with the answers to the questions that the server asks in place of a result, as the newer
// protocol does. send returns nil with a result.
func (c *connection) rounds(ctx context.Context, send func(sdk.InputResponseMap, string) (*needed, error)) error {
	var answers sdk.InputResponseMap
	state := ""
	for {
		more, err := send(answers, state)
		if err != nil || more == nil {
			return err
		}
		state = more.state
		if answers, err = c.answers(ctx, more.asked); err != nil {
			return err
		}
	}
}

// answers asks the questions of one round at once. Without questions the server only wants the request again later.
func (c *connection) answers(ctx context.Context, asked sdk.InputRequestMap) (sdk.InputResponseMap, error) {
	e, err := c.asking(ctx, max(len(asked), 1))
	if err != nil {
		return nil, err
	}
	if len(asked) == 0 {
		select {
		case <-time.After(settling):
		case <-ctx.Done():
		}
		return nil, ctx.Err()
	}
	defer e.hold()() // until all are answered
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	out := sdk.InputResponseMap{}
	var mu sync.Mutex
	var all sync.WaitGroup
	for key, q := range asked {
		all.Go(func() {
			given, err := c.respond(ctx, q, round{key, len(asked)})
			if err != nil {
				cancel(fmt.Errorf("question %q: %w", clean(key, maxKey), err)) // the first error is the cause
				return
			}
			mu.Lock()
			defer mu.Unlock()
			out[key] = given
		})
	}
	all.Wait()
	return out, context.Cause(ctx)
}

// respond answers one question of a round.
func (c *connection) respond(ctx context.Context, q sdk.InputRequest, in round) (sdk.InputResponse, error) {
	if len(in.key) > maxKey {
		return nil, fmt.Errorf("its name must have at most %d bytes, got %d", maxKey, len(in.key))
	}
	switch q := q.(type) {
	case *sdk.ElicitParams:
		return c.elicit(ctx, q, in)
	//lint:ignore SA1019 current servers still ask for it
	case *sdk.CreateMessageWithToolsParams:
		if !c.of.definition.Sampling {
			return nil, errors.New(`model replies are only available with "sampling": true`)
		}
		return c.sample(ctx, q, in)
	//lint:ignore SA1019 current servers still ask for it
	case *sdk.ListRootsParams:
		return c.roots(ctx, in)
	}
	return nil, fmt.Errorf("unknown question %T", q)
}

// elicit passes a server's question to the user.
func (c *connection) elicit(ctx context.Context, p *sdk.ElicitParams, in round) (*sdk.ElicitResult, error) {
	q := tools.Question{Message: c.of.short(p.Message, maxDescription), URL: p.URL}
	if q.URL != "" {
		u, err := url.Parse(q.URL)
		if err != nil || u.Scheme != "https" && u.Scheme != "http" || u.Host == "" {
			return nil, errors.New("the address must begin with http:// or https://")
		}
		q.Origin = u.Scheme + "://" + u.Host
	} else if p.RequestedSchema != nil {
		schema, err := json.Marshal(p.RequestedSchema)
		if err != nil || len(schema) > maxSchema {
			return nil, errors.New("the form cannot be shown")
		}
		q.Schema = schema
	}
	a, err := c.put(ctx, q, in)
	if err != nil {
		return nil, err
	}
	if !a.Accepted {
		return &sdk.ElicitResult{Action: "decline"}, nil
	}
	return &sdk.ElicitResult{Action: "accept", Content: withDefaults(a.Content, q.Schema)}, nil
}

// withDefaults returns the content of a form with the defaults of the fields that it leaves out.
func withDefaults(content map[string]any, form json.RawMessage) map[string]any {
	var fields struct {
		Properties map[string]struct {
			Default any `json:"default"`
		} `json:"properties"`
	}
	if json.Unmarshal(form, &fields) != nil { // also without a form
		return content
	}
	out := map[string]any{}
	for name, field := range fields.Properties {
		if field.Default != nil {
			out[name] = field.Default
		}
	}
	if maps.Copy(out, content); len(out) == 0 {
		return content
	}
	return out
}

// put asks a question of a running call and returns the answer. For a call that cannot ask, the answer is no.
func (c *connection) put(ctx context.Context, q tools.Question, in round) (tools.Answer, error) {
	q.Server, q.Key, q.Of = c.of.definition.Name, in.key, in.of
	n := 1
	if in.of > 0 {
		n = 0 // counted in answers
	}
	e, err := c.asking(ctx, n)
	if err != nil || e.ask == nil {
		return tools.Answer{}, err
	}
	within, cancel := context.WithCancel(e.ctx)
	defer cancel()
	defer context.AfterFunc(ctx, cancel)()
	defer e.hold()() // the user's time does not count
	return e.ask(within, q)
}

// maxSampling limits the parameters of a request for a reply of a model, in bytes.
const maxSampling = 48 << 10

// sample passes on a server's request for a reply of a model, whose parameters are those of sampling/createMessage.
//
//lint:ignore SA1019 current servers still ask for it
func (c *connection) sample(ctx context.Context, params any, in round) (*sdk.CreateMessageResult, error) {
	raw, err := json.Marshal(params)
	var kept map[string]json.RawMessage
	if err == nil {
		err = json.Unmarshal(raw, &kept)
	}
	if err != nil {
		return nil, err
	}
	if kept["tools"] != nil {
		return nil, errors.New("model replies are only available without tools")
	}
	delete(kept, "_meta")
	delete(kept, "metadata")
	if raw, err = json.Marshal(kept); err != nil {
		return nil, err
	}
	if len(raw) > maxSampling {
		return nil, fmt.Errorf("a request for a model's reply must have at most %d bytes, got %d", maxSampling, len(raw))
	}
	a, err := c.put(ctx, tools.Question{Message: "a model's reply", Sampling: raw}, in)
	if err != nil {
		return nil, err
	}
	if !a.Accepted {
		return nil, errors.New("the request for a model's reply was refused")
	}
	//lint:ignore SA1019 current servers still ask for it
	out := &sdk.CreateMessageResult{}
	return out, answered(a, out)
}

// roots returns the folders of the definition, or asks for them.
//
//lint:ignore SA1019 current servers still request roots
func (c *connection) roots(ctx context.Context, in round) (*sdk.ListRootsResult, error) {
	//lint:ignore SA1019 current servers still request roots
	out := &sdk.ListRootsResult{Roots: []*sdk.Root{}}
	if !c.of.definition.AskRoots {
		for _, dir := range c.of.definition.Roots {
			out.Roots = append(out.Roots, rootOf(dir))
		}
		return out, nil
	}
	a, err := c.put(ctx, tools.Question{Message: "the folders that it may use", Roots: true}, in)
	if err != nil {
		return nil, err
	}
	if !a.Accepted {
		return out, nil
	}
	return out, answered(a, out)
}

// askingRoots is the receiving middleware that asks for folders when a server of the older protocol requests them.
func (c *connection) askingRoots(next sdk.MethodHandler) sdk.MethodHandler {
	return func(ctx context.Context, method string, r sdk.Request) (sdk.Result, error) {
		if method == "roots/list" {
			return c.roots(ctx, round{})
		}
		return next(ctx, method, r)
	}
}

// rootOf returns a folder as a root.
//
//lint:ignore SA1019 current servers still request roots
func rootOf(dir string) *sdk.Root {
	//lint:ignore SA1019 current servers still request roots
	return &sdk.Root{URI: (&url.URL{Scheme: "file", Path: dir}).String()}
}

// answered decodes the content of an answer.
func answered(a tools.Answer, into any) error {
	raw, err := json.Marshal(a.Content)
	if err == nil {
		err = json.Unmarshal(raw, into)
	}
	return err
}

// asking returns the call to which questions belong, and counts them. In the newer protocol the server
// asks in its answer; in the older one it sends a separate request, which names no call.
func (c *connection) asking(ctx context.Context, questions int) (*expectation, error) {
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
	if e.questions += questions; e.questions > maxQuestions {
		return nil, errTooManyQuestions
	}
	return e, nil
}
