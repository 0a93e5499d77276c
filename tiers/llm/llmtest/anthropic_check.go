package llmtest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
)

// checks returns the API's checks, in the order in which it applies them. Sources:
// https://platform.claude.com/docs/en/api/messages, .../api/errors,
// .../agents-and-tools/tool-use, .../build-with-claude/prompt-caching and
// .../build-with-claude/extended-thinking.
func (a *anthropic) checks() []func(*anthropicRequest) *refusal {
	return []func(*anthropicRequest) *refusal{
		checkAnthropicTop, checkAnthropicSampling, checkAnthropicThinking, checkAnthropicTools, checkAnthropicMarks,
		checkAnthropicContent, checkAnthropicPairs, a.checkThoughts,
	}
}

func checkAnthropicTop(q *anthropicRequest) *refusal {
	switch {
	case q.MaxTokens == nil:
		return refuse("max_tokens: Field required")
	case *q.MaxTokens < 1:
		return refuse("max_tokens: Input should be greater than or equal to 1")
	case *q.MaxTokens > anthropicLimit(q.Model):
		return refuse(fmt.Sprintf("max_tokens: %d > %d, which is the maximum allowed number of output tokens for %s",
			*q.MaxTokens, anthropicLimit(q.Model), q.Model))
	case len(q.Messages) == 0:
		return refuse("messages: at least one message is required")
	case q.Messages[0].Role != "user":
		return refuse("messages: first message must use the \"user\" role")
	case q.Messages[len(q.Messages)-1].Role == "assistant":
		return refuse("this model does not support assistant message prefill; the conversation must end with a user message")
	case !q.Stream:
		return refuse("llmtest: this fake streams only; set stream")
	}
	return nil
}

// anthropicLimit returns a model's maximum reply length in tokens.
func anthropicLimit(model string) int64 {
	if strings.Contains(model, "-4-5") {
		return 64_000
	}
	return 128_000
}

// samples reports whether a model accepts temperature and top_p at all.
func samples(model string) bool {
	for _, old := range []string{"-4-5", "-4-6", "-4-1", "-4-0", "-3-"} {
		if strings.Contains(model, old) {
			return true
		}
	}
	return !strings.HasPrefix(model, "claude-")
}

func checkAnthropicSampling(q *anthropicRequest) *refusal {
	thinks := q.Thinking != nil && q.Thinking.Type != "disabled"
	switch {
	case q.Temperature != nil && (*q.Temperature < 0 || *q.Temperature > 1):
		return refuse("temperature: range: 0..1")
	case q.TopP != nil && (*q.TopP < 0 || *q.TopP > 1):
		return refuse("top_p: range: 0..1")
	case !samples(q.Model) && q.Temperature != nil:
		return refuse("`temperature` is deprecated for this model.")
	case !samples(q.Model) && q.TopP != nil:
		return refuse("`top_p` is deprecated for this model.")
	case thinks && q.Temperature != nil && *q.Temperature != 1:
		return refuse("`temperature` may only be set to 1 when thinking is enabled or in adaptive mode.")
	case thinks && q.TopP != nil && *q.TopP < 0.95:
		return refuse("`top_p` must be greater than or equal to 0.95 when thinking is enabled or in adaptive mode.")
	case q.Temperature != nil && q.TopP != nil:
		return refuse("`temperature` and `top_p` cannot both be specified for this model. Please use only one.")
	}
	return nil
}

func checkAnthropicThinking(q *anthropicRequest) *refusal {
	old := strings.Contains(q.Model, "-4-5")
	middle := strings.Contains(q.Model, "-4-6")
	if q.OutputConfig != nil {
		switch q.OutputConfig.Effort {
		case "low", "medium", "high", "xhigh", "max":
		default:
			return refuse("output_config.effort: Input should be 'low', 'medium', 'high', 'xhigh' or 'max'")
		}
		if old && !strings.Contains(q.Model, "opus") {
			return refuse("This model does not support the effort parameter.")
		}
	}
	if q.Thinking == nil {
		return nil
	}
	if b := q.Thinking.Binding; b != nil && b.Mismatch != "error" && b.Mismatch != "drop_block" {
		return refuse("thinking.block_binding.prefix_mismatch_behavior: Input should be 'error' or 'drop_block'")
	}
	switch t := q.Thinking; t.Type {
	case "adaptive":
		if old {
			return refuse("adaptive thinking is not supported on this model")
		}
	case "enabled":
		if !old && !middle {
			return refuse(`"thinking.type.enabled" is not supported for this model. Use "thinking.type.adaptive" and "output_config.effort" to control thinking behavior.`)
		}
		if t.Budget < 1024 {
			return refuse("thinking.enabled.budget_tokens: Input should be greater than or equal to 1024")
		}
		if t.Budget >= *q.MaxTokens {
			return refuse("`max_tokens` must be greater than `thinking.budget_tokens`.")
		}
	case "disabled":
		if anthropicBinds(q.Model) || strings.Contains(q.Model, "fable") || strings.Contains(q.Model, "mythos") {
			return refuse(`"thinking.type.disabled" is not supported for this model. Use "thinking.type.adaptive" and "output_config.effort" to control thinking behavior.`)
		}
	default:
		return refuse("thinking: Input tag '" + t.Type + "' found using 'type' does not match any of the expected tags")
	}
	return nil
}

