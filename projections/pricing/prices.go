package pricing

import "manualslop/events"

// Kinds of prompt caches.
const (
	byMarks   = "marked"
	automatic = "automatic"
)

const million = 1_000_000

// looked is the day on which the pages for the limits below were read, in stored copies.
const looked = "2026-11-23"

// anthropic returns rows from the price list and, for limits, the models' pages.
func anthropic() []events.ModelOffer {
	const day = "2026-10-24"
	claude := func(model string, window, reply int64, prices ...events.ModelPrice) events.ModelOffer {
		return row("anthropic", model, window, reply, byMarks, "https://platform.claude.com/docs/en/about-claude/pricing "+
			"and the models' pages", day, prices...)
	}
	page := func(model string, o events.ModelOffer) events.ModelOffer {
		return limitsAt(o, "https://platform.claude.com/docs/en/models/"+model+"/overview", looked)
	}
	return []events.ModelOffer{
		claude("claude-fable-5-1*", million, 128_000, marked(10*million, 50*million, 250_000)),
		page("fable-5", claude("claude-fable-5*", million, 128_000, marked(10*million, 50*million, million))),
		claude("claude-opus-5-5*", million, 128_000, marked(4*million, 20*million, 200_000)),
		claude("claude-opus-5*", million, 128_000, marked(5*million, 25*million, 500_000)),
		page("opus-4-8", claude("claude-opus-4-8*", million, 128_000, marked(5*million, 25*million, 500_000))),
		limitsAt(claude("claude-opus-4-7*", million, 128_000, marked(5*million, 25*million, 500_000)),
			"https://docs.cloud.google.com/gemini-enterprise-agent-platform/models/partner-models/claude/opus-4-7", looked),
		page("opus-4-6", claude("claude-opus-4-6*", million, 128_000, marked(5*million, 25*million, 500_000))),
		claude("claude-opus-4-5*", 200_000, 64_000, marked(5*million, 25*million, 500_000)),
		claude("claude-sonnet-5-5*", million, 128_000, marked(2*million, 10*million, 200_000),
			from("2026-10-07", marked(2*million, 10*million, 100_000))),
		page("sonnet-5", claude("claude-sonnet-5*", million, 128_000, marked(2*million, 10*million, 200_000))),
		page("sonnet-4-6", claude("claude-sonnet-4-6*", million, 128_000, marked(3*million, 15*million, 300_000))),
		claude("claude-sonnet-4-5*", 200_000, 64_000, marked(3*million, 15*million, 300_000)),
		claude("claude-haiku-5-5*", million, 128_000, marked(100_000, 500_000, 10_000),
			over(100_000, marked(500_000, 2_500_000, 50_000))),
		claude("claude-haiku-4-5*", 200_000, 64_000, marked(million, 5*million, 100_000)),
	}
}

