package tiers

import "manualslop/events"

// Limits of a reply in tokens, thoughts included, where the person sets none.
const (
	// FirstReply is asked for first. It doubles for each reply that was cut there.
	FirstReply = 32_000
	// LongestReply is the most that is asked for where the model's own limit is
	// not known.
	LongestReply = 64_000
)

// scripted is the provider that reads a script, which has no limits.
const scripted = "script"

// reply returns the limit of a reply after the given number of replies were
// cut. The person's own limit holds, within that of the model. A reply has a
// quarter of the context window at first and half of it at most, because
// vendors refuse a prompt and a limit that together are over the window.
func (x *Sitting) reply(known events.ModelsOffered, cut int) int {
	offer, _ := known.Find(x.Provider, x.Model)
	limit := x.Params.MaxOutputTokens
	switch {
	case limit > 0 && offer.MaxOutputTokens > 0:
		return int(min(int64(limit), offer.MaxOutputTokens))
	case limit > 0 || x.Provider == scripted || events.RunsProgram(x.Provider):
		return limit
	}
	if offer.MaxOutputTokens == 0 && events.RunsLocally(x.Provider) {
		return 0
	}
	longest := offer.MaxOutputTokens
	if longest == 0 {
		longest = LongestReply
	}
	first := min(longest, FirstReply)
	if window := offer.ContextWindow; window > 0 {
		longest, first = min(longest, window/2), min(first, window/4)
	}
	for ; cut > 0 && first < longest; cut-- {
		first = min(first*2, longest)
	}
	return int(first)
}

// AskLonger reports whether a reply that was cut at the limit of the request
// that asked for it can be asked for again with a larger one, by the seat with
// one more Cut.
func (seat Seat) AskLonger(s events.Settings, asked events.ModelRequested) bool {
	seat.Cut++
	limit := asked.Params.MaxOutputTokens
	return limit > 0 && seat.Take(s).Reply > limit
}
