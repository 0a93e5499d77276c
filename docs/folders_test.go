package docs_test

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// maxFiles is how many files besides tests a folder may have, so that a newcomer
// reads its list in one look.
const maxFiles = 30

// largeFolders have more, and must not grow: move a concern out of one before
// another file comes in.
var largeFolders = map[string]int{
	"bus": 42, "events": 56, "projections": 36, "tiers/runtime": 37,
}

func TestAFolderHasFewFiles(t *testing.T) {
	t.Parallel()
	for _, p := range modulePackages(t) {
		limit := maxFiles
		if known, ok := largeFolders[p.short()]; ok {
			require.Greater(t, known, maxFiles, "%s is no longer large; take it out of the table", p.short())
			limit = known
		}
		if n := len(p.sources()); n > limit {
			t.Errorf("%s has %d files, and at most %d are allowed: split it by concern", p.short(), n, limit)
		} else if limit > maxFiles && n < limit {
			t.Errorf("%s has %d files; lower its limit in the table to that", p.short(), n)
		}
	}
}
