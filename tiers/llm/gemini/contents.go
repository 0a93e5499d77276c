package gemini

import (
	"cmp"
	"encoding/json"
	"slices"

	"manualslop/tiers/llm"
)

// Roles of a content. Tool results have the user's role.
const (
	roleUser  = "user"
	roleModel = "model"
)

// unsigned replaces the missing signature of a call that another model made. The vendor documents
// it for histories from other sources:
// https://ai.google.dev/gemini-api/docs/thought-signatures, "FAQs".
const unsigned = "skip_thought_signature_validator"

type content struct {
	Role  string `json:"role,omitempty"`
	Parts []part `json:"parts"`
}

type part struct {
	Text             string            `json:"text,omitempty"`
	InlineData       *inlineData       `json:"inlineData,omitempty"`
	FunctionCall     *functionCall     `json:"functionCall,omitempty"`
	FunctionResponse *functionResponse `json:"functionResponse,omitempty"`
	ThoughtSignature string            `json:"thoughtSignature,omitempty"`
}

// inlineData is an image.
type inlineData struct {
	MIMEType string `json:"mimeType"`
	Data     string `json:"data"` // base64
}

type functionCall struct {
	ID   string          `json:"id,omitempty"`
	Name string          `json:"name"`
	Args json.RawMessage `json:"args,omitempty"`
}

type functionResponse struct {
	ID       string   `json:"id,omitempty"`
	Name     string   `json:"name"`
	Response response `json:"response"`
}

// response is a tool result: the API reads the keys output and error.
type response struct {
	Output string `json:"output,omitempty"`
	Error  string `json:"error,omitempty"`
}

// contents returns the messages of r without the system message. A reply of the same origin is
// sent verbatim.
func contents(r llm.Request) ([]any, error) {
	var out []any
	var last turn
	for _, m := range r.Messages {
		switch m.Role {
		case llm.RoleUser:
			out = append(out, said(m))
		case llm.RoleAssistant:
			verbatim, calls, err := own(m, origin(r.Model))
			if err != nil {
				return nil, err
			}
			last = turn{m.Calls(), calls}
			if verbatim != nil {
				out = append(out, verbatim)
			} else if c := portable(m, familyOf(r.Model).signs()); len(c.Parts) > 0 {
				out = append(out, c)
			}
		case llm.RoleTool:
			out = append(out, results(m, last))
		}
	}
	return out, nil
}

// turn holds the calls of one reply: ours and, if the reply goes back verbatim, the calls as the
// vendor wrote them.
type turn struct {
	ours  []llm.Call
	calls []functionCall
}

// spelled returns the call that a result answers, as the vendor wrote it.
func (t turn) spelled(r llm.Result) functionCall {
	at := slices.IndexFunc(t.ours, func(c llm.Call) bool { return c.ID == r.Call })
	if at >= 0 && at < len(t.calls) {
		return t.calls[at]
	}
	return functionCall{Name: wireName(r.Name)}
}

// maxName limits function names in the API, in bytes.
const maxName = llm.MaxToolName

// wireName returns a name in a form that the API accepts.
func wireName(s string) string { return llm.PlainName(s, ".:", maxName) }

// said converts a user message.
func said(m llm.Message) content {
	c := content{Role: roleUser}
	for _, b := range m.Blocks {
		switch b := b.(type) {
		case llm.Text:
			c.Parts = append(c.Parts, part{Text: string(b)})
		case llm.Image:
			c.Parts = append(c.Parts, part{InlineData: &inlineData{b.Media, b.Base64()}})
		case llm.Call, llm.Result, llm.Opaque: // a user message has none of these
		}
	}
	return c
}

// own returns a reply of this origin as the vendor sent it, with its calls; nil for a reply of
// another origin.
func own(m llm.Message, origin string) (json.RawMessage, []functionCall, error) {
	data := m.OpaqueOf(origin)
	if data == nil {
		return nil, nil, nil
	}
	var c content
	if err := json.Unmarshal(data, &c); err != nil || c.Role != roleModel || len(c.Parts) == 0 {
		return nil, nil, llm.Unsendable("a recorded reply of %s is not model content", origin)
	}
	var calls []functionCall
	for _, p := range c.Parts {
		if p.FunctionCall != nil {
			calls = append(calls, *p.FunctionCall)
		}
	}
	return data, calls, nil
}

// portable returns a reply's text and calls, for a model that did not write it.
func portable(m llm.Message, signs bool) content {
	c := content{Role: roleModel}
	for _, b := range m.Blocks {
		switch b := b.(type) {
		case llm.Text:
			c.Parts = append(c.Parts, part{Text: string(b)})
		case llm.Call:
			p := part{FunctionCall: &functionCall{Name: wireName(b.Name), Args: b.Args}}
			if signs {
				p.ThoughtSignature, signs = unsigned, false
			}
			c.Parts = append(c.Parts, p)
		case llm.Opaque, llm.Result, llm.Image: // of another model, or not part of a reply
		}
	}
	return c
}

// results answers the calls of the previous reply: one part for each call, in order, since most
// have no id. Text that follows, the block of changed files, is appended to the last result,
// because text between results and the next reply would end the turn.
func results(m llm.Message, last turn) content {
	c := content{Role: roleUser}
	for _, b := range m.Blocks {
		switch b := b.(type) {
		case llm.Result:
			call := last.spelled(b)
			f := &functionResponse{ID: call.ID, Name: call.Name}
			if f.Response.Output = b.Text; b.Failed {
				f.Response = response{Error: cmp.Or(b.Text, "failed")}
			}
			c.Parts = append(c.Parts, part{FunctionResponse: f})
		case llm.Text:
			c.follow(string(b))
		case llm.Call, llm.Opaque, llm.Image: // not in a tool message
		}
	}
	return c
}

// follow appends text to the last result.
func (c *content) follow(text string) {
	if len(c.Parts) == 0 {
		c.Parts = append(c.Parts, part{Text: text})
		return
	}
	last := &c.Parts[len(c.Parts)-1].FunctionResponse.Response
	into := &last.Output
	if last.Error != "" {
		into = &last.Error
	}
	if *into != "" {
		*into += "\n\n"
	}
	*into += text
}
