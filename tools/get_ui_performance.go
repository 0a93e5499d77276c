package tools

import (
	"context"
	_ "embed" // for the long text
	"fmt"
	"strconv"
)

//go:embed get_ui_performance.md
var getUIPerformanceDoc string

type getUIPerformanceArgs struct{}

// Performance is how the engine is doing: sums over its processes, and what an attached front end
// reports. Nil figures are not measured: only a front end that draws has frames and input.
type Performance struct {
	FPS         *float64 `json:"fps"`
	FrameTimeMS *float64 `json:"frame_time_ms"`
	InputLagMS  *float64 `json:"input_lag_ms"`
	CPUPercent  float64  `json:"cpu_percent"`  // of one core, over about the last second
	MemoryBytes int64    `json:"memory_bytes"` // resident
	HeapBytes   int64    `json:"heap_bytes"`
	Goroutines  int      `json:"goroutines"`
	UptimeS     float64  `json:"uptime_s"` // of the process that runs longest
}

// getUIPerformance tells how the engine is doing.
func getUIPerformance() Tool {
	return Reader(Spec{
		Name: "get_ui_performance", Summary: "Return frame rate, input lag, CPU share and memory of the engine, all its processes together.",
		Effect: Reads, Doc: getUIPerformanceDoc,
	}, func(ctx context.Context, env Env, _ getUIPerformanceArgs) (Result, error) {
		if env.Performance == nil {
			return Result{}, Refuse("no performance monitor in this process; the figures are there in the process of the engine only")
		}
		p, err := env.Performance(ctx)
		if err != nil {
			return Result{}, err
		}
		return Result{Data: p, Text: fmt.Sprintf("FPS: %s\nFrame Time: %s\nCPU: %.1f %%\nInput Lag: %s\nMemory: %.1f MiB\nHeap: %.1f MiB\nGoroutines: %d\nUptime: %.0f s",
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
