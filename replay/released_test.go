package replay_test

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"manualslop/events"
)

// released are the folders of histories of each release, with the digest of all
// that is in them ([sumOf]). A release adds a line and a folder: it copies
// "unreleased" and the demos recorded for it to its version. No line ever changes.
func released() map[string]string {
	return map[string]string{
		"v0.1.0": "59fff04d0f7a8f5d111efcdbcc5d91b78d53f44f383fffab12ad2fae2a1ed227",
	}
}

// sumOf is one digest of the names and bytes of all files below a folder.
func sumOf(folder fs.FS) (string, error) {
	var lines strings.Builder
	err := fs.WalkDir(folder, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		b, err := fs.ReadFile(folder, name)
		fmt.Fprintf(&lines, "%s  %s\n", events.Digest(b), name)
		return err
	})
	return events.Digest([]byte(lines.String())), err
}

// checkReleased is an error where a folder below histories is not as it was released.
func checkReleased(histories fs.FS, released map[string]string) error {
	folders, err := fs.ReadDir(histories, ".")
	if err != nil {
		return err
	}
	missing := maps.Clone(released)
	for _, f := range folders {
		delete(missing, f.Name())
		if f.Name() == "unreleased" {
			continue
		}
		below, err := fs.Sub(histories, f.Name())
		if err != nil {
			return err
		}
		sum, err := sumOf(below)
		if err != nil {
			return err
		}
		switch want, known := released[f.Name()]; {
		case !known:
			return fmt.Errorf("histories/%s is no release that is known; its line is %q: %q", f.Name(), f.Name(), sum)
		case sum != want:
			return fmt.Errorf("histories/%s was released and may not change: its digest is %s and was %s", f.Name(), sum, want)
		}
	}
	if len(missing) > 0 {
		return fmt.Errorf("histories of releases are gone: %v", slices.Sorted(maps.Keys(missing)))
	}
	return nil
}

func TestHistoriesOfReleasesNeverChange(t *testing.T) {
	t.Parallel()
	require.NoError(t, checkReleased(os.DirFS(allHistories), released()))
}

func TestAChangedHistoryOfAReleaseIsNoticed(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	write := func(name, text string) {
		file := filepath.Join(folder, name)
		require.NoError(t, os.MkdirAll(filepath.Dir(file), 0o755))
		require.NoError(t, os.WriteFile(file, []byte(text), 0o644))
	}
	write("unreleased/good/a.jsonl", "may change")
	write("v1.0/good/a.jsonl", "a")
	write("v1.0/bad/b.jsonl", "b")
	sum, err := sumOf(os.DirFS(filepath.Join(folder, "v1.0")))
	require.NoError(t, err)
	known, check := map[string]string{"v1.0": sum}, func(known map[string]string) error {
		return checkReleased(os.DirFS(folder), known)
	}
	require.NoError(t, check(known))
	require.ErrorContains(t, check(nil), "no release that is known")
	require.ErrorContains(t, check(map[string]string{"v1.0": sum, "v0.9": sum}), "gone: [v0.9]")
	for name, change := range map[string]func(){
		"another byte": func() { write("v1.0/good/a.jsonl", "A") },
		"one more":     func() { write("v1.0/good/c.jsonl", "c") },
		"one less":     func() { require.NoError(t, os.Remove(filepath.Join(folder, "v1.0/bad/b.jsonl"))) },
		"another name": func() {
			require.NoError(t, os.Rename(filepath.Join(folder, "v1.0/bad/b.jsonl"), filepath.Join(folder, "v1.0/bad/d.jsonl")))
		},
		"another place": func() {
			require.NoError(t, os.Rename(filepath.Join(folder, "v1.0/bad/b.jsonl"), filepath.Join(folder, "v1.0/b.jsonl")))
		},
	} {
		require.NoError(t, check(known))
		change()
		require.ErrorContains(t, check(known), "was released and may not change", name)
		require.NoError(t, os.RemoveAll(filepath.Join(folder, "v1.0")))
		write("v1.0/good/a.jsonl", "a")
		write("v1.0/bad/b.jsonl", "b")
	}
}

// TestEveryHistoryOfEveryReleaseIsReplayed takes whatever stands in the folders.
func TestEveryHistoryOfEveryReleaseIsReplayed(t *testing.T) {
	t.Parallel()
	seen := 0
	require.NoError(t, fs.WalkDir(os.DirFS(allHistories), ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || path.Ext(name) != ".jsonl" {
			return err
		}
		seen++
		file, err := os.ReadFile(filepath.Join(allHistories, filepath.FromSlash(name)))
		require.NoError(t, err)
		switch path.Base(path.Dir(name)) {
		case "good":
			require.Equal(t, "verified", verdict(t, file), name)
		case "bad":
			want, err := os.ReadFile(filepath.Join(allHistories, strings.TrimSuffix(filepath.FromSlash(name), ".jsonl")+".want"))
			require.NoError(t, err)
			require.Equal(t, firstLine(string(want)), firstLine(judge(t, file)), name)
		default:
			return errors.New(name + " is neither good nor bad")
		}
		return nil
	}))
	if !*update {
		require.Greater(t, seen, 40)
	}
}
