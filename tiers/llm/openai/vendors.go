package openai

// Servers returns the table of known servers, in the order in which it is shown to people.
// Changing a row changes request bodies, so increase the number in [Wire].
func Servers() []Server {
	return []Server{openAI(), deepSeek(), grok(), qwen(), llama(), miniMax(), openRouter(), vLLM(), llamaCPP()}
}

// openAI describes https://platform.openai.com/docs/api-reference/chat. Chat Completions does not
// return the reasoning of OpenAI's models.
func openAI() Server {
	return Server{
		Name: "openai", BaseURL: "https://api.openai.com/v1", NeedsKey: true,
		SystemRole: "developer", MaxTokens: "max_completion_tokens", Parallel: ParallelAlways, ToolChoice: true,
		JSONSchema: true,
		MaxTools:   128, Back: BackNever, ReportsUsage: true, Efforts: wordEfforts("none"), Families: openAIFamilies(),
		Embeds: embedBatch, EmbedModel: "text-embedding-3-small",
	}
}

// deepSeek describes https://api-docs.deepseek.com/guides/thinking_mode.
func deepSeek() Server {
	effort := func(word string) Effort { return Effort{ReasoningEffort: word, Thinking: &thinking{"enabled"}} }
	return Server{
		Name: "deepseek", BaseURL: "https://api.deepseek.com", NeedsKey: true,
		SystemRole: "system", MaxTokens: "max_tokens", Parallel: ParallelAlways, ToolChoice: true,
		MaxTools: 128, Reasoning: "reasoning_content", Back: BackWithCalls, ReportsUsage: true, Blind: true,
		Efforts: map[string]Effort{"off": {Thinking: &thinking{"disabled"}}, "low": effort("low"), "medium": effort("medium"),
			"high": effort("high")},
	}
}

// grok describes https://docs.x.ai/docs/api-reference.
func grok() Server {
	return Server{
		Name: "grok", BaseURL: "https://api.x.ai/v1", NeedsKey: true,
		SystemRole: "system", MaxTokens: "max_completion_tokens", Parallel: ParallelAlways, ToolChoice: true,
		JSONSchema: true,
		MaxTools:   128, Reasoning: "reasoning_content", Back: BackNever, NeedsContent: true, ReportsUsage: true,
		Efforts: wordEfforts("none"),
	}
}

// qwen describes
// https://www.alibabacloud.com/help/en/model-studio/compatibility-of-openai-with-dashscope.
func qwen() Server {
	think, not := true, false
	on := Effort{EnableThinking: &think}
	return Server{
		Name: "qwen", BaseURL: "https://dashscope-intl.aliyuncs.com/compatible-mode/v1", NeedsKey: true,
		SystemRole: "system", MaxTokens: "max_tokens", Parallel: ParallelAsked, ToolChoice: true, JSONSchema: true,
		MaxTools: 128, Reasoning: "reasoning_content", Back: BackNever, ReportsUsage: true,
		Efforts: map[string]Effort{"off": {EnableThinking: &not}, "low": on, "medium": on, "high": on},
		Embeds:  10, EmbedModel: "text-embedding-v4",
	}
}

// llama describes Ollama, https://docs.ollama.com/api/openai-compatibility.
func llama() Server {
	return Server{
		Name: "llama", BaseURL: "http://127.0.0.1:11434/v1", Local: true,
		SystemRole: "system", MaxTokens: "max_tokens", Parallel: ParallelAlways, JSONSchema: true,
		Reasoning: "reasoning", Back: BackKept, ReportsUsage: true, Efforts: wordEfforts("none"),
		Embeds: embedBatch, EmbedModel: "nomic-embed-text",
	}
}

// miniMax describes https://platform.minimax.io/docs/api-reference/text-openai-api.
func miniMax() Server {
	adaptive := Effort{Thinking: &thinking{"adaptive"}}
	return Server{
		Name: "minimax", BaseURL: "https://api.minimax.io/v1", NeedsKey: true,
		SystemRole: "system", MaxTokens: "max_completion_tokens", Parallel: ParallelAlways,
		MaxTools: 128, Reasoning: "reasoning_details", Back: BackKept, SplitReasoning: true, ReportsUsage: true,
		Blind: true,
		Efforts: map[string]Effort{"off": {Thinking: &thinking{"disabled"}}, "low": adaptive, "medium": adaptive,
			"high": adaptive},
	}
}

// openRouter describes https://openrouter.ai/docs/use-cases/reasoning-tokens.
func openRouter() Server {
	effort := func(word string) Effort { return Effort{Reasoning: &routeEffort{word}} }
	return Server{
		Name: "openrouter", BaseURL: "https://openrouter.ai/api/v1", NeedsKey: true, KeyPath: "/key",
		SystemRole: "system", MaxTokens: "max_tokens", Parallel: ParallelAlways, ToolChoice: true, JSONSchema: true,
		MaxTools: 128, Reasoning: "reasoning_details", Back: BackKept, ReportsUsage: true,
		Efforts: map[string]Effort{"off": effort("none"), "low": effort("low"), "medium": effort("medium"),
			"high": effort("high")},
		Embeds: embedBatch, EmbedModel: "openai/text-embedding-3-small",
	}
}

// vLLM describes https://docs.vllm.ai/en/latest/serving/openai_compatible_server.html.
func vLLM() Server {
	return Server{
		Name: "vllm", BaseURL: "http://127.0.0.1:8000/v1", Local: true,
		SystemRole: "system", MaxTokens: "max_tokens", Parallel: ParallelAlways, ToolChoice: true, JSONSchema: true,
		Reasoning: "reasoning", Back: BackKept, ReportsUsage: true, Efforts: wordEfforts("none"), Embeds: embedBatch,
	}
}

// llamaCPP describes https://github.com/ggml-org/llama.cpp/tree/master/tools/server.
func llamaCPP() Server {
	return Server{
		Name: "llama_cpp", BaseURL: "http://127.0.0.1:8080/v1", Local: true,
		SystemRole: "system", MaxTokens: "max_tokens", Parallel: ParallelAsked, ToolChoice: true, JSONSchema: true,
		Reasoning: "reasoning_content", Back: BackKept, ReportsUsage: true, Efforts: wordEfforts("none"),
		Embeds: embedBatch,
	}
}

// wordEfforts returns OpenAI's values of reasoning_effort, with the given one for off.
func wordEfforts(off string) map[string]Effort {
	return map[string]Effort{"off": {ReasoningEffort: off}, "low": {ReasoningEffort: "low"},
		"medium": {ReasoningEffort: "medium"}, "high": {ReasoningEffort: "high"}}
}
