package mcpserve

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"manualslop/cmd/slop/client"
	"manualslop/events"
)

// elicit passes a question of an external server to the client and sends the client's answer as the person's. If the
// client cannot be asked, or its answer does not count, the question waits for the person.
func (s *server) elicit(ctx context.Context, r *mcp.CallToolRequest, a events.AskRaised) {
	given, err := ask(ctx, r, a)
	if err == nil {
		err = s.answer(ctx, a.Ask, given)
	}
	if err != nil && ctx.Err() == nil {
		s.log.Warn("a client did not answer a question of an external server", "ask", a.Ask, "error", err)
	}
}

func ask(ctx context.Context, r *mcp.CallToolRequest, a events.AskRaised) (given client.Answer, err error) {
	var question struct {
		Message string
		Schema  json.RawMessage
		URL     string
	}
	if err := json.Unmarshal(a.Args, &question); err != nil {
		return given, err
	}
	params := &mcp.ElicitParams{Message: question.Message, URL: question.URL}
	if question.URL != "" {
		params.ElicitationID = a.Ask
	}
	if question.Schema != nil {
		params.RequestedSchema = question.Schema
	}
	got, err := r.Session.Elicit(ctx, params)
	if err == nil && got.Action != "accept" && got.Action != "decline" {
		err = fmt.Errorf("the client answered %.40q, so the question waits for the person", got.Action)
	}
	if err != nil {
		return given, err
	}
	given.Reason = "from the MCP client " + clientOf(r).Name
	given.Approved = got.Action == "accept"
	if given.Approved && got.Content != nil {
		given.Args, err = json.Marshal(got.Content)
	}
	return given, err
}
