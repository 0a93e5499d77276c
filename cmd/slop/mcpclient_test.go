package main

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// mcpClient is an MCP client of `slop mcp serve`: mcpclient ACTION TOOL ARGS. It prints the progress and the
// result of the call. ACTION is call, cancel, which cancels the call at its first progress, forge, which sends an
// answer that nobody asked for with it, leave, which ends the client at the first progress without a word,
// pending, which comes back for the outcome as often as it is told to, a number, which makes as many calls at
// once, or list, which prints tools, or rounds or closed, which answer the questions of a tool in results by hand.
// Further actions are resources, templates, prompts, read URI, prompt NAME ARGS, complete PROMPT PREFIX, and watch
// URI TOOL, which subscribes, calls the tool and waits for the change. With MCP_LEVEL it prints log messages from
// that level on. It waits for MCP_NOTICES progress and log messages before it ends. With MCP_REPLY it replies as a
// model, with MCP_ROOTS it has that folder. It answers questions with the form in MCP_FORM. MCP_SERVER is what
// stands behind slop mcp, serve by default. With MCP_URL it calls a server over HTTP, with the token in the file
// MCP_TOKEN, over SSE where the URL ends so. MCP_ERA is the protocol's version.
func mcpClient() {
	if err := runMCPClient(context.Background(), os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "mcpclient:", err)
		os.Exit(1)
	}
}

func runMCPClient(ctx context.Context, args []string) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	transport, wait, err := mcpTransport(ctx)
	if err != nil {
		return err
	}
	noticed := make(chan struct{}, 1000)
	options := &mcp.ClientOptions{
		ProgressNotificationHandler: func(_ context.Context, r *mcp.ProgressNotificationClientRequest) {
			defer func() { noticed <- struct{}{} }()
			fmt.Println("progress:", r.Params.Message)
			switch args[0] {
			case "cancel":
				cancel()
			case "leave":
				os.Exit(0)
			}
		},
	}
	//lint:ignore SA1019 current clients still show log messages
	options.LoggingMessageHandler = func(_ context.Context, r *mcp.LoggingMessageRequest) {
		fmt.Println("log:", r.Params.Level, r.Params.Data)
		noticed <- struct{}{}
	}
	updated := make(chan string, 1)
	options.ResourceUpdatedHandler = func(_ context.Context, r *mcp.ResourceUpdatedNotificationRequest) {
		select {
		case updated <- r.Params.URI:
		default:
		}
	}
	if reply := os.Getenv("MCP_REPLY"); reply != "" {
		//lint:ignore SA1019 current clients still sample
		options.CreateMessageHandler = func(_ context.Context,
			//lint:ignore SA1019 current clients still sample
			r *mcp.CreateMessageRequest) (*mcp.CreateMessageResult, error) {
			for _, m := range r.Params.Messages {
				fmt.Println("sampled:", textOf(&mcp.CallToolResult{Content: []mcp.Content{m.Content}}))
			}
			//lint:ignore SA1019 current clients still sample
			return &mcp.CreateMessageResult{Role: "assistant", Model: "scripted", Content: &mcp.TextContent{Text: reply}}, nil
		}
	}
	options.Capabilities = &mcp.ClientCapabilities{}
	roots := os.Getenv("MCP_ROOTS")
	if roots != "" {
		//lint:ignore SA1019 current clients still have roots
		options.Capabilities.RootsV2 = &mcp.RootCapabilities{}
	}
	if form := os.Getenv("MCP_FORM"); form != "" {
		options.ElicitationHandler = func(_ context.Context, r *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
			fmt.Println("asked:", r.Params.Message)
			var content map[string]any
			err := json.Unmarshal([]byte(form), &content)
			return &mcp.ElicitResult{Action: "accept", Content: content}, err
		}
	}
	options.MultiRoundTrip = &mcp.MultiRoundTripOptions{Disabled: args[0] == "rounds" || args[0] == "closed"}
	client := mcp.NewClient(&mcp.Implementation{Name: "scripted-client", Version: "1.0"}, options)
	if roots != "" {
		//lint:ignore SA1019 current clients still have roots
		client.AddRoots(&mcp.Root{URI: roots})
	}
	confirmed := make(chan struct{}, 1)
	client.AddReceivingMiddleware(func(next mcp.MethodHandler) mcp.MethodHandler {
		return func(ctx context.Context, method string, r mcp.Request) (mcp.Result, error) {
			if _, is := r.GetParams().(*mcp.SubscriptionsAcknowledgedParams); is {
				confirmed <- struct{}{}
			}
			return next(ctx, method, r)
		}
	})
	session, err := client.Connect(ctx, transport, &mcp.ClientSessionOptions{ProtocolVersion: os.Getenv("MCP_ERA")})
	if err != nil {
		return err
	}
	if level := os.Getenv("MCP_LEVEL"); level != "" {
		//lint:ignore SA1019 current clients still show log messages
		if err := session.SetLoggingLevel(ctx, &mcp.SetLoggingLevelParams{Level: mcp.LoggingLevel(level)}); err != nil {
			return err
		}
	}
	other, err := passedOn(ctx, session, args, confirmed, updated)
	if err == nil && !other {
		err = actMCP(ctx, session, args)
	}
	if err != nil {
		return err
	}
	if all := os.Getenv("MCP_NOTICES"); all != "" {
		n, err := strconv.Atoi(all)
		if err != nil {
			return err
		}
		for range n {
			<-noticed
		}
	}
	if err := session.Close(); err != nil {
		return err
	}
	return wait()
}

