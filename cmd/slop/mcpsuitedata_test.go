package main

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// suiteResources adds the resources that the protocol's suite reads by name, and the tool touch_watched, which changes
// one of them.
func suiteResources(s *sdk.Server) {
	read := func(media string, text func(uri string) string, blob []byte) sdk.ResourceHandler {
		return func(_ context.Context, r *sdk.ReadResourceRequest) (*sdk.ReadResourceResult, error) {
			part := &sdk.ResourceContents{URI: r.Params.URI, MIMEType: media, Blob: blob}
			if text != nil {
				part.Text = text(r.Params.URI)
			}
			return &sdk.ReadResourceResult{Contents: []*sdk.ResourceContents{part}}, nil
		}
	}
	s.AddResource(&sdk.Resource{URI: "test://static-text", Name: "static-text", MIMEType: "text/plain"},
		read("text/plain", func(string) string { return "This is the content of the static text resource." }, nil))
	s.AddResource(&sdk.Resource{URI: "test://static-binary", Name: "static-binary", MIMEType: "image/png"},
		read("image/png", nil, dot))
	s.AddResource(&sdk.Resource{URI: "test://watched-resource", Name: "watched-resource", MIMEType: "text/plain"},
		read("text/plain", func(string) string { return "Watched resource content." }, nil))
	s.AddResourceTemplate(&sdk.ResourceTemplate{URITemplate: "test://template/{id}/data", Name: "template",
		MIMEType: "application/json"}, read("application/json", func(uri string) string {
		id := strings.TrimSuffix(strings.TrimPrefix(uri, "test://template/"), "/data")
		return fmt.Sprintf(`{"id":%q,"templateTest":true,"data":"Data for ID: %s"}`, id, id)
	}, nil))
	suiteTool(s, "touch_watched", func(ctx context.Context, _ *sdk.CallToolRequest) ([]sdk.Content, error) {
		err := s.ResourceUpdated(ctx, &sdk.ResourceUpdatedNotificationParams{URI: "test://watched-resource"})
		return []sdk.Content{&sdk.TextContent{Text: "touched"}}, err
	})
}

// suitePrompts adds the prompts that the protocol's suite gets by name.
func suitePrompts(s *sdk.Server) {
	prompt := func(p *sdk.Prompt, messages func(args map[string]string) []sdk.Content) {
		s.AddPrompt(p, func(_ context.Context, r *sdk.GetPromptRequest) (*sdk.GetPromptResult, error) {
			out := &sdk.GetPromptResult{Description: p.Description}
			for _, c := range messages(r.Params.Arguments) {
				out.Messages = append(out.Messages, &sdk.PromptMessage{Role: "user", Content: c})
			}
			return out, nil
		})
	}
	text := func(words string) sdk.Content { return &sdk.TextContent{Text: words} }
	prompt(&sdk.Prompt{Name: "test_simple_prompt", Description: "A simple prompt."}, func(
		map[string]string) []sdk.Content {
		return []sdk.Content{text("This is a simple prompt for testing.")}
	})
	prompt(&sdk.Prompt{Name: "test_prompt_with_arguments", Description: "Has arguments.", Arguments: []*sdk.PromptArgument{
		{Name: "arg1", Required: true}, {Name: "arg2", Required: true}}}, func(args map[string]string) []sdk.Content {
		return []sdk.Content{text(fmt.Sprintf("Prompt with arguments: arg1='%s', arg2='%s'", args["arg1"], args["arg2"]))}
	})
	prompt(&sdk.Prompt{Name: "test_prompt_with_embedded_resource", Description: "Embeds a resource.",
		Arguments: []*sdk.PromptArgument{{Name: "resourceUri", Required: true}}}, func(
		args map[string]string) []sdk.Content {
		return []sdk.Content{resource(args["resourceUri"], "text/plain", "Embedded resource content for testing."),
			text("Please process the embedded resource above.")}
	})
	prompt(&sdk.Prompt{Name: "test_prompt_with_image", Description: "Has an image."}, func(
		map[string]string) []sdk.Content {
		return []sdk.Content{&sdk.ImageContent{Data: dot, MIMEType: "image/png"}, text("Please analyze the image above.")}
	})
}

// suiteSampling adds the tool that asks the client's model.
func suiteSampling(s *sdk.Server) {
	s.AddTool(&sdk.Tool{Name: "test_sampling", Description: "Asks the model of the client.", InputSchema: json.RawMessage(
		`{"type":"object","properties":{"prompt":{"type":"string"}},"required":["prompt"]}`)},
		func(_ context.Context, r *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
			var in struct{ Prompt string }
			if err := json.Unmarshal(r.Params.Arguments, &in); err != nil {
				return nil, err
			}
			said := ""
			switch got := r.Params.InputResponses["reply"].(type) {
			//lint:ignore SA1019 the suite samples
			case *sdk.CreateMessageResult:
				said = textOf(&sdk.CallToolResult{Content: []sdk.Content{got.Content}})
			//lint:ignore SA1019 the suite samples
			case *sdk.CreateMessageWithToolsResult:
				said = textOf(&sdk.CallToolResult{Content: got.Content})
			default:
				//lint:ignore SA1019 the suite samples
				return &sdk.CallToolResult{InputRequests: sdk.InputRequestMap{"reply": &sdk.CreateMessageParams{MaxTokens: 100,
					//lint:ignore SA1019 the suite samples
					Messages: []*sdk.SamplingMessage{{Role: "user", Content: &sdk.TextContent{Text: in.Prompt}}}}}}, nil
			}
			return &sdk.CallToolResult{Content: []sdk.Content{&sdk.TextContent{Text: "LLM response: " + said}}}, nil
		})
}
