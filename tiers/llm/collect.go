package llm

import (
	"encoding/json"
	"iter"
	"strings"
	"unicode"

	"manualslop/events"
)

// Collect reads a stream to its end and assembles the reply. It first passes each text delta to
// onDelta, unless that is nil. The error is always an [*Error]; the reply returned with it holds
// only the usage reported so far, which was paid for.
func Collect(stream iter.Seq2[Chunk, error], onDelta func(string)) (Reply, error) {
	c := collector{onDelta: onDelta}
	for chunk, err := range stream {
		if err != nil {
			return c.failed(AsError(err))
		}
		if bad := c.take(chunk); bad != nil {
			return c.failed(bad)
		}
		if c.finish != nil {
			return c.whole()
		}
	}
	return c.failed(Incomplete("the reply ended without its end marker"))
}

type collector struct {
	onDelta func(string)
	text    strings.Builder
	calls   []*draft
	usage   *events.Usage
	finish  *Finish
}

func (c *collector) take(chunk Chunk) *Error {
	switch x := chunk.(type) {
	case TextDelta:
		return c.addText(string(x))
	case CallBegin:
		return c.begin(x)
	case CallArgs:
		d, bad := c.open(x.Index)
		if bad == nil {
			d.add(x.Text)
		}
		return bad
	case CallEnd:
		d, bad := c.open(x.Index)
		if bad == nil {
			d.ended, d.malformed = true, x.Malformed
		}
		return bad
	case Usage:
		u := credible(events.Usage(x))
		c.usage = &u
		return nil
	case Finish:
		c.finish = &x
		return nil
	}
	return Incomplete("the provider sent an empty chunk")
}

func (c *collector) addText(s string) *Error {
	if c.text.Len()+len(s) > MaxText {
		return Incomplete("the reply's text has more than %d bytes", MaxText)
	}
	c.text.WriteString(s)
	if c.onDelta != nil && s != "" {
		c.onDelta(s)
	}
	return nil
}

func (c *collector) begin(b CallBegin) *Error {
	if b.Index != len(c.calls) {
		return Incomplete("the provider opened call %d, but call %d is next", b.Index, len(c.calls))
	}
	if len(c.calls) == MaxCalls {
		return Incomplete("the reply has more than %d tool calls", MaxCalls)
	}
	c.calls = append(c.calls, &draft{name: b.Name})
	return nil
}

func (c *collector) open(index int) (*draft, *Error) {
	if index < 0 || index >= len(c.calls) || c.calls[index].ended {
		return nil, Incomplete("the provider sent arguments for call %d, which is not open", index)
	}
	return c.calls[index], nil
}

// failed returns an empty reply with the usage that was paid for, and the error. Vendors that
// count the output only at the end have reported too little by then, so the text received so far
// is estimated.
func (c *collector) failed(e *Error) (Reply, error) {
	var r Reply
	if c.usage == nil {
		return r, e
	}
	r.Usage = *c.usage
	if came := tokens(c.came()); c.finish == nil && came > r.Usage.Output {
		r.Usage.Output, r.Usage.Estimated = came, true
	}
	return r, e
}

// came returns the number of characters of the reply received so far.
func (c *collector) came() int64 {
	n := count(c.text.String())
	for _, d := range c.calls {
		n += count(d.name) + count(string(d.args))
	}
	return n
}

// whole returns the complete reply, after its end marker arrived.
func (c *collector) whole() (Reply, error) {
	cut := c.finish.Reason == FinishMaxTokens
	r := Reply{Text: strings.ToValidUTF8(c.text.String(), "\uFFFD"), Finish: FinishStop, Model: modelName(c.finish.Model),
		CLI: c.finish.CLI}
	for _, d := range c.calls {
		r.Calls = append(r.Calls, d.call(cut))
	}
	switch {
	case cut:
		r.Finish = FinishMaxTokens
	case c.finish.Reason != FinishStop && c.finish.Reason != FinishToolCalls:
		return c.failed(Incomplete("the provider finished with the unknown reason %q", c.finish.Reason))
	case len(r.Calls) > 0:
		r.Finish = FinishToolCalls
	}
	if bad := c.attachRaw(&r); bad != nil {
		return c.failed(bad)
	}
	r.Usage = c.used()
	return c.fitting(r)
}

// modelName limits a model's name to MaxModelName bytes and to one line.
func modelName(s string) string {
	s = strings.ToValidUTF8(s[:min(len(s), MaxModelName)], "")
	return strings.Map(func(r rune) rune {
		if !unicode.IsGraphic(r) {
			return -1
		}
		return r
	}, s)
}

func (c *collector) attachRaw(r *Reply) *Error {
	if c.finish.Raw == nil {
		return nil
	}
	raw, err := json.Marshal(*c.finish.Raw)
	if err != nil {
		return Incomplete("the provider's opaque block is not JSON: %v", err)
	}
	if len(raw) > MaxRaw {
		return Incomplete("the provider's opaque block has more than %d bytes", MaxRaw)
	}
	if events.Nesting(raw) > MaxDepth {
		return Incomplete("the provider's opaque block is nested more than %d levels deep", MaxDepth)
	}
	r.Raw = raw
	return nil
}

// used returns the reported usage, or else an estimate of the output alone.
func (c *collector) used() events.Usage {
	if c.usage != nil {
		return *c.usage
	}
	return events.Usage{Output: tokens(c.came()), Estimated: true}
}

// fitting rejects a reply that does not fit into an event.
func (c *collector) fitting(r Reply) (Reply, error) {
	recorded := r.Replied("")
	if len(recorded.Raw) > events.MaxInline {
		recorded.Raw = nil // it is stored as a blob
	}
	body, err := json.Marshal(recorded)
	if err != nil {
		return c.failed(Incomplete("the reply cannot be recorded: %v", err))
	}
	if len(body) > MaxReply {
		return c.failed(Incomplete("the recorded reply would have %d bytes, more than the limit of %d", len(body), MaxReply))
	}
	return r, nil
}
