package openai

import (
	"encoding/json"

	"manualslop/events"
	"manualslop/tiers/llm"
)

// reported is a usage in the API's format, including the fields that some servers add.
type reported struct {
	Prompt     int64 `json:"prompt_tokens"`
	Completion int64 `json:"completion_tokens"`
	Total      int64 `json:"total_tokens"`
	Prompted   struct {
		Cached  int64 `json:"cached_tokens"`
		Written int64 `json:"cache_write_tokens"`
	} `json:"prompt_tokens_details"`
	Completed struct {
		Reasoning int64 `json:"reasoning_tokens"`
	} `json:"completion_tokens_details"`
	Hit  int64    `json:"prompt_cache_hit_tokens"` // DeepSeek's, sent with prompt_cache_miss_tokens
	Cost *float64 `json:"cost"`                    // OpenRouter's, in dollars
}

// usageOf converts a usage to ours; nil if raw holds none. The API includes cached tokens in the
// prompt tokens, so they are subtracted.
func usageOf(raw string) *events.Usage {
	var r *reported
	if json.Unmarshal([]byte(raw), &r) != nil || r == nil || r.Prompt <= 0 && r.Completion <= 0 {
		return nil
	}
	prompt := max(r.Prompt, 0)
	read := within(max(r.Prompted.Cached, r.Hit), prompt)
	write := within(r.Prompted.Written, prompt-read)
	out := events.Usage{Input: prompt - read - write, CacheRead: read, CacheWrite: write, Output: max(r.Completion, 0)}
	out.Thinking = max(r.Completed.Reasoning, 0)
	if out.Thinking > 0 && r.Total == prompt+out.Output+out.Thinking { // xAI counts thinking separately
		out.Output += out.Thinking
	}
	out.Thinking = min(out.Thinking, out.Output)
	out.CostMicroDollars = llm.MicroDollars(r.Cost)
	return &out
}

// within returns n limited to the range from 0 to most.
func within(n, most int64) int64 { return min(max(n, 0), most) }
