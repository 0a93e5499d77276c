package mcpserve

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"manualslop/cmd/slop/client"
	"manualslop/events"
)

// question is a question of an external server during a call.
type question struct {
	Message string
	Schema  json.RawMessage
	URL     string
	//lint:ignore SA1019 current clients still sample
	Sampling *mcp.CreateMessageParams
	Roots    bool
	Key      string // the server's own name for it
	Of       int    // how many it asked at once
}

// elicit passes a question of an external server to the client, if the client may answer such questions, and sends
// the client's answer as the user's. If the client cannot be asked, or its answer does not count, the question waits
// for the user.
func (s *server) elicit(ctx context.Context, to *mcp.ServerSession, a events.AskRaised) {
	var q question
	err := json.Unmarshal(a.Args, &q)
	may := s.elicits
	switch {
	case q.Sampling != nil:
		may = s.samples
	case q.Roots:
		may = s.roots
	}
	if err == nil && !may {
		return
	}
	var given client.Answer
	if err == nil {
		given, err = ask(ctx, to, a.Ask, q)
	}
	if err == nil {
		err = s.answer(ctx, a.Ask, given)
	}
	if err != nil && ctx.Err() == nil {
		s.log.Warn("a client did not answer a question from an external server", "ask", a.Ask, "error", err)
	}
}

// fromClient is the reason of an answer that a client gave.
func fromClient(of *mcp.ServerSession) string { return "from the MCP client " + clientOf(of).Name }

func ask(ctx context.Context, to *mcp.ServerSession, id string, q question) (given client.Answer, err error) {
	given.Reason = fromClient(to)
	if q.Roots {
		//lint:ignore SA1019 current clients still have roots
		roots, err := to.ListRoots(ctx, nil)
		if err != nil {
			return given, err
		}
		given.Approved = true
		given.Args, err = json.Marshal(roots)
		return given, err
	}
	if q.Sampling != nil {
		//lint:ignore SA1019 current clients still sample
		reply, err := to.CreateMessage(ctx, q.Sampling)
		if err != nil {
			return given, err
		}
		given.Approved = true
		given.Args, err = json.Marshal(reply)
		return given, err
	}
	params := &mcp.ElicitParams{Message: q.Message, URL: q.URL}
	if q.URL != "" {
		params.ElicitationID = id
	}
	if q.Schema != nil {
		params.RequestedSchema = q.Schema
	}
	got, err := to.Elicit(ctx, params)
	if err == nil && got.Action != "accept" && got.Action != "decline" {
		err = fmt.Errorf("the client answered %.40q, so the question waits for you", got.Action)
	}
	if err != nil {
		return given, err
	}
	given.Approved = got.Action == "accept"
	if given.Approved && got.Content != nil {
		given.Args, err = json.Marshal(got.Content)
	}
	return given, err
}
