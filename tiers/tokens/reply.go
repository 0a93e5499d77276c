package tokens

import (
	"cmp"

	"manualslop/events"
)

// UnknownReply is the assumed maximum length of a reply if neither the request nor the model
// limits it.
const UnknownReply = 64_000

// Reply returns the maximum number of tokens of a reply.
func Reply(asked events.ModelParams, of events.ModelOffer) int64 {
	return cmp.Or(int64(asked.MaxOutputTokens), of.MaxOutputTokens, UnknownReply)
}
