package app

import (
	"context"
	"fmt"

	"manualslop/events"
	"manualslop/tiers/basis"
)

// recordBasis stores the texts that prompts are made of and is what this program
// decides by, for the event that puts it on record.
func recordBasis(ctx context.Context, blobs events.Blobs) (events.Basis, error) {
	for _, text := range basis.Bytes() {
		if _, err := blobs.Put(ctx, text, "text/markdown; charset=utf-8"); err != nil {
			return events.Basis{}, fmt.Errorf("store the texts of prompts: %w", err)
		}
	}
	return basis.Of(readBuildInfo().Version), nil
}
