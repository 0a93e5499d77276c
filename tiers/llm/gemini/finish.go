package gemini

import (
	"fmt"
	"strings"

	"manualslop/events"
	"manualslop/tiers/llm"
)

// outcome returns what the finish reason means: a reason of ours, or why there
// is no reply. The reasons are told in
// https://ai.google.dev/api/generate-content#FinishReason.
func (r *reading) outcome() (string, error) {
	switch r.finish {
	case "":
		return "", &llm.Error{Kind: events.ModelIncomplete, Message: "the reply ended without a finish reason"}
	case "STOP":
		return llm.FinishStop, nil
	case "MAX_TOKENS":
		return llm.FinishMaxTokens, nil
	case "SAFETY", "RECITATION", "LANGUAGE", "BLOCKLIST", "PROHIBITED_CONTENT", "SPII",
		"IMAGE_SAFETY", "IMAGE_PROHIBITED_CONTENT", "IMAGE_RECITATION":
		return "", r.ended(events.ModelRefused)
	}
	// MALFORMED_FUNCTION_CALL, UNEXPECTED_TOOL_CALL, OTHER and what is new: the
	// model's own slip, of which nothing is left to answer. Another attempt may do.
	return "", r.ended(events.ModelIncomplete)
}

func (r *reading) ended(kind string) error {
	return &llm.Error{Kind: kind, Message: strings.TrimSpace(fmt.Sprintf("gemini ended the reply: %s %s", r.finish,
		r.why))}
}
