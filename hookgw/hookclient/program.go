package hookclient

import (
	"context"
	"net/http"
	"net/url"
	"time"

	"manualslop/hookgw/wire"
)

// GetPerformance reads the program's figures; what nobody measures is nil.
func (c *Client) GetPerformance(ctx context.Context) (wire.Performance, error) {
	var out struct {
		Performance wire.Performance `json:"performance"`
	}
	err := c.get(ctx, "/api/performance", nil, &out)
	return out.Performance, err
}

// PostPerformance reports what an attached front end measured.
func (c *Client) PostPerformance(ctx context.Context, f wire.Frame) error {
	return c.post(ctx, "/api/performance", f, nil)
}

// Telemetry is how the program stands inside.
type Telemetry = wire.Telemetry

// GetSystemTelemetry reads queue depths, threads and background tasks.
func (c *Client) GetSystemTelemetry(ctx context.Context) (Telemetry, error) {
	return read[Telemetry](ctx, c, "/api/system/telemetry", nil)
}

// Warmup tells how far the start has come.
type Warmup = wire.StartupStatus

// GetWarmupStatus reads how far the start has come.
func (c *Client) GetWarmupStatus(ctx context.Context) (Warmup, error) {
	return read[Warmup](ctx, c, "/api/warmup_status", nil)
}

// GetWarmupWait waits until the start is over, at most timeout (zero or less: 30
// seconds), and reads how it went.
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

// GetWarmupCanaries reads each task of the start with its times.
func (c *Client) GetWarmupCanaries(ctx context.Context) ([]wire.StartupTask, error) {
	return read[[]wire.StartupTask](ctx, c, "/api/warmup_canaries", nil)
}

// Health tells whether everything behind the gateway is well.
type Health = wire.GUIHealth

// GetGUIHealth reads the health of everything behind the gateway.
func (c *Client) GetGUIHealth(ctx context.Context) (Health, error) {
	return read[Health](ctx, c, "/api/gui_health", nil)
}

// Shutdown tells what will end.
type Shutdown = wire.ShutdownAnswer

// Shutdown stops the engine in order.
func (c *Client) Shutdown(ctx context.Context, reason string) (Shutdown, error) {
	var out Shutdown
	err := c.post(ctx, "/api/shutdown", map[string]string{"reason": reason}, &out)
	return out, err
}
