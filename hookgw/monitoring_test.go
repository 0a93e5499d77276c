package hookgw_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"manualslop/events"
	"manualslop/hookgw/access"
	"manualslop/hookgw/core"
	"manualslop/hookgw/wire"
)

// monitored is a session in which each figure has counted something.
func monitored(t *testing.T) *fixture {
	t.Helper()
	h := newHost()
	lag := uint64(7)
	h.performance.ProjectionLag = &lag
	h.telemetry = wire.HostTelemetry{Processes: []wire.ProcessFigures{{Name: "worker-a-1", Host: "a", PID: 1}},
		Bus: &wire.BusFigures{Bytes: 5}}
	f := open(t, in(h), func(c *core.Config) {
		c.Roles = func() ([]string, []string) { return []string{"gateway"}, []string{"worker"} }
	})
	f.put(events.ActorConductor, events.TrackStarted{Track: events.Track{ID: "TR-1"}})
	f.put(events.ActorLead, events.TicketsPlanned{Track: "TR-1", Tickets: []events.Ticket{{ID: "T-1",
		Status: events.StatusTodo}}})
	f.replies("T-1", "claude-sonnet-4-5", events.Usage{Input: 1000, Output: 100})
	failed := f.put(events.ActorContributor, events.ModelRequested{Tier: 3, Provider: "anthropic", Model: "m", Attempt: 2})
	f.put(events.ActorModels, events.ModelFailed{Request: failed.ID, Kind: events.ModelNetwork})
	f.put(events.ActorModels, events.ModelFailed{Request: failed.ID, Kind: events.ModelNetwork}) // counts once
	f.put(events.ActorContributor, events.ToolRequested{Call: "c1", Tool: "run_powershell", Ticket: "T-1"})
	f.put(events.ActorApproval, events.ToolApproved{Call: "c1", Tool: "run_powershell", Generation: 1})
	f.put("worker-a-1", events.ToolSettled{Call: "c1", Tool: "run_powershell", Outcome: events.ToolFailed, Generation: 1,
		DurationMS: 700})
	f.put(events.ActorConductor, events.TicketRetried{Ticket: "T-1"})
	f.raise("a1", events.GateTool)
	return f
}

func TestMetricsCountTheWorkOfASession(t *testing.T) {
	t.Parallel()
	got := string(monitored(t).get("/metrics", access.RightRead).body)
	for _, line := range []string{
		`slop_model_seconds_count{model="anthropic/claude-sonnet-4-5",outcome="replied"} 1`,
		`slop_model_seconds_count{model="anthropic/m",outcome="failed"} 1`,
		`slop_model_errors_total{kind="network"} 1`,
		`slop_retries_total{of="model"} 1`, `slop_retries_total{of="ticket"} 1`,
		`slop_tool_seconds_bucket{outcome="failed",tool="run_powershell",le="0.5"} 0`,
		`slop_tool_seconds_bucket{outcome="failed",tool="run_powershell",le="1"} 1`,
		`slop_tool_seconds_bucket{outcome="failed",tool="run_powershell",le="+Inf"} 1`,
		`slop_tool_seconds_sum{outcome="failed",tool="run_powershell"} 0.7`,
		`slop_model_tokens_total{kind="input",model="anthropic/claude-sonnet-4-5"} 1000`,
		`slop_model_dollars_total{model="anthropic/claude-sonnet-4-5"} 0.0045`,
		`slop_asks_open{gate="tool"} 1`, `slop_asks_open{gate="step"} 0`, `slop_ask_oldest_seconds{gate="tool"} `,
		`slop_tickets{state="todo"} 1`, `slop_tickets{state="blocked"} 0`,
	} {
		require.Contains(t, got, line)
	}
}

func TestMetricsKeepTheNameOfAModelWithABlank(t *testing.T) {
	t.Parallel()
	f := open(t)
	asked := f.put(events.ActorContributor, events.ModelRequested{Tier: 3, Provider: "lab", Model: "My Model 7b"})
	f.put(events.ActorModels, events.ModelFailed{Request: asked.ID, Kind: events.ModelNetwork})
	got := string(f.get("/metrics", access.RightRead).body)
	require.Contains(t, got, `slop_model_seconds_count{model="lab/My Model 7b",outcome="failed"} 1`)
	require.Contains(t, got, `slop_model_seconds_count{model="lab/My Model 7b",outcome="replied"} 0`)
}

func TestTheBoardAndTheAlertsNameMetricsThatExist(t *testing.T) {
	t.Parallel()
	got := string(monitored(t).get("/metrics", access.RightRead).body)
	name := regexp.MustCompile(`slop_[a-z_]+`)
	for _, file := range []string{"monitoring.md", "monitoring/grafana.json", "monitoring/alerts.yaml"} {
		text, err := os.ReadFile(filepath.Join("..", "docs", file))
		require.NoError(t, err)
		named := name.FindAllString(string(text), -1)
		require.Greater(t, len(named), 5, file)
		for _, n := range named {
			for _, part := range []string{"_bucket", "_count", "_sum"} {
				n = strings.TrimSuffix(n, part)
			}
			require.Contains(t, got, "# TYPE "+n+" ", file)
		}
	}
}

func TestTheAlertRulesFireWhenTheyShould(t *testing.T) {
	t.Parallel()
	promtool, err := exec.LookPath("promtool")
	if err != nil {
		t.Skip("no promtool here, which evaluates the rules (Debian: apt-get install prometheus)")
	}
	out, err := exec.CommandContext(t.Context(), promtool, "test", "rules",
		filepath.Join("..", "docs", "monitoring", "alerts_test.yaml")).CombinedOutput()
	require.NoError(t, err, string(out))
}
