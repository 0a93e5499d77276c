package bench

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/require"

	"manualslop/bus"
	"manualslop/cmd/slop/engine"
	"manualslop/cmd/slop/site"
	"manualslop/cmd/slop/term"
	"manualslop/events"
	"manualslop/tiers/runtime"
	"manualslop/tools"
	"manualslop/tools/mcp"
)

// textServer is the variable that makes the test binary an MCP server that reads files.
const textServer = "SLOP_BENCH_MCP"

func TestMain(m *testing.M) {
	if os.Getenv(textServer) != "" {
		serveTexts()
		return
	}
	os.Exit(m.Run())
}

func serveTexts() {
	s := sdk.NewServer(&sdk.Implementation{Name: "texts", Version: "1"}, nil)
	type in struct {
		Path string `json:"path"`
	}
	sdk.AddTool(s, &sdk.Tool{Name: "read_text_file", Description: "Reads a file."},
		func(_ context.Context, _ *sdk.CallToolRequest, in in) (*sdk.CallToolResult, any, error) {
			text, err := os.ReadFile(in.Path)
			return &sdk.CallToolResult{Content: []sdk.Content{&sdk.TextContent{Text: string(text)}}}, nil, err
		})
	_ = s.Run(context.Background(), &sdk.StdioTransport{})
}

// BenchmarkExternalCalls reads 4 KiB with the tool of an external server through approval, log and worker
// of an engine, at 1 and at 16 in flight. The reference are the same calls of the same server without an
// engine; both run in turns. The server is that of npm where SLOP_MCP_PROGRAMS names its folder.
func BenchmarkExternalCalls(b *testing.B) {
	for _, flight := range []int{1, 16} {
		b.Run(fmt.Sprintf("flight=%d", flight), func(b *testing.B) { externalCalls(b, flight) })
	}
}

func externalCalls(b *testing.B, flight int) {
	m := &runner{g: &site.Flags{Terminal: term.Terminal{In: strings.NewReader(""), Quiet: true}}, root: b.TempDir()}
	e, err := m.engine(b.Context(), bus.Relaxed, "")
	require.NoError(b, err)
	defer func() { require.NoError(b, e.Close()) }()
	file := filepath.Join(e.Project, "a.txt")
	require.NoError(b, os.WriteFile(file, []byte(strings.Repeat("0123456789abcde\n", 256)), 0o600))
	registry := externalTools(b, e.Project)
	conn, err := e.Bus.As(e.Ctx, bus.Role{Kind: bus.Worker, Name: engine.WorkerName(1)})
	require.NoError(b, err)
	w := &runtime.Worker{Project: e.Name, Name: engine.WorkerName(1), Log: conn, Queue: conn, Claims: conn, Blobs: conn,
		Tools: registry, Clock: time.Now, IDs: engine.NewID, Logger: e.Logger}
	e.Group.Go(func() error { return e.Role("worker", w.Run(e.Ctx, 32)) })
	const tool = "mcp__texts__read_text_file"
	args, err := json.Marshal(map[string]string{"path": file})
	require.NoError(b, err)
	p := &pinger{tool: tool, args: func(int) json.RawMessage { return args }, inFlight: flight, apart: true,
		trips: make(chan time.Duration)}
	require.NoError(b, pingAll(e, p, site.Offers(registry), events.Rule{Tool: tool, Action: "allow"}))
	var own, raw time.Duration
	const turns = 4
	n := max(b.N, flight)/turns + 1
	for range turns {
		began := time.Now()
		_, err := p.take(e.Ctx, n)
		require.NoError(b, err)
		own += time.Since(began)
		raw += directCalls(b, registry, tool, args, flight, n)
	}
	calls := float64(turns * n)
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(calls/own.Seconds(), "calls/s")
	b.ReportMetric(calls/raw.Seconds(), "raw-calls/s")
	b.ReportMetric(raw.Seconds()/own.Seconds(), "x-raw")
}

// externalTools are those of a trusted server that reads files of a folder.
func externalTools(b *testing.B, folder string) *tools.Registry {
	b.Helper()
	self, err := os.Executable()
	require.NoError(b, err)
	server := map[string]any{"name": "texts", "command": []string{self}, "env": map[string]string{textServer: "1"}}
	if programs := os.Getenv("SLOP_MCP_PROGRAMS"); programs != "" {
		server = map[string]any{"name": "texts", "command": []string{filepath.Join(programs, "node"),
			filepath.Join(programs, "mcp-server-filesystem"), folder}}
	}
	user := b.TempDir()
	config, err := json.Marshal(map[string]any{"servers": []any{server}})
	require.NoError(b, err)
	require.NoError(b, os.WriteFile(filepath.Join(user, mcp.FileName), config, 0o600))
	m, err := mcp.Open(user, folder, nil, mcp.Surroundings{})
	require.NoError(b, err)
	s, _ := m.Find("texts")
	s, err = m.See(b.Context(), s)
	require.NoError(b, err)
	require.NoError(b, m.Trust(s))
	m, err = mcp.Open(user, folder, nil, mcp.Surroundings{})
	require.NoError(b, err)
	b.Cleanup(func() { require.NoError(b, m.StopAll()) })
	registry, err := m.Tools()
	require.NoError(b, err)
	return registry
}

// directCalls is how long n calls take with so many in flight and without an engine.
func directCalls(b *testing.B, registry *tools.Registry, tool string, args json.RawMessage, flight,
	n int) time.Duration {
	b.Helper()
	began := time.Now()
	var wg sync.WaitGroup
	for i := range flight {
		wg.Go(func() {
			for j := i; j < n; j += flight {
				p, err := registry.Prepare(b.Context(), tools.Env{}, tool, args)
				if err != nil {
					b.Error(err)
					return
				}
				if r := p.Run(b.Context(), nil); r.Failed {
					b.Errorf("call failed: %s", r.Text)
					return
				}
			}
		})
	}
	wg.Wait()
	return time.Since(began)
}
