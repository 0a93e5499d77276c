package sessionlog

import (
	"encoding/json"

	"manualslop/events"
)

// comm is one line of comms.log. Kind and Type are equal, and so are ts and timestamp, because
// readers of the original system's logs use either one.
type comm struct {
	Time       string  `json:"ts"`
	Timestamp  string  `json:"timestamp"` // the same as ts
	ID         string  `json:"id"`        // of the event
	Direction  string  `json:"direction"` // OUT to a model, IN from a model
	Kind       string  `json:"kind"`
	Type       string  `json:"type"`
	Provider   string  `json:"provider,omitempty"`
	Model      string  `json:"model,omitempty"`
	SourceTier *string `json:"source_tier"` // such as "Tier 3"; null if there is no tier
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
	c.Timestamp = c.Time
	return Append{File: Comms, Bytes: line(c)}
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

// sentPart is a part of a prompt as a record has it.
type sentPart struct {
	events.Part
	File *bodyFile `json:"text_file,omitempty"`
}

// prompt returns a manifest in which long texts are replaced by files.
func (r *Renderer) prompt(manifest []events.Part) (parts []sentPart, pieces []Append) {
	parts = make([]sentPart, len(manifest))
	for i, p := range manifest {
		var blob *events.BlobRef
		if p.SHA256 != "" && p.From == "" {
			blob = &events.BlobRef{SHA256: p.SHA256, Size: p.Size}
		}
		text, file, files := r.body("prompt", p.Text, blob)
		p.Text = text
		parts[i] = sentPart{p, file}
		pieces = append(pieces, files...)
	}
	return parts, pieces
}

func (r *Renderer) asked(e *events.Event, p events.ModelRequested) []Append {
	kept := p
	kept.Manifest = nil
	r.requests[e.ID] = kept
	parts, pieces := r.prompt(p.Manifest)
	return append(pieces, commsLine(e, about(p, out, kindRequest, struct {
		Attempt int                `json:"attempt"`
		Round   int                `json:"round,omitempty"`
		Call    string             `json:"call,omitempty"`
		Params  events.ModelParams `json:"params"`
		Tools   []string           `json:"tools,omitempty"`
		// the first Keep parts of the prompt of request Continues come before Manifest
		Continues string     `json:"continues,omitempty"`
		Keep      int        `json:"keep,omitempty"`
		Manifest  []sentPart `json:"manifest"`
		SHA256    string     `json:"sha256"` // of the complete prompt
	}{p.Attempt, p.Round, p.Call, p.Params, p.Tools, p.Continues, p.Keep, parts, p.SHA256})))
}

// take removes and returns an answered request.
func (r *Renderer) take(request string) events.ModelRequested {
	m := r.requests[request]
	delete(r.requests, request)
	return m
}

// wishedCall is a tool call of a reply as a record has it.
type wishedCall struct {
	ID        string          `json:"id"`
	Name      string          `json:"name"`
	Args      json.RawMessage `json:"args,omitempty"`
	File      *bodyFile       `json:"args_file,omitempty"`
	Malformed string          `json:"malformed,omitempty"`
}

func (r *Renderer) wishes(calls []events.ToolCall) (out []wishedCall, pieces []Append) {
	for _, c := range calls {
		args, file, files := r.jsonBody("args", c.Args)
		out = append(out, wishedCall{c.ID, c.Name, args, file, c.Malformed})
		pieces = append(pieces, files...)
	}
	return out, pieces
}

func (r *Renderer) replied(e *events.Event, p events.ModelReplied) []Append {
	text, file, pieces := r.body("reply", p.Text, nil)
	calls, files := r.wishes(p.Calls)
	pieces = append(append(pieces, files...), r.providerRun(e, p.Request, p.Finish, p.CLI)...)
	return append(pieces, commsLine(e, about(r.take(p.Request), in, kindResponse, struct {
		Request    string       `json:"request"`
		Text       string       `json:"text"`
		File       *bodyFile    `json:"text_file,omitempty"`
		Calls      []wishedCall `json:"tool_calls,omitempty"`
		Finish     string       `json:"finish"`
		Usage      events.Usage `json:"usage"`
		Model      string       `json:"model,omitempty"`
		DurationMS int64        `json:"duration_ms"`
	}{p.Request, text, file, calls, p.Finish, p.Usage, p.Model, p.DurationMS})))
}

func (r *Renderer) failed(e *events.Event, p events.ModelFailed) []Append {
	pieces := r.providerRun(e, p.Request, p.Kind, p.CLI)
	p.CLI = nil
	return append(pieces, commsLine(e, about(r.take(p.Request), in, kindError, p)))
}

// resultLine renders the line for a call's result that is sent to a model.
func resultLine(e *events.Event, c *toolCall, payload result) Append {
	payload.Call, payload.Tool = c.requested.Call, c.requested.Tool
	return commsLine(e, comm{Direction: out, Kind: kindResult, SourceTier: tierOf(3), Ticket: c.requested.Ticket,
		Payload: payload})
}

// result is the payload of a tool_result line.
type result struct {
	Call       string          `json:"call"`
	Tool       string          `json:"tool"`
	Outcome    string          `json:"outcome"`
	Text       string          `json:"text"`
	TextFile   *bodyFile       `json:"text_file,omitempty"`
	Data       json.RawMessage `json:"data,omitempty"`
	DataFile   *bodyFile       `json:"data_file,omitempty"`
	Exit       *int            `json:"exit,omitempty"`
	DurationMS int64           `json:"duration_ms"`
}
