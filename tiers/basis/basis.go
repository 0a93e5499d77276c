// Package basis provides what this program's decisions depend on, as recorded
// by a session when it is opened or upgraded: the newest decision number of
// each decider, and the texts that prompts are made of.
//
// # Contract
//
//   - Prompts of a session are made of the texts that its record names, never of
//     these: who opens or upgrades a session stores their bytes first ([Bytes])
//     and then says so ([Of]).
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

// Of returns the basis of this program, including the program's version.
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

// Bytes returns the texts that [Of] names, in its order.
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
