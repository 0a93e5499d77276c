package gemini

import (
	"encoding/json"

	"manualslop/events"
)

// chunk is one event of a stream: a piece of a reply, or an error in the middle of it. See
// https://ai.google.dev/api/generate-content#GenerateContentResponse.
type chunk struct {
	Candidates     []candidate `json:"candidates"`
	UsageMetadata  *usage      `json:"usageMetadata"`
	ModelVersion   string      `json:"modelVersion"`
	PromptFeedback struct {
		BlockReason        string `json:"blockReason"`
		BlockReasonMessage string `json:"blockReasonMessage"`
	} `json:"promptFeedback"`
	Error *problem `json:"error"`
}

type candidate struct {
	Content struct {
		Parts []json.RawMessage `json:"parts"`
	} `json:"content"`
	FinishReason  string `json:"finishReason"`
	FinishMessage string `json:"finishMessage"`
}

// piece is one part of a reply.
type piece struct {
	Text             string        `json:"text"`
	Thought          bool          `json:"thought"`
	ThoughtSignature string        `json:"thoughtSignature"`
	FunctionCall     *functionCall `json:"functionCall"`
}

// empty reports whether a part, whose JSON is raw, holds neither data nor a signature. Streams end
// with such a part, and the API does not accept it back.
func (p piece) empty(raw json.RawMessage) bool {
	if p.Text != "" || p.ThoughtSignature != "" || p.FunctionCall != nil {
		return false
	}
	var members map[string]json.RawMessage
	if json.Unmarshal(raw, &members) != nil {
		return false
	}
	delete(members, "text")
	delete(members, "thought")
	return len(members) == 0
}

// usage counts the tokens of the whole attempt up to this chunk.
type usage struct {
	Prompt     int64 `json:"promptTokenCount"` // including cached tokens
	Cached     int64 `json:"cachedContentTokenCount"`
	ToolPrompt int64 `json:"toolUsePromptTokenCount"`
	Candidates int64 `json:"candidatesTokenCount"` // without thinking tokens
	Thoughts   int64 `json:"thoughtsTokenCount"`
}

// neutral removes the vendor's double counting.
func (u usage) neutral() events.Usage {
	return events.Usage{
		Input:     max(0, u.Prompt+u.ToolPrompt-u.Cached),
		CacheRead: u.Cached,
		Output:    u.Candidates + u.Thoughts,
		Thinking:  u.Thoughts,
	}
}
