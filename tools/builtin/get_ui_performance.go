package builtin

import (
	"context"
	_ "embed" // for the tool's documentation
	"fmt"
	"strconv"

	"manualslop/tools"
)

//go:embed get_ui_performance.md
var getUIPerformanceDoc string

type getUIPerformanceArgs struct{}

// getUIPerformance returns the tool that shows the engine's performance figures.
func getUIPerformance() tools.Tool {
	return tools.Reader(tools.Spec{
		Name: "get_ui_performance", Summary: "Return the frame rate, input lag, CPU share and memory of the engine, summed " +
			"over its processes.",
		Effect: tools.Reads, Doc: getUIPerformanceDoc,
	}, func(ctx context.Context, env tools.Env, _ getUIPerformanceArgs) (tools.Result, error) {
		if env.Performance == nil {
			return tools.Result{}, tools.Refuse("no performance monitor in this process; only the engine's process has " +
				"figures")
		}
		p, err := env.Performance(ctx)
		if err != nil {
			return tools.Result{}, err
		}
		return tools.Result{Data: p, Text: fmt.Sprintf("FPS: %s\nFrame Time: %s\nCPU: %.1f %%\nInput Lag: %s\nMemory: %.1f "+
			"MiB\nHeap: %.1f MiB\nGoroutines: %d\nUptime: %.0f s",
			measured(p.FPS, ""), measured(p.FrameTimeMS, " ms"), p.CPUPercent, measured(p.InputLagMS, " ms"),
			mebibytes(p.MemoryBytes), mebibytes(p.HeapBytes), p.Goroutines, p.UptimeS)}, nil
	})
}

func mebibytes(n int64) float64 { return float64(n) / (1 << 20) }

func measured(figure *float64, unit string) string {
	if figure == nil {
		return "not measured (no front end is attached)"
	}
	return strconv.FormatFloat(*figure, 'f', 1, 64) + unit
}
