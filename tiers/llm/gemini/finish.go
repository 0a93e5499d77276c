package gemini

import (
	"fmt"
	"strings"

	"manualslop/events"
	"manualslop/tiers/llm"
)

// outcome returns our reason for the vendor's finish reason, or an error if there is no reply. The
// vendor's reasons are documented at
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
	// MALFORMED_FUNCTION_CALL, UNEXPECTED_TOOL_CALL, OTHER and unknown reasons: the model made a
	// mistake and left nothing to answer. Another attempt may succeed.
	return "", r.ended(events.ModelIncomplete)
}

func (r *reading) ended(kind string) error {
	return &llm.Error{Kind: kind, Message: strings.TrimSpace(fmt.Sprintf("gemini ended the reply: %s %s", r.finish,
		r.why))}
}
