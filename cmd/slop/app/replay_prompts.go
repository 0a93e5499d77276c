package app

import (
	"fmt"

	"manualslop/events"
	"manualslop/replay"
	"manualslop/tiers/llm"
	"manualslop/tiers/llm/script"
)

// checkPrompts builds the bodies that were sent to models again. Nothing is
// sent: an adapter's body depends on the request alone.
func checkPrompts(past []events.Event, blob llm.Blob) (llm.Checked, *replay.Divergence) {
	all := providers(DefaultConfig(), Credentials{})
	all[script.Name] = script.Provider{}
	withUnknown(all, past)
	seen, bad := llm.CheckBodies(past, all, blob)
	if bad == nil {
		return seen, nil
	}
	e := &past[bad.Position]
	d := &replay.Divergence{Code: replay.CodePrompt, Seq: e.Seq, Position: bad.Position, Actor: e.Actor, Cause: e.Cause, Recorded: e}
	if bad.Err != nil {
		d.Detail = "the request cannot be built again: " + bad.Err.Error()
	} else {
		d.Detail = fmt.Sprintf("the body that follows from the record has the digest %s", bad.Want)
	}
	return seen, d
}
