package approval

import (
	"encoding/json"

	"manualslop/events"
	"manualslop/tiers"
)

// input raises an ask for a question of an external server. If the call has ended, it does
// nothing.
func (s *State) input(e *events.Event, p events.InputRequested) {
	c := s.calls[p.Call]
	if c == nil {
		return
	}
	a := askAbout(c, events.GateInput, p.Server+" asks: "+p.Message)
	if p.URL != "" {
		a.Title = p.Server + " asks you to visit " + p.Origin + ": " + p.Message
	}
	b, err := json.Marshal(struct {
		Message  string          `json:"message"`
		Schema   json.RawMessage `json:"schema,omitempty"`
		Sampling json.RawMessage `json:"sampling,omitempty"`
		Roots    bool            `json:"roots,omitempty"`
		Key      string          `json:"key,omitempty"`
		Of       int             `json:"of,omitempty"`
		URL      string          `json:"url,omitempty"`
		Origin   string          `json:"origin,omitempty"`
	}{p.Message, p.Schema, p.Sampling, p.Roots, p.Key, p.Of, p.URL, p.Origin})
	if err != nil {
		return // not JSON, so the registry has already rejected it
	}
	a.Args, a.ArgsSHA256 = b, ""
	a.Note = tiers.Clip("The text is the server's. Fill in the form by answering yes with the fields of the schema as arguments.",
		MaxNote)
	if p.Sampling != nil {
		a.Title = p.Server + " asks for " + p.Message
		a.Note = tiers.Clip(`The text in sampling is the server's. Answer yes with the result as arguments: `+
			`{"role": "assistant", "model": NAME, "content": {"type": "text", "text": REPLY}}.`, MaxNote)
	}
	if p.Roots {
		a.Title = p.Server + " asks for " + p.Message
		a.Note = tiers.Clip(`Answer yes with the folders as arguments: {"roots": [{"uri": "file:///FOLDER"}]}.`, MaxNote)
	}
	s.raise(e, a)
}
