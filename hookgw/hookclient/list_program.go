package hookclient

import "context"

func telemetryMethods() []Method {
	return []Method{
		{"get_performance", "Reads the program's own performance figures.", nil, func(ctx context.Context, c *Client,
			_ arguments) (any, error) {
			return c.GetPerformance(ctx)
		}},
		{"post_performance", "Reports the measurements of an attached front " +
			"end.", []Parameter{{Name: "frame", Kind: KindObject}},
			func(ctx context.Context, c *Client, a arguments) (any, error) {
				return nil, c.post(ctx, "/api/performance", a.object(0), nil)
			}},
		{"get_system_telemetry", "Reads queue depths, threads and background tasks.", nil, func(ctx context.Context,
			c *Client, _ arguments) (any, error) {
			return c.GetSystemTelemetry(ctx)
		}},
		{"get_financial_metrics", "Reads tokens and money by track, ticket, tier and model.", nil, func(ctx context.Context,
			c *Client, _ arguments) (any, error) {
			return c.GetFinancialMetrics(ctx)
		}},
		{"get_token_stats", "Reads how full the prompt of the newest request is.", nil, func(ctx context.Context, c *Client,
			_ arguments) (any, error) {
			return c.GetTokenStats(ctx)
		}},
		{"get_gui_health", "Reads the health of everything behind the " +
			"gateway.", nil, func(ctx context.Context, c *Client,
			_ arguments) (any, error) {
			return c.GetGUIHealth(ctx)
		}},
		{"get_warmup_status", "Reads the progress of the start.", nil, func(ctx context.Context, c *Client,
			_ arguments) (any, error) {
			return c.GetWarmupStatus(ctx)
		}},
		{"get_warmup_wait", "Waits until the start has finished (30 s).",
			[]Parameter{optional(Parameter{Name: "timeout", Kind: KindSeconds})},
			func(ctx context.Context, c *Client, a arguments) (any, error) {
				return c.GetWarmupWait(ctx, a.duration(0))
			}},
		{"get_warmup_canaries", "Reads each task of the start with its times.", nil, func(ctx context.Context, c *Client,
			_ arguments) (any, error) {
			return c.GetWarmupCanaries(ctx)
		}},
		{"shutdown", "Stops the engine " +
			"cleanly.", []Parameter{optional(text("reason"))}, func(ctx context.Context, c *Client,
			a arguments) (any, error) {
			return c.Shutdown(ctx, a.text(0))
		}},
	}
}
