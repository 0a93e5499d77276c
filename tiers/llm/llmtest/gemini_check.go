package llmtest

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
)

// geminiChecks returns the API's checks, in the order in which it applies them. Sources:
// https://ai.google.dev/api/generate-content,
// .../gemini-api/docs/function-calling, .../docs/thinking and
// .../docs/thought-signatures.
func geminiChecks() []func(*geminiRequest) *refusal {
	return []func(*geminiRequest) *refusal{
		checkGeminiSystem, checkGeminiTools, checkGeminiSampling, checkGeminiThinking, checkGeminiParts, checkGeminiTurns,
		checkGeminiSignatures,
	}
}

func checkGeminiSystem(q *geminiRequest) *refusal {
	if q.SystemInstruction == nil {
		return nil
	}
	for _, p := range q.SystemInstruction.Parts {
		if p.Text == nil || *p.Text == "" {
			return refuse("GenerateContentRequest.system_instruction.parts.data: required oneof field 'data' must have one " +
				"initialized field")
		}
	}
	if len(q.SystemInstruction.Parts) == 0 {
		return refuse("GenerateContentRequest.system_instruction.parts: contents.parts must not be empty.")
	}
	return nil
}

var geminiName = regexp.MustCompile(`^[a-zA-Z_][a-zA-Z0-9_.:-]{0,127}$`)

func checkGeminiTools(q *geminiRequest) *refusal {
	seen := map[string]bool{}
	for i, t := range q.Tools {
		if len(t.FunctionDeclarations) == 0 {
			return refuse(fmt.Sprintf("GenerateContentRequest.tools[%d]: tool_type: one_of 'tool_type' must have one "+
				"initialized field", i))
		}
		for j, f := range t.FunctionDeclarations {
			path := fmt.Sprintf("GenerateContentRequest.tools[%d].function_declarations[%d]", i, j)
			var schema struct {
				Type string `json:"type"`
			}
			switch {
			case !geminiName.MatchString(f.Name):
				return refuse(path + ".name: Invalid function name. Must start with a letter or an underscore.")
			case seen[f.Name]:
				return refuse(path + ": Duplicate function declaration found: " + f.Name)
			case len(f.Parameters) > 0 && len(f.ParametersJSONSchema) > 0:
				return refuse(path + ": only one of parameters and parameters_json_schema may be set")
			case len(f.ParametersJSONSchema) > 0 && (json.Unmarshal(f.ParametersJSONSchema, &schema) != nil ||
				schema.Type != "object"):
				return refuse(path + ".parameters_json_schema: schema type should be OBJECT")
			}
			seen[f.Name] = true
		}
	}
	if len(seen) > 512 { // https://github.com/google-gemini/gemini-cli/issues/19083
		return refuse("The GenerateContentRequest proto is invalid: tools[0].function_declarations: [FIELD_INVALID] At " +
			"most 512 function declarations can be specified.")
	}
	return nil
}

func checkGeminiSampling(q *geminiRequest) *refusal {
	g := q.GenerationConfig
	switch {
	case g == nil:
		return nil
	case g.Temperature != nil && (*g.Temperature < 0 || *g.Temperature > 2):
		return refuse("GenerateContentRequest.generation_config.temperature: temperature must be in the range [0.0, 2.0].")
	case g.TopP != nil && (*g.TopP < 0 || *g.TopP > 1):
		return refuse("GenerateContentRequest.generation_config.top_p: top_p must be in the range [0.0, 1.0].")
	case g.MaxOutputTokens != nil && *g.MaxOutputTokens < 1:
		return refuse("GenerateContentRequest.generation_config.max_output_tokens: max_output_tokens must be positive.")
	case g.MaxOutputTokens != nil && *g.MaxOutputTokens > 65_536:
		return refuse("Unable to submit request because it has a maxOutputTokens value that is over 65536.")
	}
	return nil
}

// geminiThinks reports how a model's thinking is set: levels from generation 3 on, a budget in
// 2.5; earlier models do not think.
func geminiThinks(model string) (levels, budget bool) {
	levels = strings.HasPrefix(model, "gemini-3") || strings.HasPrefix(model, "gemini-4") ||
		strings.HasSuffix(model, "-latest")
	return levels, strings.HasPrefix(model, "gemini-2.5")
}

