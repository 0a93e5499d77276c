package tiers

import "manualslop/events"

// BytesPerToken is the rule of thumb for every estimate made before a provider has counted.
const BytesPerToken = 4

// EstimatedTokens returns about how many tokens a text of n bytes has, rounded up.
func EstimatedTokens(n int64) int64 { return (n + BytesPerToken - 1) / BytesPerToken }

// Replies holds the length of replies as a model reads them again, because parts of a prompt
// record only the length of the text.
type Replies map[string]int64

// Note records the length of the reply in the event with this id.
func (r Replies) Note(id string, p events.ModelReplied) {
	size := int64(len(p.Text))
	for _, c := range p.Calls {
		size += int64(len(c.Name) + len(c.Args))
	}
	raw := int64(len(p.Raw))
	if p.RawBlob != nil {
		raw = p.RawBlob.Size
	}
	r[id] = max(size, raw)
}

// Size returns how many bytes a model reads for a part.
func (r Replies) Size(p events.Part) int64 {
	named := max(p.Size, 0)
	if p.Kind == events.PartImage {
		named = events.ImageTokens * BytesPerToken
	}
	if p.Role == "assistant" {
		named = max(named, r[p.From])
	}
	if p.Head > 0 {
		named = min(named, int64(p.Head))
	}
	return named + int64(len(p.Text)+len(p.Prefix)+len(p.Suffix))
}

// Prompt returns how many bytes a model reads for a prompt.
func (r Replies) Prompt(parts []events.Part) int64 {
	var sum int64
	for _, p := range parts {
		sum += r.Size(p)
	}
	return sum
}

// OfferSize returns how many bytes a model reads for a tool.
func OfferSize(o events.ToolOffer) int64 {
	return int64(len(o.Name) + len(o.Description) + len(o.Schema))
}
