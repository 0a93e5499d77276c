package main

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// suiteForm is a question with one field.
func suiteForm(message, field, kind string) *sdk.ElicitParams {
	return &sdk.ElicitParams{Message: message, RequestedSchema: json.RawMessage(fmt.Sprintf(
		`{"type":"object","properties":{%q:{"type":%q}},"required":[%q]}`, field, kind, field))}
}

// suiteRounds adds the tools and the prompt of the protocol's suite that need input, and its diagnostic tools.
func suiteRounds(s *sdk.Server) {
	sampling := func(text string) sdk.InputRequest {
		//lint:ignore SA1019 the suite samples
		return &sdk.CreateMessageParams{MaxTokens: 100,
			//lint:ignore SA1019 the suite samples
			Messages: []*sdk.SamplingMessage{{Role: "user", Content: &sdk.TextContent{Text: text}}}}
	}
	//lint:ignore SA1019 the suite asks for roots
	roots := &sdk.ListRootsParams{}
	// In each round of a tool the state is the number of the round.
	for name, rounds := range map[string][]sdk.InputRequestMap{
		"elicitation":    {{"user_name": suiteForm("What is your name?", "name", "string")}},
		"sampling":       {{"capital_question": sampling("What is the capital of France?")}},
		"list_roots":     {{"client_roots": roots}},
		"request_state":  {{"confirm": suiteForm("Please confirm", "ok", "boolean")}},
		"tampered_state": {{"confirm": suiteForm("Please confirm", "ok", "boolean")}},
		"capabilities": {{"user_name": suiteForm("What is your name?", "name", "string"),
			"greeting": sampling("Greet.")}},
		"multiple_inputs": {{"user_name": suiteForm("What is your name?", "name", "string"),
			"greeting": sampling("Greet."), "client_roots": roots}},
		"multi_round": {{"step1": suiteForm("Step 1: What is your name?", "name", "string")},
			{"step2": suiteForm("Step 2: What is your favorite color?", "color", "string")}},
	} {
		s.AddTool(&sdk.Tool{Name: "test_input_required_result_" + name, Description: "Needs input.",
			InputSchema: json.RawMessage(`{"type":"object"}`)},
			func(_ context.Context, r *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
				n := len(r.Params.RequestState)
				if n < len(rounds) {
					return &sdk.CallToolResult{InputRequests: rounds[n], RequestState: strings.Repeat("i", n+1)}, nil
				}
				return &sdk.CallToolResult{Content: []sdk.Content{&sdk.TextContent{
					Text: "state-ok: " + suiteAnswers(r.Params.InputResponses)}}}, nil
			})
	}
	s.AddPrompt(&sdk.Prompt{Name: "test_input_required_result_prompt", Description: "Needs input."}, func(
		_ context.Context, r *sdk.GetPromptRequest) (*sdk.GetPromptResult, error) {
		if r.Params.InputResponses == nil {
			return &sdk.GetPromptResult{InputRequests: sdk.InputRequestMap{
				"user_context": suiteForm("What context should the prompt use?", "context", "string")}}, nil
		}
		return &sdk.GetPromptResult{Messages: []*sdk.PromptMessage{{Role: "user",
			Content: &sdk.TextContent{Text: suiteAnswers(r.Params.InputResponses)}}}}, nil
	})
	suiteTool(s, "test_streaming_elicitation", func(context.Context, *sdk.CallToolRequest) ([]sdk.Content, error) {
		return []sdk.Content{&sdk.TextContent{Text: "streamed"}}, nil
	})
	suiteTool(s, "test_logging_tool", suiteLogs)
	suiteTool(s, "test_missing_capability", func(context.Context, *sdk.CallToolRequest) ([]sdk.Content, error) {
		return nil, &jsonrpc.Error{Code: sdk.CodeMissingRequiredClientCapabilities, Message: "sampling with tools is needed",
			Data: json.RawMessage(`{"requiredCapabilities":{"sampling":{"tools":{}}}}`)}
	})
}

// suiteAnswers are the answers of a round, by their keys.
func suiteAnswers(given sdk.InputResponseMap) string {
	var said []string
	for _, key := range slices.Sorted(maps.Keys(given)) {
		data, err := json.Marshal(given[key])
		if err != nil {
			data = []byte(err.Error())
		}
		said = append(said, fmt.Sprintf("%s=%s", key, data))
	}
	return strings.Join(said, " ")
}