// mcpTransport is the way to the server, and what to wait for behind it.
func mcpTransport(ctx context.Context) (mcp.Transport, func() error, error) {
	if url := os.Getenv("MCP_URL"); url != "" {
		token, err := os.ReadFile(os.Getenv("MCP_TOKEN"))
		if err != nil {
			return nil, nil, err
		}
		with := &http.Client{Transport: bearer(strings.TrimSpace(string(token)))}
		if strings.HasSuffix(url, "/sse") {
			return &mcp.SSEClientTransport{Endpoint: url, HTTPClient: with}, func() error { return nil }, nil
		}
		return &mcp.StreamableClientTransport{Endpoint: url, HTTPClient: with}, func() error { return nil }, nil
	}
	command := strings.Fields(cmp.Or(os.Getenv("MCP_SERVER"), "serve"))
	server := exec.CommandContext(context.WithoutCancel(ctx), "slop", append([]string{"mcp"}, command...)...)
	server.Stderr = os.Stderr
	in, err := server.StdinPipe()
	if err != nil {
		return nil, nil, err
	}
	out, err := server.StdoutPipe()
	if err != nil {
		return nil, nil, err
	}
	if err := server.Start(); err != nil {
		return nil, nil, err
	}
	if path := os.Getenv("MCP_PID"); path != "" {
		if err := os.WriteFile(path, []byte(strconv.Itoa(server.Process.Pid)), 0o600); err != nil {
			return nil, nil, err
		}
	}
	return &mcp.IOTransport{Reader: out, Writer: in}, server.Wait, nil
}

// bearer sends a token with each request.
type bearer string

func (b bearer) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("Authorization", "Bearer "+string(b))
	return http.DefaultTransport.RoundTrip(r)
}

func actMCP(ctx context.Context, session *mcp.ClientSession, args []string) error {
	if args[0] == "list" {
		for tool, err := range session.Tools(ctx, nil) {
			if err != nil {
				return err
			}
			line, err := json.Marshal(tool)
			if err != nil {
				return err
			}
			fmt.Println(string(line))
		}
		return nil
	}
	if args[0] == "rounds" || args[0] == "closed" {
		return roundsMCP(ctx, session, args[1], args[0] == "closed")
	}
	call := &mcp.CallToolParams{Name: args[1], Arguments: json.RawMessage(args[2])}
	if n, err := strconv.Atoi(args[0]); err == nil {
		return manyMCPCalls(ctx, session, call, n)
	}
	if args[0] == "forge" {
		call.InputResponses = mcp.InputResponseMap{"approve": &mcp.ElicitResult{Action: "accept",
			Content: map[string]any{"approve": true}}}
		call.RequestState = "approved"
	}
	call.SetProgressToken("p-1")
	for {
		result, err := session.CallTool(ctx, call)
		if ctx.Err() != nil {
			fmt.Println("cancelled")
			return nil
		}
		if err != nil && args[0] == "forge" {
			fmt.Println("refused:", err)
			return nil
		}
		if err != nil {
			return err
		}
		fmt.Println("isError:", result.IsError)
		for _, block := range result.Content {
			if _, text := block.(*mcp.TextContent); text {
				continue
			}
			line, err := block.MarshalJSON()
			if err != nil {
				return err
			}
			fmt.Println(string(line))
		}
		fmt.Println(textOf(result))
		_, id, pending := strings.Cut(textOf(result), `"call": `)
		if args[0] != "pending" || !pending {
			return nil
		}
		id, _, _ = strings.Cut(id, "}")
		call = &mcp.CallToolParams{Name: "slop_outcome", Arguments: json.RawMessage(`{"call":` + id + `}`)}
	}
}

// manyMCPCalls makes n calls at once and prints how many of them had which result.
func manyMCPCalls(ctx context.Context, session *mcp.ClientSession, call *mcp.CallToolParams, n int) error {
	var wg sync.WaitGroup
	var mu sync.Mutex
	results := map[string]int{}
	for range n {
		wg.Go(func() {
			text := ""
			if result, err := session.CallTool(ctx, call); err != nil {
				text = err.Error()
			} else {
				text = textOf(result)
			}
			mu.Lock()
			defer mu.Unlock()
			results[text]++
		})
	}
	wg.Wait()
	for text, n := range results {
		fmt.Println(n, "times:", text)
	}
	return nil
}

func textOf(r *mcp.CallToolResult) string {
	var out []string
	for _, c := range r.Content {
		if text, ok := c.(*mcp.TextContent); ok {
			out = append(out, text.Text)
		}
	}
	return strings.Join(out, "\n")
}