// gemini returns rows with the prices for text.
func gemini() []events.ModelOffer {
	const source, day = "https://ai.google.dev/gemini-api/docs/pricing, as quoted by api-evangelist/deepmind", "2026-10-07"
	const older, then = "https://ai.google.dev/gemini-api/docs/pricing, as quoted by aifreeapi.com and morphllm.com",
		"2026-03-31"
	const api, cloud = "https://ai.google.dev/gemini-api/docs/models/",
		"https://docs.cloud.google.com/gemini-enterprise-agent-platform/models/gemini/"
	const window, reply = 1_048_576, 65_536
	return []events.ModelOffer{
		limitsAt(row("gemini", "gemini-3.8-flash*", window, reply, automatic, source, day, usd(750_000, 3_750_000),
			from("2027-01-01", usd(1_500_000, 7_500_000))),
			api+"gemini-3.8-flash, as quoted by docs.apiyi.com", "2026-09-03"),
		limitsAt(row("gemini", "gemini-3.7-flash*", window, reply, automatic,
			"https://ai.google.dev/gemini-api/docs/pricing, as quoted by docs.apiyi.com and uttamdeb/agent-telemetry",
			"2026-09-30",
			read(usd(750_000, 3_750_000), 75_000), from("2027-01-01", read(usd(1_500_000, 7_500_000), 150_000))),
			api+"gemini-3.7-flash", looked),
		limitsAt(row("gemini", "gemini-3.5-flash-lite*", window, reply, automatic, source, day, usd(300_000, 2_500_000)),
			"https://docs.apiyi.com/ja/models/gemini-3-5-flash-lite.md", looked),
		limitsAt(row("gemini", "gemini-3.5-flash*", window, reply, automatic, source, day, usd(1_500_000, 9*million)),
			api+"gemini-3.5-flash", looked),
		row("gemini", "gemini-3.1-pro*", 1_048_576, 65_536, automatic, source, day,
			read(usd(2*million, 12*million), 200_000), over(200_000, read(usd(4*million, 18*million), 400_000))),
		limitsAt(row("gemini", "gemini-3.1-flash-lite*", window, reply, automatic, older, then, usd(250_000, 1_500_000)),
			cloud+"3-1-flash-lite", looked),
		row("gemini", "gemini-3-flash*", 1_048_576, 65_536, automatic, older, then, read(usd(500_000, 3*million), 50_000)),
		row("gemini", "gemini-2.5-pro*", 1_048_576, 65_536, automatic, older, then,
			read(usd(1_250_000, 10*million), 125_000), over(200_000, read(usd(2_500_000, 15*million), 250_000))),
		row("gemini", "gemini-2.5-flash-lite*", 1_048_576, 65_536, automatic, older, then, read(usd(100_000, 400_000),
			10_000)),
		row("gemini", "gemini-2.5-flash*", 1_048_576, 65_536, automatic, older, then, read(usd(300_000, 2_500_000), 30_000)),
	}
}

