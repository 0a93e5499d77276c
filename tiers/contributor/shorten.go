package contributor

import (
	"fmt"
	"slices"

	"manualslop/events"
	"manualslop/tiers"
)

// Bounds of a prompt in tokens, by measure.
const (
	// DefaultWindow is taken for the context window of a model of which none is known.
	DefaultWindow = 128_000
	// defaultReply is kept free for the reply where neither settings nor what is
	// known of the model say how long it gets.
	defaultReply = 8_192
	// ResultHead is how many characters stay of an old result that is shortened.
	ResultHead = 8000
)

// conversation is what a run has said and heard.
type conversation struct {
	parts  []events.Part
	rounds []int // of each part; 0: role, brief and views, which stay
	noted  bool  // the last part of round 0 tells which rounds were left out
	gone   []int // those rounds
}

func (c conversation) clone() conversation {
	return conversation{slices.Clone(c.parts), slices.Clone(c.rounds), c.noted, slices.Clone(c.gone)}
}

// newest is the last round that said something.
func (c *conversation) newest() int {
	if len(c.rounds) == 0 {
		return 0
	}
	return slices.Max(c.rounds)
}

// oldest is the first round that is still there and is not the newest; 0: none.
func (c *conversation) oldest() int {
	for _, round := range c.rounds {
		if round > 0 && round < c.newest() {
			return round
		}
	}
	return 0
}

// longResults are the calls of rounds in [from, to] whose results can be
// shortened, oldest first.
func (c *conversation) longResults(from, to int) []events.Part {
	var out []events.Part
	for i, p := range c.parts {
		if round := c.rounds[i]; round >= from && round <= to && p.Role == "tool" && p.Head == 0 && p.Size > ResultHead {
			out = append(out, p)
		}
	}
	return out
}

// shorten leaves the beginning of a result and says so behind it.
func (c *conversation) shorten(call string, head int) {
	for i := range c.parts {
		if p := &c.parts[i]; p.Role == "tool" && p.Call == call && p.Head == 0 {
			p.Head = head
			p.Suffix = fmt.Sprintf("\n[… cut to make room: the first %d characters of %d bytes; call the tool again for what you need of the rest]", head, p.Size) + p.Suffix
		}
	}
}

// drop leaves out a round, its reply with its calls and their results, and says
// which rounds are missing.
func (c *conversation) drop(round int) {
	c.gone = append(c.gone, round)
	note := events.Part{Role: "user", Text: fmt.Sprintf("[rounds %d to %d of this conversation were left out to make room]\n", c.gone[0], round)}
	var parts []events.Part
	var rounds []int
	for i, p := range c.parts {
		if c.rounds[i] != round {
			parts, rounds = append(parts, p), append(rounds, c.rounds[i])
		}
	}
	head := 0
	for head < len(rounds) && rounds[head] == 0 {
		head++
	}
	if c.noted {
		parts[head-1] = note
	} else {
		parts, rounds = slices.Insert(parts, head, note), slices.Insert(rounds, head, 0)
	}
	c.parts, c.rounds, c.noted = parts, rounds, true
}

// size is that of the parts as JSON.
func (c *conversation) size() int {
	n := 0
	for _, p := range c.parts {
		n += sizeOf(p) + len(",")
	}
	return n
}

// apply folds what was left out.
func (r *run) apply(p events.ConversationShortened) {
	for _, s := range p.Shortened {
		r.shorten(s.Call, s.Head)
	}
	for _, round := range p.DroppedRounds {
		r.drop(round)
	}
	r.bytes = r.size()
	r.tooLong = ""
}

// fit sees to it that the next prompt fits: it says what is left out, or ends the
// run where nothing more can be. A retry repeats the prompt that was sent.
func (r *run) fit(s *State) {
	r.cut = nil
	if r.phase != startRound && r.phase != sendRound || r.retry != nil {
		return
	}
	before, limit := r.measure(s, r.conversation), r.room(s)
	p := events.ConversationShortened{Ticket: r.ticket.ID, Attempt: r.attempt, Round: r.round, Before: before, Limit: limit}
	draft := r.clone()
	fits := func() bool { return r.measure(s, draft) <= p.Limit }
	switch {
	case r.tooLong != "":
		p.Reason, p.Limit = events.ShortenedForVendor, min(limit, before)*7/10
		r.leaveOut(s, &draft, &p, p.Limit)
		fits = func() bool { return true }
	case before > limit:
		p.Reason = events.ShortenedForWindow
		r.leaveOut(s, &draft, &p, limit*7/10)
	case r.bytes > MaxConversation:
		p.Reason = events.ShortenedForEvent
		for round := draft.oldest(); round > 0 && draft.size() > MaxConversation/10*7; round = draft.oldest() {
			draft.drop(round)
			p.DroppedRounds = append(p.DroppedRounds, round)
		}
		fits = func() bool { return draft.size() <= MaxConversation }
	default:
		return
	}
	if len(p.Shortened)+len(p.DroppedRounds) == 0 || !fits() {
		r.end(events.ResolvedBlocked, "", r.noRoom(before, limit))
		return
	}
	p.After = r.measure(s, draft)
	r.cut = &p
}

