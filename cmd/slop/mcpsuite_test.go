package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// dot is a PNG image of one pixel, and click is a WAV sound of one sample.
var (
	dot = []byte("\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR\x00\x00\x00\x01\x00\x00\x00\x01\x08\x00\x00\x00\x00:~\x9bU" +
		"\x00\x00\x00\nIDATx\x9cc\xf8\x0f\x00\x01\x01\x01\x00\xb18\xf6\x14\x00\x00\x00\x00IEND\xaeB`\x82")
	click = []byte("RIFF\x25\x00\x00\x00WAVEfmt \x10\x00\x00\x00\x01\x00\x01\x00\x40\x1f\x00\x00\x40\x1f\x00\x00" +
		"\x01\x00\x08\x00data\x01\x00\x00\x00\x80")
)

// mcpSuite is an external MCP server with the tools that the protocol's suite asks for by name.
func mcpSuite() {
	s := sdk.NewServer(&sdk.Implementation{Name: "suite", Version: "1"},
		//lint:ignore SA1019 the suite asks for log messages
		&sdk.ServerOptions{Capabilities: &sdk.ServerCapabilities{Logging: &sdk.LoggingCapabilities{}},
			SubscribeHandler:   func(context.Context, *sdk.SubscribeRequest) error { return nil },
			UnsubscribeHandler: func(context.Context, *sdk.UnsubscribeRequest) error { return nil },
			CompletionHandler: func(_ context.Context, r *sdk.CompleteRequest) (*sdk.CompleteResult, error) {
				return &sdk.CompleteResult{Completion: sdk.CompletionResultDetails{
					Values: []string{r.Params.Argument.Value + "is", r.Params.Argument.Value + "k"}, Total: 2}}, nil
			}})
	for name, blocks := range map[string][]sdk.Content{
		"test_simple_text":       {&sdk.TextContent{Text: "This is a simple text response for testing."}},
		"test_image_content":     {&sdk.ImageContent{Data: dot, MIMEType: "image/png"}},
		"test_audio_content":     {&sdk.AudioContent{Data: click, MIMEType: "audio/wav"}},
		"test_reconnection":      {&sdk.TextContent{Text: "Reconnected."}},
		"test_embedded_resource": {resource("test://embedded-resource", "text/plain", "An embedded resource.")},
		"test_multiple_content_types": {&sdk.TextContent{Text: "Multiple content types test:"},
			&sdk.ImageContent{Data: dot, MIMEType: "image/png"},
			resource("test://mixed-content-resource", "application/json", `{"test":"data","value":123}`)},
	} {
		suiteTool(s, name, func(context.Context, *sdk.CallToolRequest) ([]sdk.Content, error) { return blocks, nil })
	}
	suiteTool(s, "test_error_handling", func(context.Context, *sdk.CallToolRequest) ([]sdk.Content, error) {
		return nil, errors.New("This tool intentionally returns an error for testing")
	})
	suiteTool(s, "test_tool_with_logging", suiteLogs)
	suiteTool(s, "test_tool_with_progress", suiteProgress)
	suiteAsks(s)
	suiteResources(s)
	suitePrompts(s)
	suiteSampling(s)
	suiteRounds(s)
	s.AddTool(&sdk.Tool{Name: "json_schema_2020_12_tool", Description: "Has a schema of JSON Schema 2020-12.",
		InputSchema: json.RawMessage(`{"$schema":"https://json-schema.org/draft/2020-12/schema","type":"object",
			"$defs":{"address":{"type":"object","properties":{"street":{"type":"string"},"city":{"type":"string"}}}},
			"properties":{"name":{"type":"string"},"address":{"$ref":"#/$defs/address"}},"additionalProperties":false}`)},
		func(context.Context, *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
			return &sdk.CallToolResult{}, nil
		})
	if err := s.Run(context.Background(), &sdk.StdioTransport{}); err != nil {
		fmt.Fprintln(os.Stderr, "mcpsuite:", err)
	}
}

func resource(uri, media, text string) sdk.Content {
	return &sdk.EmbeddedResource{Resource: &sdk.ResourceContents{URI: uri, MIMEType: media, Text: text}}
}

func suiteTool(s *sdk.Server, name string, run func(context.Context, *sdk.CallToolRequest) ([]sdk.Content, error)) {
	sdk.AddTool(s, &sdk.Tool{Name: name, Description: "Is called by the suite of the protocol."},
		func(ctx context.Context, r *sdk.CallToolRequest, _ struct{}) (*sdk.CallToolResult, any, error) {
			blocks, err := run(ctx, r)
			return &sdk.CallToolResult{Content: blocks}, nil, err
		})
}

func suiteLogs(ctx context.Context, r *sdk.CallToolRequest) ([]sdk.Content, error) {
	for _, text := range []string{"Tool execution started", "Tool processing data", "Tool execution completed"} {
		//lint:ignore SA1019 the suite asks for log messages
		if err := r.Session.Log(ctx, &sdk.LoggingMessageParams{Level: "info", Data: text}); err != nil {
			return nil, err
		}
	}
	return []sdk.Content{&sdk.TextContent{Text: "logged"}}, nil
}

func suiteProgress(ctx context.Context, r *sdk.CallToolRequest) ([]sdk.Content, error) {
	for _, done := range []float64{0, 50, 100} {
		if err := r.Session.NotifyProgress(ctx, &sdk.ProgressNotificationParams{
			ProgressToken: r.Params.GetProgressToken(), Progress: done, Total: 100}); err != nil {
			return nil, err
		}
	}
	return []sdk.Content{&sdk.TextContent{Text: "progressed"}}, nil
}

// suiteAsks adds the tools that ask a person.
func suiteAsks(s *sdk.Server) {
	for name, form := range map[string]string{
		"test_elicitation": `{"username":{"type":"string"},"email":{"type":"string"}}`,
		"test_elicitation_sep1034_defaults": `{"name":{"type":"string","default":"John Doe"},
			"age":{"type":"integer","default":30},"score":{"type":"number","default":95.5},
			"status":{"type":"string","enum":["active","inactive","pending"],"default":"active"},
			"verified":{"type":"boolean","default":true}}`,
		"test_elicitation_sep1330_enums": `{"untitledSingle":{"type":"string","enum":["option1","option2","option3"]},
			"titledSingle":{"type":"string","oneOf":[{"const":"value1","title":"First"},{"const":"value2","title":"Second"}]},
			"legacyEnum":{"type":"string","enum":["opt1","opt2"],"enumNames":["Option One","Option Two"]},
			"untitledMulti":{"type":"array","items":{"type":"string","enum":["option1","option2","option3"]}},
			"titledMulti":{"type":"array","items":{"anyOf":[{"const":"value1","title":"First"},
				{"const":"value2","title":"Second"}]}}}`,
	} {
		s.AddTool(&sdk.Tool{Name: name, Description: "Asks a person.", InputSchema: json.RawMessage(`{"type":"object"}`)},
			func(_ context.Context, r *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
				got, answered := r.Params.InputResponses["form"].(*sdk.ElicitResult)
				if !answered {
					return &sdk.CallToolResult{InputRequests: sdk.InputRequestMap{"form": &sdk.ElicitParams{Message: "Fill in.",
						RequestedSchema: json.RawMessage(`{"type":"object","properties":` + form + `}`)}}}, nil
				}
				content, err := json.Marshal(got.Content)
				return &sdk.CallToolResult{Content: []sdk.Content{&sdk.TextContent{
					Text: fmt.Sprintf("%s: %s", got.Action, content)}}}, err
			})
	}
}
