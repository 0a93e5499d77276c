package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/require"
)

// BenchmarkMCPServe is a read of 4 KiB by an MCP client through approval, log and
// worker of an engine of its own, at 1 and at 16 in flight. The reference is the
// same client and text with a server of the protocol's library that does nothing
// else; both run in turns.
func BenchmarkMCPServe(b *testing.B) {
	home, project := b.TempDir(), b.TempDir()
	text := strings.Repeat("0123456789abcde\n", 256)
	require.NoError(b, os.WriteFile(filepath.Join(project, "a.txt"), []byte(text), 0o600))
	require.NoError(b, os.MkdirAll(filepath.Join(home, ".config", "slop"), 0o700))
	require.NoError(b, os.WriteFile(filepath.Join(home, ".config", "slop", "config.toml"), []byte(scriptConfig), 0o600))
	connect := func(program string, args ...string) *mcp.ClientSession {
		server := exec.Command(program, args...)
		server.Dir = project
		server.Env = append(os.Environ(), "HOME="+home, "XDG_CONFIG_HOME=", "XDG_STATE_HOME=")
		in, err := server.StdinPipe()
		require.NoError(b, err)
		out, err := server.StdoutPipe()
		require.NoError(b, err)
		require.NoError(b, server.Start())
		session, err := mcp.NewClient(&mcp.Implementation{Name: "bench", Version: "1"}, nil).Connect(b.Context(),
			&mcp.IOTransport{Reader: out, Writer: in}, nil)
		require.NoError(b, err)
		b.Cleanup(func() {
			_ = session.Close()
			_ = server.Wait()
		})
		return session
	}
	ours, plain := connect("slop", "mcp", "serve"), connect("mcpsay")
	for _, flight := range []int{1, 16} {
		b.Run(fmt.Sprintf("flight=%d", flight), func(b *testing.B) {
			n := max(b.N, flight)
			var own, raw time.Duration
			const turns = 4
			for range turns {
				own += callsIn(b, ours, flight, n/turns+1, &mcp.CallToolParams{Name: "read_file",
					Arguments: map[string]any{"path": "a.txt"}})
				raw += callsIn(b, plain, flight, n/turns+1, &mcp.CallToolParams{Name: "say",
					Arguments: map[string]any{"text": text}})
			}
			calls := float64(turns * (n/turns + 1))
			b.ReportMetric(0, "ns/op")
			b.ReportMetric(calls/own.Seconds(), "calls/s")
			b.ReportMetric(calls/raw.Seconds(), "raw-calls/s")
			b.ReportMetric(raw.Seconds()/own.Seconds(), "x-raw")
		})
	}
}

// callsIn is how long n calls take with so many in flight.
func callsIn(b *testing.B, session *mcp.ClientSession, flight, n int, call *mcp.CallToolParams) time.Duration {
	b.Helper()
	began := time.Now()
	var wg sync.WaitGroup
	for i := range flight {
		wg.Go(func() {
			for j := i; j < n; j += flight {
				result, err := session.CallTool(b.Context(), call)
				if err != nil || result.IsError {
					b.Errorf("call failed: %v %s", err, textOf(result))
					return
				}
			}
		})
	}
	wg.Wait()
	return time.Since(began)
}
