// Command generatedclient calls a gateway with the client that oapi-codegen
// makes of docs/openapi.yaml; the test of hookgw puts that beside this file. It
// takes the gateway's address and prints what each call came to.
package main

import (
	"context"
	"fmt"
	"net/http"
	"os"
)

func main() {
	key := func(token string) RequestEditorFn {
		return func(_ context.Context, r *http.Request) error {
			r.Header.Set("Authorization", "Bearer "+token)
			return nil
		}
	}
	client, err := NewClientWithResponses(os.Args[1], WithRequestEditorFn(key(os.Getenv("SLOP_TOKEN"))))
	if err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
	if err := run(context.Background(), client); err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
}

func run(ctx context.Context, c *ClientWithResponses) error {
	if err := reads(ctx, c); err != nil {
		return err
	}
	if err := writes(ctx, c); err != nil {
		return err
	}
	return ask(ctx, c)
}

func reads(ctx context.Context, c *ClientWithResponses) error {
	status, err := c.GetStatusWithResponse(ctx)
	if err != nil {
		return err
	}
	fmt.Println("status", status.JSON200.Status)
	mma, err := c.GetApiGuiMmaStatusWithResponse(ctx, nil)
	if err != nil {
		return err
	}
	fmt.Println("mma_status", mma.JSON200.MmaStatus, mma.JSON200.ActiveTier == nil, len(mma.JSON200.MmaStreams))
	diagnostics, err := c.GetApiGuiDiagnosticsWithResponse(ctx, nil)
	if err != nil {
		return err
	}
	fmt.Println("diagnostics", diagnostics.JSON200.Thinking, diagnostics.JSON200.Live, diagnostics.JSON200.Prior)
	performance, err := c.GetApiPerformanceWithResponse(ctx)
	if err != nil {
		return err
	}
	fmt.Println("performance", performance.JSON200.Performance.Fps == nil)
	health, err := c.GetApiGuiHealthWithResponse(ctx, nil)
	if err != nil {
		return err
	}
	fmt.Println("gui_health", health.JSON200.Healthy)
	document, err := c.GetOpenapiYamlWithResponse(ctx)
	if err != nil {
		return err
	}
	fmt.Println("openapi", document.StatusCode(), len(document.Body) > 0)
	return nil
}

func writes(ctx context.Context, c *ClientWithResponses) error {
	queued, err := c.PostApiGuiWithResponse(ctx, nil, PostApiGuiJSONRequestBody{"action": "set_value", "item": "mma_epic_input", "value": "Add a parser."})
	if err != nil {
		return err
	}
	fmt.Println("gui", string(queued.Body))
	value, err := c.GetApiGuiValueByTagWithResponse(ctx, "mma_epic_input", nil)
	if err != nil {
		return err
	}
	fmt.Println("value", value.JSON200.Value)
	var document SessionDocument
	entry := any(map[string]any{"role": "User", "content": "hello"})
	document.Session.Entries = append(document.Session.Entries, &entry)
	edited, err := c.PostApiSessionWithResponse(ctx, nil, document)
	if err != nil {
		return err
	}
	fmt.Println("session", string(edited.Body))
	back, err := c.GetApiSessionWithResponse(ctx, nil)
	if err != nil {
		return err
	}
	fmt.Println("entries", len(back.JSON200.Session.Entries))
	client := "generated"
	drained, err := c.GetApiEventsWithResponse(ctx, &GetApiEventsParams{Client: &client})
	if err != nil {
		return err
	}
	fmt.Println("events", len(drained.JSON200.Events))
	missing, err := c.GetApiEventsWithResponse(ctx, &GetApiEventsParams{Session: &client})
	if err != nil {
		return err
	}
	fmt.Println("problem", missing.StatusCode(), missing.JSON4XX.Error)
	return nil
}

func ask(ctx context.Context, c *ClientWithResponses) error {
	answers := make(chan string, 1)
	go func() {
		got, err := c.PostApiAskWithResponse(ctx, nil, PostApiAskJSONRequestBody{"request_id": "r1", "tool": "run_powershell"})
		if err != nil {
			answers <- err.Error()
			return
		}
		answers <- string(got.Body)
	}()
	for {
		open, err := c.GetApiAsksWithResponse(ctx, nil)
		if err != nil {
			return err
		}
		if len(open.JSON200.Asks) == 0 {
			continue
		}
		said, err := c.PostApiAskRespondWithResponse(ctx, nil, ResponseBody{RequestId: open.JSON200.Asks[0].RequestId, Response: map[string]any{"approved": true}})
		if err != nil {
			return err
		}
		fmt.Println("respond", string(said.Body))
		fmt.Println("ask", <-answers)
		return nil
	}
}
