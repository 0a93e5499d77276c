package llmtest

import (
	"encoding/json"
	"strings"

	"manualslop/events"
)

// geminiReply writes one reply as a sequence of chunks.
type geminiReply struct {
	out  []string
	view View
	turn Turn
}

// chunk writes parts, and a finish reason if there is one.
func (w *geminiReply) chunk(usage map[string]any, reason string, parts ...geminiPart) {
	candidate := map[string]any{"index": 0, "content": map[string]any{"role": "model", "parts": parts}}
	if len(parts) == 0 {
		candidate["content"] = map[string]any{}
	}
	if reason != "" {
		candidate["finishReason"] = reason
	}
	out := map[string]any{"candidates": []any{candidate}, "modelVersion": w.view.Model, "responseId": "resp_1"}
	if usage != nil && w.turn.Fault != NoUsage {
		out["usageMetadata"] = usage
	}
	w.out = append(w.out, geminiFrame(out))
}

// frames returns the reply to an accepted request. The API shows thinking only on request, and no
// test asks for it; the part that follows the thinking is signed.
func (g *gemini) frames(v View, t Turn, u events.Usage) []string {
	w := &geminiReply{view: v, turn: t}
	w.say(geminiUsage(events.Usage{Input: u.Input, CacheRead: u.CacheRead, CacheWrite: u.CacheWrite, Thinking: u.Thinking,
		Output: u.Thinking}))
	if t.Fault == UnknownEvents {
		w.out = append(w.out, geminiFrame(map[string]any{"novelty": map[string]any{"deep": []int{1}}}),
			"event: hint\nid: 7\ndata: {\"candidates\":\"odd\"}\n\n")
	}
	w.call()
	w.end(geminiUsage(u))
	return w.out
}

func (w *geminiReply) say(usage map[string]any) {
	for _, piece := range w.turn.pieces(w.turn.Text) {
		w.chunk(usage, "", geminiPart{Text: &piece})
	}
}

// call writes all calls, complete and in one chunk. The API does not send calls that are
// unfinished or invalid.
func (w *geminiReply) call() {
	levels, _ := geminiThinks(w.view.Model)
	var parts []geminiPart
	for _, c := range w.turn.Calls {
		if !json.Valid([]byte(c.Args)) {
			return
		}
		p := geminiPart{FunctionCall: &geminiCall{Name: c.Name, Args: json.RawMessage(c.Args)}}
		if levels { // older models give no ids
			p.FunctionCall.ID = c.ID
		}
		if len(parts) == 0 && (levels || w.turn.Thinking != "" || w.turn.Redacted != "") {
			compact := string(mustJSON(p.FunctionCall.Args))
			p.FunctionCall.Args = json.RawMessage(compact)
			p.ThoughtSignature = geminiSignature(w.view.Model, p.signed())
		}
		parts = append(parts, p)
	}
	if len(parts) > 0 {
		w.chunk(nil, "", parts...)
	}
}

// end writes the last chunk, which has an empty part; in a reply without calls that part is
// signed. The API does not accept back an empty part without a signature:
// https://ai.google.dev/gemini-api/docs/thought-signatures and
// https://github.com/router-for-me/CLIProxyAPI/issues/1292.
func (w *geminiReply) end(usage map[string]any) {
	empty := ""
	last := geminiPart{Text: &empty}
	if len(w.turn.Calls) == 0 && w.turn.Thinking != "" {
		last.ThoughtSignature = geminiSignature(w.view.Model, empty)
	}
	w.chunk(usage, geminiStop(w.turn), last)
}

func geminiStop(t Turn) string {
	switch {
	case t.Stop != "":
		return t.Stop
	case t.cut:
		return "MAX_TOKENS"
	case t.Fault == Refusal:
		return "SAFETY"
	case t.Fault == CutInCall, t.Fault == BrokenArgs:
		return "MALFORMED_FUNCTION_CALL"
	}
	return "STOP"
}

// geminiUsage counts as the API does: the prompt includes cached tokens, the candidates exclude
// thinking tokens.
func geminiUsage(u events.Usage) map[string]any {
	out := map[string]any{"promptTokenCount": u.Prompt(), "totalTokenCount": u.Prompt() + u.Output}
	for name, n := range map[string]int64{"candidatesTokenCount": u.Output - u.Thinking, "thoughtsTokenCount": u.Thinking,
		"cachedContentTokenCount": u.CacheRead} {
		if n > 0 {
			out[name] = n // order-independent: keys of one object
		}
	}
	return out
}

func (*gemini) ends(frame string) bool { return strings.Contains(frame, `"finishReason"`) }
