package sessionlog

import (
	"encoding/json"

	"manualslop/events"
)

// comm is one line of comms.log. Kind and Type say the same: readers of the
// original look for either.
type comm struct {
	Time       string  `json:"ts"`
	ID         string  `json:"id"`        // of the event
	Direction  string  `json:"direction"` // OUT to a model, IN from it
	Kind       string  `json:"kind"`
	Type       string  `json:"type"`
	Provider   string  `json:"provider,omitempty"`
	Model      string  `json:"model,omitempty"`
	SourceTier *string `json:"source_tier"` // "Tier 3"; null outside tiers
	StreamID   string  `json:"stream_id,omitempty"`
	Track      string  `json:"track,omitempty"`
	Ticket     string  `json:"ticket,omitempty"`
	Payload    any     `json:"payload"`
}

// Directions and kinds of comms.log.
const (
	out          = "OUT"
	in           = "IN"
	kindRequest  = "request"
	kindResponse = "response"
	kindError    = "error"
	kindResult   = "tool_result"
)

func commsLine(e *events.Event, c comm) Append {
	c.Time, c.ID, c.Type = stamp(e.Time), e.ID, c.Kind
	return Append{Comms, line(c)}
}

func tierOf(tier int) *string {
	if tier < 1 || tier > 4 {
		return nil
	}
	name := [...]string{"Tier 1", "Tier 2", "Tier 3", "Tier 4"}[tier-1]
	return &name
}

func about(m events.ModelRequested, direction, kind string, payload any) comm {
	return comm{Direction: direction, Kind: kind, Provider: m.Provider, Model: m.Model, SourceTier: tierOf(m.Tier),
		StreamID: m.StreamID, Track: m.Track, Ticket: m.Ticket, Payload: payload}
}

func (r *Renderer) asked(e *events.Event, p events.ModelRequested) []Append {
	kept := p
	kept.Manifest = nil
	r.requests[e.ID] = kept
	return []Append{commsLine(e, about(p, out, kindRequest, struct {
		Attempt  int                `json:"attempt"`
		Round    int                `json:"round,omitempty"`
		Call     string             `json:"call,omitempty"`
		Params   events.ModelParams `json:"params"`
		Tools    []string           `json:"tools,omitempty"`
		Manifest []events.Part      `json:"manifest"`
		SHA256   string             `json:"sha256"`
	}{p.Attempt, p.Round, p.Call, p.Params, p.Tools, p.Manifest, p.SHA256}))}
}

// take forgets a request that has its answer.
func (r *Renderer) take(request string) events.ModelRequested {
	m := r.requests[request]
	delete(r.requests, request)
	return m
}

func (r *Renderer) replied(e *events.Event, p events.ModelReplied) []Append {
	return []Append{commsLine(e, about(r.take(p.Request), in, kindResponse, struct {
		Request    string            `json:"request"`
		Text       string            `json:"text"`
		Calls      []events.ToolCall `json:"tool_calls,omitempty"`
		Finish     string            `json:"finish"`
		Usage      events.Usage      `json:"usage"`
		Model      string            `json:"model,omitempty"`
		DurationMS int64             `json:"duration_ms"`
	}{p.Request, p.Text, p.Calls, p.Finish, p.Usage, p.Model, p.DurationMS}))}
}

func (r *Renderer) failed(e *events.Event, p events.ModelFailed) []Append {
	return []Append{commsLine(e, about(r.take(p.Request), in, kindError, p))}
}

// resultLine is what goes back to a model of a call.
func resultLine(e *events.Event, c *toolCall, payload result) Append {
	payload.Call, payload.Tool = c.requested.Call, c.requested.Tool
	return commsLine(e, comm{Direction: out, Kind: kindResult, SourceTier: tierOf(3), Ticket: c.requested.Ticket, Payload: payload})
}

// result is the payload of a tool_result line.
type result struct {
	Call       string          `json:"call"`
	Tool       string          `json:"tool"`
	Outcome    string          `json:"outcome"`
	Text       string          `json:"text"`
	TextBlob   *events.BlobRef `json:"text_blob,omitempty"`
	Data       json.RawMessage `json:"data,omitempty"`
	Exit       *int            `json:"exit,omitempty"`
	DurationMS int64           `json:"duration_ms"`
}
