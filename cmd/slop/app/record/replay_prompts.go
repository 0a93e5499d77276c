package record

import (
	"fmt"

	"manualslop/cmd/slop/config"
	"manualslop/replay"
	"manualslop/tiers/llm"
	"manualslop/tiers/llm/script"
)

// promptCheck builds the bodies that were sent to models again. Nothing is sent: an adapter's body depends on the
// request alone.
func promptCheck(session pastSession) *llm.Bodies {
	all := config.Providers(config.Default(), config.Credentials{})
	all[script.Name] = script.Provider{}
	return llm.NewBodies(config.OrUnknown(all), session.blob, session.again)
}

// promptDivergence reports a body that differs from the one that was sent.
func promptDivergence(bad *llm.Mismatch) *replay.Divergence {
	e := bad.Reply
	d := &replay.Divergence{Code: replay.CodePrompt, Seq: e.Seq, Position: bad.Position, Actor: e.Actor, Cause: e.Cause,
		Recorded: e}
	if bad.Err != nil {
		d.Detail = "the request cannot be built again: " + bad.Err.Error()
	} else {
		d.Detail = fmt.Sprintf("the body that follows from the record has the digest %s", bad.Want)
	}
	return d
}
