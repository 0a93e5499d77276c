package llmtest

import (
	"encoding/base64"
	"fmt"
)

// geminiUnsigned is the signature that the vendor documents for calls made by another model.
const geminiUnsigned = "skip_thought_signature_validator"

func (c geminiContent) calls() []geminiCall {
	var out []geminiCall
	for _, p := range c.Parts {
		if p.FunctionCall != nil {
			out = append(out, *p.FunctionCall)
		}
	}
	return out
}

func (c geminiContent) results() []geminiFunctionDone {
	var out []geminiFunctionDone
	for _, p := range c.Parts {
		if p.FunctionResponse != nil {
			out = append(out, *p.FunctionResponse)
		}
	}
	return out
}

// checkGeminiTurns checks the order of the prompt's contents.
func checkGeminiTurns(q *geminiRequest) *refusal {
	all := q.Contents
	if all[0].Role != "user" {
		return refuse("Please ensure that multiturn requests begin with a user turn.")
	}
	if all[len(all)-1].Role != "user" {
		return refuse("Please ensure that multiturn requests end with a user turn or a function response.")
	}
	for i, c := range all {
		if len(c.calls()) > 0 && all[i-1].Role != "user" {
			return refuse("Please ensure that function call turn comes immediately after a user turn or after a function " +
				"response turn.")
		}
		var before []geminiCall
		if i > 0 {
			before = all[i-1].calls()
		}
		if bad := checkGeminiAnswers(before, c.results()); bad != nil {
			return bad
		}
	}
	return nil
}

func checkGeminiAnswers(calls []geminiCall, results []geminiFunctionDone) *refusal {
	if len(results) > 0 && len(calls) == 0 {
		return refuse("Please ensure that function response turn comes immediately after a function call turn.")
	}
	if len(results) != len(calls) {
		return refuse("Please ensure that the number of function response parts is equal to the number of function call " +
			"parts of the function call turn.")
	}
	for i, r := range results {
		if c := calls[i]; r.Name != c.Name || r.ID != c.ID && r.ID != "" {
			return refuse(fmt.Sprintf("Function response %s does not match function call %s.", r.Name, c.Name))
		}
	}
	return nil
}

// geminiSignature returns the signature of a part, given as JSON.
func geminiSignature(model, part string) string {
	return base64.StdEncoding.EncodeToString([]byte(sign(model, part)))
}

// signed returns the text that a signature covers.
func (p geminiPart) signed() string {
	if p.Text != nil {
		return *p.Text
	}
	return p.FunctionCall.Name + string(p.FunctionCall.Args)
}

// checkGeminiSignatures checks that signatures came back unchanged. From Gemini 3 on it also
// checks that each step of the current turn has one: the first call of each of the model's
// contents since the user's last message.
func checkGeminiSignatures(q *geminiRequest) *refusal {
	all, begin := q.Contents, 0
	for i, c := range all {
		if c.Role == "user" && len(c.results()) == 0 {
			begin = i
		}
	}
	strict, _ := geminiThinks(q.model)
	for i, c := range all {
		first := true
		for _, p := range c.Parts {
			given := p.ThoughtSignature
			if given != "" && given != geminiUnsigned && (p.FunctionResponse != nil || given != geminiSignature(q.model,
				p.signed())) {
				return refuse("Corrupted thought signature.")
			}
			if p.FunctionCall == nil {
				continue
			}
			if strict && i > begin && first && given == "" {
				return refuse("Function call is missing a thought_signature in functionCall parts. This is required for tools to " +
					"work correctly, and missing thought_signature may lead to degraded model performance. Additional data, " +
					"function call `" +
					fmt.Sprintf("default_api:%s` , position %d.", p.FunctionCall.Name, i))
			}
			first = false
		}
	}
	return nil
}
