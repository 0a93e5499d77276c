package conversation

import (
	"manualslop/events"
	"manualslop/tiers"
)

// measure returns how many tokens the prompt has with tail after it: the provider's count of the
// previous prompt plus an estimate of what was added, a share of that count if the prompt is
// shorter now, or an estimate of all of it.
func (t *Thread) measure(to Reader, tail *events.Part) int64 {
	bytes := t.read(to.tools, tail)
	switch {
	case t.counted == 0:
		return tiers.EstimatedTokens(bytes)
	case bytes < t.countedBytes:
		return t.counted * bytes / t.countedBytes
	}
	return t.counted + (bytes-t.countedBytes)/tiers.BytesPerToken
}

// read returns how many bytes a model reads; tools is the part for tools.
func (t *Thread) read(tools int64, tail *events.Part) int64 {
	sum := tools + t.reads
	if tail != nil {
		sum += t.heard.Size(*tail)
	}
	return sum
}

// Heard records the reply to m, in the event with this id, before it is added: its length, and the
// provider's count of the prompt, unless that cannot be the count of this prompt alone.
func (t *Thread) Heard(o *Offers, m events.ModelRequested, tail *events.Part, id string, p events.ModelReplied) {
	bytes := t.read(o.sizeOf(m.Tools), tail)
	if t.heard == nil {
		t.heard = tiers.Replies{}
	}
	t.heard.Note(id, p)
	t.refusal, t.refusals = nil, 0
	estimate, counted := bytes/tiers.BytesPerToken, p.Usage.Prompt()
	t.counted, t.countedBytes = 0, 0
	if !p.Usage.Estimated && !events.RunsProgram(m.Provider) && counted >= estimate/2 && counted <= 4*estimate {
		t.counted, t.countedBytes = counted, bytes
	}
}