// openai returns rows for OpenAI's models. The price of GPT-5.6 was guaranteed until 2026-11-21,
// and sources differ about later prices, so it is left out. Rows of GPT-5.2 to 6 apply only to the
// names in their sources: related models, such as gpt-5.3-codex-spark, have other prices.
func openai() []events.ModelOffer {
	const source, day = "https://developers.openai.com/api/docs/pricing, as quoted by deploybase.ai and docs.rs/adk-model",
		"2026-03-21"
	gpt := func(model string, window, reply int64, p events.ModelPrice) events.ModelOffer {
		return row("openai", model, window, reply, automatic, source, day, p)
	}
	const gateway, oxen = "https://vercel.com/ai-gateway/models/", "https://docs.oxen.ai/inference-api/reference/models/"
	bare := func(model string, window int64, page string) events.ModelOffer {
		return row("openai", model, window, 128_000, automatic, page, looked)
	}
	const pages = "https://developers.openai.com/api/docs/models/"
	const long = 272_000 // tokens of a prompt above which the whole prompt costs more
	sol := func(model string, cached int64, page string) events.ModelOffer {
		return row("openai", model, 1_050_000, 128_000, automatic, page, looked,
			written(read(usd(2*million, 10*million), cached)), over(long, written(read(usd(4*million, 15*million), 2*cached))))
	}
	const prices = "https://developers.openai.com/api/docs/pricing, as quoted by anomalyco/models.dev and "
	five := func(model string) events.ModelOffer {
		return limitsAt(row("openai", model, 1_050_000, 128_000, automatic, prices+"tokenmix.ai", "2026-06-04",
			read(usd(5*million, 30*million), 500_000), over(long, read(usd(10*million, 45*million), million))),
			oxen+"gpt-5-5-2026-04-23.md", looked)
	}
	two := func(model, page string) events.ModelOffer {
		return limitsAt(row("openai", model, 400_000, 128_000, automatic, prices+"docs.rs/codex-ops", "2026-05-13",
			read(usd(1_750_000, 14*million), 175_000)), page, looked)
	}
	return []events.ModelOffer{
		sol("gpt-6.2-sol*", 100_000, pages+"gpt-6.2-sol.md"),
		sol("gpt-6.1-sol*", 100_000, pages+"gpt-6.1-sol, as quoted by w3cschool.cn"),
		sol("gpt-6-sol*", 200_000, pages+"gpt-6-sol.md"),
		bare("gpt-5.6-sol*", 1_050_000, "https://runware.ai/docs/models/openai-gpt-5-6-sol.md"),
		limitsAt(row("openai", "gpt-5.5-pro*", 1_050_000, 128_000, automatic, prices+"morphllm.com", "2026-06-01",
			usd(30*million, 180*million), over(long, usd(60*million, 270*million))), oxen+"gpt-5-5-pro-2026-04-23.md", looked),
		five("gpt-5.5"),
		five("gpt-5.5-20*"),
		limitsAt(gpt("gpt-5.4-mini*", 400_000, 128_000, read(usd(750_000, 4_500_000), 75_000)),
			gateway+"openai/gpt-5.4-mini.md", looked),
		gpt("gpt-5.4", 272_000, 128_000, read(usd(2_500_000, 15*million), 250_000)),
		two("gpt-5.3-codex", gateway+"gpt-5.3-codex-fast.md"),
		two("gpt-5.2", gateway+"openai/gpt-5.2-fast.md"),
		gpt("gpt-5.1*", 400_000, 128_000, read(usd(1_250_000, 10*million), 125_000)),
		gpt("gpt-5-codex*", 400_000, 128_000, read(usd(1_250_000, 10*million), 125_000)),
		gpt("gpt-5-pro*", 400_000, 128_000, usd(15*million, 120*million)),
		gpt("gpt-5-mini*", 272_000, 128_000, read(usd(250_000, 2*million), 25_000)),
		gpt("gpt-5-nano*", 272_000, 32_000, read(usd(50_000, 400_000), 5_000)),
		gpt("gpt-5", 272_000, 128_000, read(usd(1_250_000, 10*million), 125_000)),
		gpt("gpt-5-20*", 272_000, 128_000, read(usd(1_250_000, 10*million), 125_000)),
		gpt("gpt-4.1-mini*", 1_047_576, 32_768, read(usd(400_000, 1_600_000), 100_000)),
		gpt("gpt-4.1-nano*", 1_047_576, 32_768, read(usd(100_000, 400_000), 25_000)),
		gpt("gpt-4.1*", 1_047_576, 32_768, read(usd(2*million, 8*million), 500_000)),
		gpt("gpt-4o-mini*", 128_000, 16_384, read(usd(150_000, 600_000), 75_000)),
		gpt("gpt-4o*", 128_000, 16_384, read(usd(2_500_000, 10*million), 1_250_000)),
		gpt("o4-mini*", 200_000, 100_000, usd(1_100_000, 4_400_000)),
		gpt("o3", 200_000, 100_000, usd(2*million, 8*million)),
	}
}

// others returns rows for compatible servers. DeepSeek's price depends on the time of day, and
// Qwen's on the region and the plan, so only limits are listed.
func others() []events.ModelOffer {
	const deepseek, august = "https://api-docs.deepseek.com/quick_start/pricing", "2026-08-14"
	return []events.ModelOffer{
		row("deepseek", "deepseek-v4-flash*", million, 384_000, automatic, deepseek, august),
		row("deepseek", "deepseek-v4-pro*", million, 384_000, automatic, deepseek, august),
		row("grok", "grok-4.7*", 500_000, 0, automatic, "https://docs.x.ai/developers/grok-4-7", "2026-11-21",
			usd(2*million, 6*million)),
		row("minimax", "minimax-m3*", million, 131_072, automatic, "limits: novita.ai and docs.apiyi.com; their prices are "+
			"their own", "2026-11-21"),
	}
}
