package mcpserve

import (
	"cmp"
	"context"
	"crypto/rand"
	"crypto/subtle"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"manualslop/cmd/slop/client"
	"manualslop/events"
)

// inputNeeded is why a request of the protocol without sessions has no outcome yet: its client must repeat it with the
// answers and the state.
type inputNeeded struct {
	asked mcp.InputRequestMap
	state string
}

func (*inputNeeded) Error() string { return "the external server asks questions first" }

// round holds the questions that an external server asked at once during a call, as far as the client may answer them.
type round struct {
	raised int // all questions of the round, also those for the user
	open   map[string]openQuestion

	// state must come with the answers, once, in a request for the same; guarded by server.mu.
	state, name, args string
}

type openQuestion struct {
	ask string
	question
}

// question records a question of the external server. When a round is complete, it returns the questions that the
// client must answer, or nil if there are none.
func (s *server) question(gone context.Context, q request, c *call, a events.AskRaised) error {
	var asked question
	if json.Unmarshal(a.Args, &asked) != nil {
		return nil // it waits for the user
	}
	if c.round.raised == 0 {
		c.round.open = map[string]openQuestion{}
	}
	c.round.raised++
	if s.mayAnswer(q, asked) {
		c.round.open[cmp.Or(asked.Key, a.Ask)] = openQuestion{a.Ask, asked}
	}
	if c.round.raised < asked.Of {
		return nil
	}
	c.round.raised = 0
	if len(c.round.open) == 0 {
		return nil
	}
	return s.need(gone, q, c)
}

// mayAnswer reports whether the client of a request may answer a question and can.
func (s *server) mayAnswer(q request, asked question) bool {
	can := q.capabilities
	switch {
	case can == nil:
		return false
	case asked.Sampling != nil:
		//lint:ignore SA1019 current clients still sample
		return s.samples && can.Sampling != nil
	case asked.Roots:
		//lint:ignore SA1019 current clients still have roots
		return s.roots && can.RootsV2 != nil
	case can.Elicitation == nil:
		return false
	case asked.URL != "":
		return s.elicits && can.Elicitation.URL != nil
	}
	return s.elicits && (can.Elicitation.Form != nil || can.Elicitation.URL == nil)
}

// need leaves a call pending and returns its open questions.
func (s *server) need(gone context.Context, q request, c *call) error {
	out := &inputNeeded{mcp.InputRequestMap{}, c.id + "." + rand.Text()}
	for key, o := range c.round.open {
		switch {
		case o.Sampling != nil:
			out.asked[key] = o.Sampling
		case o.Roots:
			//lint:ignore SA1019 current clients still have roots
			out.asked[key] = &mcp.ListRootsParams{}
		case o.URL != "":
			out.asked[key] = &mcp.ElicitParams{Mode: "url", Message: o.Message, URL: o.URL, ElicitationID: o.ask}
		default:
			out.asked[key] = &mcp.ElicitParams{Message: o.Message, RequestedSchema: o.Schema}
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	c.round.state, c.round.name, c.round.args = out.state, q.name, q.digest()
	s.keep(gone, c)
	return out
}

// goOn applies a client's answers and continues to wait for the call. The state must be that of the last round, and
// the request must be the same.
func (s *server) goOn(ctx, gone context.Context, q request) (events.Payload, error) {
	id, _, _ := strings.Cut(q.state, ".")
	s.mu.Lock()
	c := s.calls[id]
	if c == nil || !c.pending || c.round.state == "" || c.round.name != q.name || c.round.args != q.digest() ||
		subtle.ConstantTimeCompare([]byte(c.round.state), []byte(q.state)) != 1 {
		s.mu.Unlock()
		return nil, s.refuseAnswers(ctx, q.name)
	}
	c.round.state, c.pending = "", false
	c.resume()
	s.mu.Unlock()
	c.progress = 0 // of another request
	for key, o := range c.round.open {
		given, fits := o.answer(q.answers[key])
		if !fits {
			continue // asked again
		}
		delete(c.round.open, key)
		if given == nil {
			continue
		}
		given.Reason = fromClient(q.session)
		if err := s.answer(ctx, o.ask, *given); err != nil && ctx.Err() == nil {
			s.log.Warn("a client did not answer a question from an external server", "ask", o.ask, "error", err)
		}
	}
	if len(c.round.open) > 0 && ctx.Err() == nil {
		return nil, s.need(gone, q, c)
	}
	return s.await(ctx, gone, q, c)
}

// digest returns the digest of the arguments, in their canonical form if they have one.
func (q request) digest() string {
	if sum, err := events.CanonicalDigest(q.args); err == nil {
		return sum
	}
	return events.Digest(q.args)
}

// answer returns the answer in a client's response, or false if the response answers something else. The answer is
// nil if the client closed its dialog, so that the question waits for the user.
func (o openQuestion) answer(in mcp.InputResponse) (given *client.Answer, fits bool) {
	var content any
	given = &client.Answer{Approved: true}
	switch r := in.(type) {
	case *mcp.ElicitResult:
		if o.Sampling != nil || o.Roots {
			return nil, false
		}
		switch r.Action {
		case "accept":
		case "decline":
			given.Approved = false
		default:
			return nil, true
		}
		if r.Content == nil || !given.Approved {
			return given, true
		}
		content = r.Content
	//lint:ignore SA1019 current clients still sample
	case *mcp.CreateMessageWithToolsResult:
		if o.Sampling == nil {
			return nil, false
		}
		content = r
	//lint:ignore SA1019 current clients still have roots
	case *mcp.ListRootsResult:
		if !o.Roots {
			return nil, false
		}
		content = r
	default:
		return nil, false
	}
	var err error
	given.Args, err = json.Marshal(content)
	return given, err == nil
}

// refuseAnswers rejects a call that carries answers to questions which the server did not ask. It records the
// rejection and does not request the call.
func (s *server) refuseAnswers(ctx context.Context, name string) error {
	c, err := s.begin()
	if err != nil {
		return refuse("%v", err)
	}
	defer s.end(c)
	message := "inputResponses and requestState must belong to a question about the same request and be used once: " +
		"repeat the call without them. Only the user approves calls, with slop ask answer; call " + c.id +
		" is refused"
	if err := s.withdraw(ctx, c, fmt.Sprintf("a call of %.80q came with answers to questions that were not asked",
		name)); err != nil {
		return refuse("%v", err)
	}
	return &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: message}
}
