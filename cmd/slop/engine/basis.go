package engine

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"reflect"

	"manualslop/cmd/slop/site"
	"manualslop/cmd/slop/version"
	"manualslop/events"
	"manualslop/projections"
	"manualslop/tiers"
	"manualslop/tiers/basis"
)

// RecordBasis stores the texts from which prompts are built and returns the basis of this program's decisions, for
// the event that records it.
func RecordBasis(ctx context.Context, blobs events.Blobs) (events.Basis, error) {
	for _, text := range basis.Bytes() {
		if _, err := blobs.Put(ctx, text, "text/markdown; charset=utf-8"); err != nil {
			return events.Basis{}, fmt.Errorf("store the prompt texts: %w", err)
		}
	}
	return basis.Of(version.ReadInfo().Version), nil
}

// UpgradeWords returns the events with which a user switches a session to this program's basis, or none if the
// session already has it. It returns events.ErrNewer if the session has a newer one.
func UpgradeWords(ctx context.Context, blobs events.Blobs, p site.Place, session string,
	now projections.Settings) ([]events.Payload, error) {
	if err := tiers.KnowsBasis(session, now.Basis); err != nil {
		return nil, err
	}
	var out []events.Payload
	offered, err := p.OfferedTools()
	if err != nil {
		return nil, err
	}
	if !sameJSON(offered.Tools, now.Tools) {
		out = append(out, offered)
	}
	next, err := RecordBasis(ctx, blobs)
	if err != nil {
		return nil, err
	}
	if !reflect.DeepEqual(next.Texts, now.Basis.Texts) || !sameNumbers(next, now.Basis) {
		out = append(out, events.DecisionsUpgraded{Basis: next})
	}
	return out, nil
}

// sameNumbers reports whether every decider of this program has the same version in both.
func sameNumbers(a, b events.Basis) bool {
	for _, decider := range events.Deciders() {
		if a.Decision(decider) != b.Decision(decider) {
			return false
		}
	}
	return true
}

func sameJSON(a, b any) bool {
	one, err := json.Marshal(a)
	other, err2 := json.Marshal(b)
	return err == nil && err2 == nil && bytes.Equal(one, other)
}
