package conversation

import (
	"cmp"

	"manualslop/events"
	"manualslop/tiers"
)

// Default sizes, in tokens.
const (
	// DefaultWindow is the assumed context window of a model whose window is not known.
	DefaultWindow = 128_000
	// defaultReply is reserved for the reply if neither the settings nor the known properties of
	// the model limit it.
	defaultReply = 8_192
)

// Offers holds the known properties of models and tools; it is a fold of the session's events.
type Offers struct {
	models events.ModelsOffered
	tools  map[string]int64 // bytes that a model reads for each tool
}

// Evolve folds one event.
func (o *Offers) Evolve(e *events.Event) {
	switch p := e.Payload.(type) {
	case events.ModelsOffered:
		o.models = p
	case events.ToolsOffered:
		o.tools = make(map[string]int64, len(p.Tools))
		for _, t := range p.Tools {
			o.tools[t.Name] = tiers.OfferSize(t)
		}
	}
}

// Reader is the model that a prompt is for.
type Reader struct {
	Tier            int
	Provider, Model string
	Room            int64 // maximum tokens of the prompt
	tools           int64 // bytes of the tools offered to it
}

// Reader returns the model that answers a seat with these tools. Its room is the model's context
// window less the longest reply, but at least a quarter of the window.
func (o *Offers) Reader(to tiers.Sitting, tools []string) Reader {
	out := Reader{Tier: to.Tier.Tier, Provider: to.Provider, Model: to.Model}
	offer, _ := o.models.Find(to.Provider, to.Model)
	window, reply := offer.ContextWindow, int64(to.Reply)
	if window == 0 {
		window = DefaultWindow
	}
	if reply == 0 {
		reply = cmp.Or(offer.MaxOutputTokens, defaultReply)
	}
	out.Room, out.tools = max(window-reply, window/4), o.sizeOf(tools)
	return out
}

// sizeOf returns how many bytes a model reads for these tools.
func (o *Offers) sizeOf(tools []string) int64 {
	var sum int64
	for _, name := range tools {
		sum += o.tools[name]
	}
	return sum
}
