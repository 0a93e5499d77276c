package tiers

import "manualslop/events"

// Default limits of a reply in tokens, including thinking.
const (
	// FirstReply is the initial limit. It doubles after each reply that was cut at it.
	FirstReply = 32_000
	// LongestReply is the maximum limit if the model's own limit is not known.
	LongestReply = 64_000
)

// scripted is the provider that plays a script, which has no limits.
const scripted = "script"

// reply returns the limit of a reply after the given number of replies were cut. The user's own
// limit applies, up to that of the model. Otherwise a reply may use a quarter of the context
// window at first and half of it at most, because vendors reject a request whose prompt and limit
// together exceed the window.
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

// AskLonger reports whether a reply that was cut at its limit can be requested again with a larger
// one, by incrementing the seat's Cut.
func (seat Seat) AskLonger(s events.Settings, asked events.ModelRequested) bool {
	seat.Cut++
	limit := asked.Params.MaxOutputTokens
	return limit > 0 && seat.Take(s).Reply > limit
}