var anthropicName = regexp.MustCompile(`^[a-zA-Z0-9_-]{1,128}$`)

func checkAnthropicTools(q *anthropicRequest) *refusal {
	seen := map[string]bool{}
	for i, t := range q.Tools {
		var schema struct {
			Type  string          `json:"type"`
			OneOf json.RawMessage `json:"oneOf"`
			AllOf json.RawMessage `json:"allOf"`
			AnyOf json.RawMessage `json:"anyOf"`
		}
		switch {
		case !anthropicName.MatchString(t.Name):
			return refuse(fmt.Sprintf("tools.%d.custom.name: String should match pattern '^[a-zA-Z0-9_-]{1,128}$'", i))
		case seen[t.Name]:
			return refuse("tools: Tool names must be unique.")
		case len(t.InputSchema) == 0:
			return refuse(fmt.Sprintf("tools.%d.custom.input_schema: Field required", i))
		case json.Unmarshal(t.InputSchema, &schema) != nil || schema.Type != "object":
			return refuse(fmt.Sprintf("tools.%d.custom.input_schema.type: Input should be 'object'", i))
		case schema.OneOf != nil || schema.AllOf != nil || schema.AnyOf != nil:
			return refuse(fmt.Sprintf("tools.%d.custom.input_schema: input_schema does not support oneOf, allOf, or anyOf at "+
				"the top level", i))
		}
		seen[t.Name] = true
	}
	return nil
}

// checkAnthropicContent checks each block on its own.
func checkAnthropicContent(q *anthropicRequest) *refusal {
	for i, b := range q.system {
		if bad := checkAnthropicText(fmt.Sprintf("system.%d", i), b); bad != nil {
			return bad
		}
		if b.Type != "text" {
			return refuse(fmt.Sprintf("system.%d.type: Input should be 'text'", i))
		}
	}
	for i, m := range q.Messages {
		if m.Role != "user" && m.Role != "assistant" {
			return refuse(fmt.Sprintf("messages.%d.role: Input should be 'user' or 'assistant'", i))
		}
		if len(m.blocks) == 0 {
			return refuse(fmt.Sprintf("messages.%d: all messages must have non-empty content", i))
		}
		for j, b := range m.blocks {
			if bad := checkAnthropicBlock(fmt.Sprintf("messages.%d.content.%d", i, j), m.Role, b); bad != nil {
				return bad
			}
		}
	}
	return nil
}

func checkAnthropicText(path string, b anthropicBlock) *refusal {
	switch {
	case b.Type != "text":
		return nil
	case b.Text == "":
		return refuse(path + ": text content blocks must be non-empty")
	case strings.TrimSpace(b.Text) == "":
		return refuse(path + ": text content blocks must contain non-whitespace text")
	}
	return nil
}

// checkAnthropicImage checks an image; the limit applies to the base64 text.
func checkAnthropicImage(path, role string, b anthropicBlock) *refusal {
	const most = 10 << 20
	switch {
	case role != "user":
		return refuse(path + ": `image` blocks can only be in `user` messages")
	case b.Source == nil || b.Source.Type != "base64":
		return refuse(path + ".image.source: Field required")
	case len(b.Source.Data) > most:
		return refuse(fmt.Sprintf("%s.image.source.base64: image exceeds 10 MB maximum: %d bytes > %d bytes", path,
			len(b.Source.Data), most))
	}
	if _, reason := imageOf(b.Source.MediaType, b.Source.Data); reason != "" {
		return refuse(path + ".image.source.base64: " + reason)
	}
	return nil
}

func checkAnthropicBlock(path, role string, b anthropicBlock) *refusal {
	switch b.Type {
	case "text":
		return checkAnthropicText(path, b)
	case "image":
		return checkAnthropicImage(path, role, b)
	case "tool_use":
		switch {
		case role != "assistant":
			return refuse(path + ": `tool_use` blocks can only be in `assistant` messages")
		case !anthropicName.MatchString(b.ID):
			return refuse(path + ".tool_use.id: String should match pattern '^[a-zA-Z0-9_-]+$'")
		case !anthropicName.MatchString(b.Name):
			return refuse(path + ".tool_use.name: String should match pattern '^[a-zA-Z0-9_-]{1,128}$'")
		case !bytes.HasPrefix(bytes.TrimSpace(b.Input), []byte("{")):
			return refuse(path + ".tool_use.input: Input should be a valid dictionary")
		}
	case "tool_result":
		if role != "user" {
			return refuse(path + ": `tool_result` blocks can only be in `user` messages")
		}
		if b.IsError && b.text == "" {
			return refuse(path + ": content cannot be empty if `is_error` is true")
		}
		for _, inner := range b.list {
			if bad := checkAnthropicText(path+".tool_result", inner); bad != nil {
				return bad
			}
		}
	case "thinking", "redacted_thinking":
		if role != "assistant" {
			return refuse(path + ": `" + b.Type + "` blocks can only be in `assistant` messages")
		}
	default:
		return refuse(path + ": Input tag '" + b.Type + "' found using 'type' does not match any of the expected tags")
	}
	return nil
}
