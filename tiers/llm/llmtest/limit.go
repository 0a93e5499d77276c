package llmtest

// limitOf is a limit of a request; 0: none is given.
func limitOf(given *int) int {
	if given == nil {
		return 0
	}
	return *given
}

// within is the turn as it ends at the request's limit, as every vendor ends it:
// thoughts count, and a reply whose thoughts reach the limit says nothing.
// Calls that no longer fit are left out.
//
//   - https://platform.claude.com/docs/en/build-with-claude/extended-thinking: max_tokens
//     "includes your thinking budget".
//   - https://ai.google.dev/gemini-api/docs/thinking and googleapis/python-genai#782
//     and #811: MAX_TOKENS with no text, because thoughts used maxOutputTokens up.
//   - https://platform.openai.com/docs/guides/reasoning: "incomplete" with the reason
//     max_output_tokens "before any visible output tokens are produced".
func (t Turn) within(limit int) Turn {
	if limit == 0 || t.Fault == LongText {
		return t
	}
	left := limit * charsPerToken
	take := func(text string) string {
		runes := []rune(text)
		if len(runes) > left {
			runes, t.cut = runes[:left], true
		}
		left -= len(runes)
		return string(runes)
	}
	t.Thinking = take(t.Thinking)
	t.Text = take(t.Text)
	for i, c := range t.Calls {
		if left -= len(c.Name) + len(c.Args); left < 0 {
			t.Calls, t.cut = t.Calls[:i], true
			break
		}
	}
	return t
}
