package config

import "manualslop/events"

// Default returns the values that apply if no file sets them.
func Default() Config {
	tier := func(model string) Tier {
		return Tier{Provider: "gemini", Model: model, MaxRounds: 40}
	}
	return Config{
		Bus:   BusSection{Durability: "sync", Replicas: 1, MaxBytes: 10 << 30},
		Hooks: Hooks{Listen: "127.0.0.1:8999", GenerateTimeoutS: 300, Auth: "token"},
		Ask:   Ask{TimeoutS: 60},
		Shell: Shell{TimeoutS: 120, MaxTimeoutS: 1800, Fallback: "posix", Sandbox: "off", Network: true, Checkpoints: true},
		MCP:   MCP{Enabled: true},
		MMA:   MMA{MaxWorkers: 4, MaxRetries: 2, ModelAttempts: 10, Isolation: "shared"},
		Tiers: map[string]Tier{
			"1": tier("gemini-3.1-pro-preview"),
			"2": tier("gemini-3-flash-preview"),
			"3": tier("gemini-2.5-flash-lite"),
			"4": tier("gemini-2.5-flash-lite"),
		},
		Providers: map[string]Provider{},
		Retrieval: Retrieval(events.DefaultRetrieval()),
	}
}
