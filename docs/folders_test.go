package docs_test

import (
	"regexp"
	"testing"
)

// maxFiles is how many files besides tests a folder may have, so that a newcomer
// reads its list in one look. Variants of a file for systems count once.
const maxFiles = 30

func TestAFolderHasFewFiles(t *testing.T) {
	t.Parallel()
	system := regexp.MustCompile(`_(linux|darwin|windows|unix|other)\.go$`)
	for _, p := range modulePackages(t) {
		names := map[string]bool{}
		for _, source := range p.sources() {
			names[system.ReplaceAllString(source, ".go")] = true
		}
		if len(names) > maxFiles {
			t.Errorf("%s has %d files, and at most %d are allowed: split it by concern", p.short(), len(names), maxFiles)
		}
	}
}
