// Package basis provides what this program's decisions depend on, in the form in which a session
// records it when it is opened or upgraded: the newest decision number of each decider, and the
// texts of which prompts are made.
//
// # Contract
//
//   - Prompts of a session use the texts that its record names, never those of
//     this package. Opening or upgrading a session first stores the bytes of
//     the texts ([Bytes]) and then records the basis ([Of]).
//   - The package is pure.
package basis

import (
	"maps"
	"slices"

	"manualslop/events"
	"manualslop/tiers"
	"manualslop/tiers/contributor"
	"manualslop/tiers/lead"
	"manualslop/tiers/planner"
	"manualslop/tiers/qa"
	"manualslop/tiers/tokens"
)

// Of returns the basis of this program; program is its version.
func Of(program string) events.Basis {
	out := events.Basis{Program: program, Decisions: tiers.Decisions()}
	all := texts()
	for _, name := range slices.Sorted(maps.Keys(all)) {
		text := all[name]
		out.Texts = append(out.Texts, events.PromptText{Name: name, SHA256: events.Digest([]byte(text)),
			Size: int64(len(text)), Tokens: tokens.Most(text)})
	}
	return out
}

// Bytes returns the texts that [Of] names, in the same order.
func Bytes() [][]byte {
	all := texts()
	out := make([][]byte, 0, len(all))
	for _, name := range slices.Sorted(maps.Keys(all)) {
		out = append(out, []byte(all[name]))
	}
	return out
}

// texts returns the texts of every decider by name.
func texts() map[string]string {
	out := map[string]string{}
	for _, own := range []map[string]string{planner.Texts(), lead.Texts(), contributor.Texts(), qa.Texts()} {
		maps.Copy(out, own)
	}
	return out
}
