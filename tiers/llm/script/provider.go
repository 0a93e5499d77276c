package script

import (
	"context"
	"iter"
	"time"
	"unicode/utf8"

	"manualslop/tiers/llm"
)

// textChunks is the maximum number of deltas that a text is split into.
const textChunks = 4

// Provider plays one line of a script.
type Provider struct {
	llm.Neutral

	line Line
}

var _ llm.Provider = Provider{}

// Play returns a provider that plays the line with this number; false if there is no such line.
func (s *Script) Play(number int) (Provider, bool) {
	l, ok := s.Line(number)
	return Provider{line: l}, ok
}

// Name is "script".
func (Provider) Name() string { return Name }

// Stream plays the line, regardless of the request. It spreads the line's delay over the pieces
// of the text.
func (p Provider) Stream(ctx context.Context, r llm.Request) iter.Seq2[llm.Chunk, error] {
	return func(yield func(llm.Chunk, error) bool) {
		reply := p.line.Reply
		texts := cut(reply.Text)
		pause := reply.Delay / time.Duration(max(1, len(texts)))
		if len(texts) == 0 && !wait(ctx, pause, yield) {
			return
		}
		for _, t := range texts {
			if !wait(ctx, pause, yield) || !yield(llm.TextDelta(t), nil) {
				return
			}
		}
		for _, c := range reply.rest(r) {
			if !yield(c, nil) {
				return
			}
		}
		if reply.Error != nil {
			failed := *reply.Error
			yield(nil, &failed)
		}
	}
}

// wait pauses for d. If ctx ends first, it yields the error and returns false.
func wait(ctx context.Context, d time.Duration, yield func(llm.Chunk, error) bool) bool {
	if d > 0 {
		t := time.NewTimer(d)
		defer t.Stop()
		select {
		case <-t.C:
		case <-ctx.Done():
		}
	}
	if ctx.Err() != nil {
		yield(nil, llm.AsError(ctx.Err()))
		return false
	}
	return true
}

// rest returns the chunks that follow the text.
func (r *Reply) rest(req llm.Request) []llm.Chunk {
	var out []llm.Chunk
	for i, c := range r.Calls {
		head, tail := halves(c.Args)
		out = append(out, llm.CallBegin{Index: i, Name: c.Name}, llm.CallArgs{Index: i, Text: head}, llm.CallArgs{Index: i,
			Text: tail}, llm.CallEnd{Index: i})
	}
	if r.Error != nil {
		if r.Usage != nil {
			out = append(out, llm.Usage(*r.Usage))
		}
		return out
	}
	usage, reason := llm.Estimate(req, r.said()), llm.FinishStop
	if r.Usage != nil {
		usage = *r.Usage
	}
	if len(r.Calls) > 0 {
		reason = llm.FinishToolCalls
	}
	return append(out, llm.Usage(usage), llm.Finish{Reason: reason, Model: req.Model})
}

// cut splits a text into a few pieces without splitting a character.
func cut(s string) []string {
	size := max(1, (len(s)+textChunks-1)/textChunks)
	var out []string
	for len(s) > 0 {
		n := boundary(s, size)
		out = append(out, s[:n])
		s = s[n:]
	}
	return out
}

func halves(s string) (string, string) {
	n := boundary(s, len(s)/2)
	return s[:n], s[n:]
}

// boundary returns the first start of a character in s at or after n.
func boundary(s string, n int) int {
	n = min(n, len(s))
	for n < len(s) && !utf8.RuneStart(s[n]) {
		n++
	}
	return n
}
