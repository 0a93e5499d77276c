package tokens

import (
	"cmp"

	"manualslop/events"
)

// UnknownReply is taken for the longest reply where neither the request nor what
// is known of its model says.
const UnknownReply = 64_000

// Reply is how many tokens a reply has at most.
func Reply(asked events.ModelParams, of events.ModelOffer) int64 {
	return cmp.Or(int64(asked.MaxOutputTokens), of.MaxOutputTokens, UnknownReply)
}