// leaveOut shortens old results, oldest first, until a prompt of target tokens is
// left; then, where it does not fit yet, it drops the oldest rounds; at last it
// shortens the newest results, too.
func (r *run) leaveOut(s *State, draft *conversation, p *events.ConversationShortened, target int64) {
	shorten := func(from, to int) {
		for _, part := range draft.longResults(from, to) {
			if r.measure(s, *draft) <= target {
				return
			}
			draft.shorten(part.Call, ResultHead)
			p.Shortened = append(p.Shortened, events.ShortenedResult{Call: part.Call, Tool: r.toolOf[part.Call], Size: part.Size, Head: ResultHead})
		}
	}
	shorten(1, draft.newest()-1)
	if r.measure(s, *draft) > p.Limit {
		for round := draft.oldest(); round > 0 && r.measure(s, *draft) > target; round = draft.oldest() {
			draft.drop(round)
			p.DroppedRounds = append(p.DroppedRounds, round)
			p.Shortened = slices.DeleteFunc(p.Shortened, func(x events.ShortenedResult) bool { return !draft.has(x.Call) })
		}
	}
	if r.measure(s, *draft) > p.Limit {
		shorten(draft.newest(), draft.newest())
	}
}

// has tells whether the result of a call is still there.
func (c *conversation) has(call string) bool {
	return slices.ContainsFunc(c.parts, func(p events.Part) bool { return p.Call == call })
}

// noRoom is why the run ends.
func (r *run) noRoom(tokens, limit int64) string {
	switch {
	case r.tooLong != "":
		return r.tooLong
	case tokens > limit:
		return fmt.Sprintf("the prompt of about %d tokens is over the %d that the model takes, and nothing more can be left out", tokens, limit)
	}
	return fmt.Sprintf("the conversation of %d bytes is over the limit of %d", r.bytes, MaxConversation)
}

// room is how many tokens a prompt may have: the model's context window less the
// longest reply.
func (r *run) room(s *State) int64 {
	to := r.seat().Take(s.settings)
	offer, _ := s.offered.Find(to.Provider, to.Model)
	window, reply := offer.ContextWindow, int64(to.Params.MaxOutputTokens)
	if window == 0 {
		window = DefaultWindow
	}
	if reply == 0 {
		reply = offer.MaxOutputTokens
	}
	if reply == 0 {
		reply = defaultReply
	}
	return max(window-reply, window/4)
}

// measure is how many tokens a prompt has: what the provider counted of the one
// before and an estimate of the difference, or an estimate of all of it.
func (r *run) measure(s *State, c conversation) int64 {
	parts := c.parts
	if r.refresh != nil {
		parts = append(slices.Clip(parts), *r.refresh)
	}
	bytes := s.replies.Prompt(parts) + r.offered(s)
	if r.counted == 0 {
		return (bytes + tiers.BytesPerToken - 1) / tiers.BytesPerToken
	}
	return r.counted + (bytes-r.countedBytes)/tiers.BytesPerToken
}

// count takes the provider's count of the prompt that was answered, unless it
// cannot be that of this prompt alone.
func (r *run) count(s *State, id string, p events.ModelReplied) {
	s.replies.Note(id, p)
	bytes := s.replies.Prompt(r.request.Manifest) + r.offered(s)
	estimate, counted := bytes/tiers.BytesPerToken, p.Usage.Prompt()
	r.counted, r.countedBytes = 0, 0
	if !p.Usage.Estimated && !events.RunsProgram(r.request.Provider) && counted >= estimate/2 && counted <= 4*estimate {
		r.counted, r.countedBytes = counted, bytes
	}
}

// offered is how many bytes a model reads of the tools of this attempt.
func (r *run) offered(s *State) int64 {
	var sum int64
	for _, name := range r.tools {
		sum += s.toolBytes[name]
	}
	return sum
}
