package hookclient

import (
	"context"
	"net/http"
	"net/url"
	"time"

	"manualslop/hookgw/wire"
)

// GetPerformance reads the program's figures; figures that are not measured are nil.
func (c *Client) GetPerformance(ctx context.Context) (wire.Performance, error) {
	var out struct {
		Performance wire.Performance `json:"performance"`
	}
	err := c.get(ctx, "/api/performance", nil, &out)
	return out.Performance, err
}

// PostPerformance reports the measurements of an attached front end.
func (c *Client) PostPerformance(ctx context.Context, f wire.Frame) error {
	return c.post(ctx, "/api/performance", f, nil)
}

// Telemetry is the internal state of the program.
type Telemetry = wire.Telemetry

// GetSystemTelemetry reads queue depths, threads and background tasks.
func (c *Client) GetSystemTelemetry(ctx context.Context) (Telemetry, error) {
	return read[Telemetry](ctx, c, "/api/system/telemetry", nil)
}

// Warmup is the progress of the start.
type Warmup = wire.StartupStatus

// GetWarmupStatus reads the progress of the start.
func (c *Client) GetWarmupStatus(ctx context.Context) (Warmup, error) {
	return read[Warmup](ctx, c, "/api/warmup_status", nil)
}

// GetWarmupWait waits until the start has finished, at most for timeout (zero or less: 30 seconds), and returns its
// outcome.
func (c *Client) GetWarmupWait(ctx context.Context, timeout time.Duration) (Warmup, error) {
	if timeout <= 0 {
		timeout = 30 * time.Second
	}
	var out Warmup
	raw, err := c.send(ctx, request{method: http.MethodGet, path: "/api/warmup_wait",
		query: url.Values{"timeout": {seconds(timeout)}}, patience: timeout + headTimeout})
	if err == nil {
		err = decode(raw, &out)
	}
	return out, err
}

// GetWarmupCanaries reads each startup task with its times.
func (c *Client) GetWarmupCanaries(ctx context.Context) ([]wire.StartupTask, error) {
	return read[[]wire.StartupTask](ctx, c, "/api/warmup_canaries", nil)
}

// Health is the health of everything behind the gateway.
type Health = wire.GUIHealth

// GetGUIHealth reads the health of everything behind the gateway.
func (c *Client) GetGUIHealth(ctx context.Context) (Health, error) {
	return read[Health](ctx, c, "/api/gui_health", nil)
}

// Shutdown says what will end.
type Shutdown = wire.ShutdownAnswer

// Shutdown stops the engine cleanly.
func (c *Client) Shutdown(ctx context.Context, reason string) (Shutdown, error) {
	var out Shutdown
	err := c.post(ctx, "/api/shutdown", map[string]string{"reason": reason}, &out)
	return out, err
}
