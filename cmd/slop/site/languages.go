package site

import (
	"cmp"
	"errors"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"manualslop/events"
)

// Limits of the scan of a project's files. Beyond them, the languages found so far are used.
const (
	maxLanguageFiles = 20_000
	maxLanguageTime  = 500 * time.Millisecond
)

var errSeenEnough = errors.New("seen enough")

// languages returns the languages of a project's files, beginning with the one with the most files, and whether it
// has a Beads database. Hidden folders and dependency folders are ignored.
func languages(project string) []string {
	files, seen, end := map[string]int{}, 0, time.Now().Add(maxLanguageTime)
	_ = filepath.WalkDir(project, func(path string, d fs.DirEntry, err error) error { // what cannot be read does not count
		if seen++; seen > maxLanguageFiles || time.Now().After(end) {
			return errSeenEnough
		}
		switch name := filepath.Base(path); {
		case err != nil:
			return nil
		case d.IsDir() && path != project && (strings.HasPrefix(name, ".") ||
			slices.Contains([]string{"node_modules", "vendor", "target", "venv", "dist", "build"}, name)):
			return fs.SkipDir
		case d.Type().IsRegular():
			files[events.LanguageOf(name)]++
		}
		return nil
	})
	delete(files, "")
	if files["cpp"] > 0 { // its headers have the names of C headers
		files["cpp"], files["c"] = files["cpp"]+files["c"], 0
	}
	maps.DeleteFunc(files, func(_ string, n int) bool { return n == 0 })
	out := slices.SortedFunc(maps.Keys(files), func(a, b string) int {
		return cmp.Or(files[b]-files[a],
			strings.Compare(a, b))
	})
	if info, err := os.Stat(filepath.Join(project, ".beads")); err == nil && info.IsDir() {
		out = append(out, events.LanguageBeads)
	}
	return out
}