func checkGeminiThinking(q *geminiRequest) *refusal {
	if q.GenerationConfig == nil || q.GenerationConfig.ThinkingConfig == nil {
		return nil
	}
	c := q.GenerationConfig.ThinkingConfig
	levels, budget := geminiThinks(q.model)
	switch {
	case !levels && !budget:
		return refuse("Thinking is not enabled for models/" + q.model)
	case c.ThinkingBudget != nil && c.ThinkingLevel != "":
		return refuse("You can only set only one of thinking budget and thinking level.")
	case c.ThinkingLevel != "" && budget:
		return refuse("Thinking level is not supported for this model.")
	case c.ThinkingLevel != "":
		return checkGeminiLevel(q.model, c.ThinkingLevel)
	case c.ThinkingBudget != nil && budget:
		return checkGeminiBudget(q.model, *c.ThinkingBudget)
	}
	return nil
}

func checkGeminiLevel(model, level string) *refusal {
	pro := strings.Contains(model, "-pro")
	switch strings.ToUpper(level) {
	case "LOW", "HIGH":
		return nil
	case "MEDIUM":
		if !strings.HasPrefix(model, "gemini-3-pro") {
			return nil
		}
	case "MINIMAL":
		if !pro && !strings.HasPrefix(model, "gemini-3.7") && !strings.HasPrefix(model, "gemini-3.8") &&
			model != "gemini-flash-latest" {
			return nil
		}
	}
	return refuse("Thinking level " + level + " is not supported for this model.")
}

func checkGeminiBudget(model string, budget int) *refusal {
	least, most := 0, 24_576
	switch {
	case strings.Contains(model, "-pro"):
		least, most = 128, 32_768
	case budget == 0 || budget == -1:
		return nil
	case strings.Contains(model, "-lite"):
		least = 512
	}
	if budget == 0 {
		return refuse("Budget 0 is invalid. This model only works in thinking mode.")
	}
	if budget != -1 && (budget < least || budget > most) {
		return refuse(fmt.Sprintf("The thinking budget %d is invalid. Please choose a value between %d and %d.", budget,
			least, most))
	}
	return nil
}

// checkGeminiParts checks each content on its own.
func checkGeminiParts(q *geminiRequest) *refusal {
	if len(q.Contents) == 0 {
		return refuse("GenerateContentRequest.contents: contents is not specified")
	}
	for i, c := range q.Contents {
		path := fmt.Sprintf("GenerateContentRequest.contents[%d]", i)
		if c.Role != "user" && c.Role != "model" {
			return refuse("Please use a valid role: user, model.")
		}
		if len(c.Parts) == 0 {
			return refuse(path + ".parts: contents.parts must not be empty.")
		}
		for j, p := range c.Parts {
			if bad := checkGeminiPart(fmt.Sprintf("%s.parts[%d]", path, j), c.Role, p); bad != nil {
				return bad
			}
		}
	}
	return nil
}

func checkGeminiPart(path, role string, p geminiPart) *refusal {
	data := 0
	if p.Text != nil && (*p.Text != "" || p.ThoughtSignature != "") {
		data++
	}
	if p.FunctionCall != nil {
		data++
	}
	if p.InlineData != nil {
		data++
		if _, reason := imageOf(p.InlineData.MIMEType, p.InlineData.Data); reason != "" || role != "user" {
			return refuse("Unable to process input image: " + firstOf(reason, "it is not the user's"))
		}
	}
	if p.FunctionResponse != nil {
		data++
	}
	switch {
	case data != 1:
		return refuse(path + ".data: required oneof field 'data' must have one initialized field")
	case p.FunctionCall != nil && role != "model", p.FunctionResponse != nil && role != "user":
		return refuse(path + ": a function call is the model's and a function response the user's")
	case p.FunctionCall != nil && p.FunctionCall.Name == "":
		return refuse(path + ".function_call.name: Name cannot be empty.")
	case p.FunctionResponse != nil && p.FunctionResponse.Name == "":
		return refuse(path + ".function_response.name: Name cannot be empty.")
	case p.FunctionResponse != nil && p.FunctionResponse.Response == nil:
		return refuse(path + ".function_response.response: Response cannot be empty.")
	case p.FunctionCall != nil && !isObject(p.FunctionCall.Args):
		return refuse(`Invalid value at '` + path + `.function_call.args' (type.googleapis.com/google.protobuf.Struct)`)
	}
	return nil
}

// isObject reports whether JSON is an object or empty.
func isObject(raw json.RawMessage) bool {
	var fields map[string]json.RawMessage
	return len(raw) == 0 || json.Unmarshal(raw, &fields) == nil
}
