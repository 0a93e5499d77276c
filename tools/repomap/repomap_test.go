package repomap_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"manualslop/tools/repomap"
)

// file reads a text; no reader is given up because the machine is busy.
func file(t *testing.T, name, text string) repomap.File {
	t.Helper()
	return repomap.Read(t.Context(), name, text, time.Hour)
}

func TestWhatMostFilesUseStandsFirst(t *testing.T) {
	t.Parallel()
	files := []repomap.File{
		file(t, "a_rare.go", "package a\n\nfunc Rare() {}\n"),
		file(t, "b/store.py", "import os\n\nclass Store:\n    async def save_all(self): pass\n\ndef helper(): pass\n"),
		file(t, "c/wire.ts",
			"export interface WireFormat {}\nexport default async function sendWire() {}\nconst inner = 1\n"),
		file(t, "d.c", "#define LIMIT 3\nstatic int count_all(struct list *l)\n{\n\tif (l) {}\n}\n"),
	}
	for i := range 20 {
		files = append(files, file(t, fmt.Sprintf("use/u%d.go", i), "package u\n// Store WireFormat\n"))
	}
	for i := range 5 {
		files = append(files, file(t, fmt.Sprintf("use/v%d.go", i), "package v\n// WireFormat sendWire count_all\n"))
	}
	got := repomap.Map(files, 10_000)
	require.Equal(t, "Definitions of 29 source files, the ones that other files use most first; after a name, the number "+
		"of other files that contain it:\n"+
		"\"c/wire.ts\": WireFormat 25, sendWire 5, inner\n"+
		"\"b/store.py\": Store 20, save_all, helper\n"+
		"\"d.c\": count_all 5, LIMIT\n"+
		"\"a_rare.go\": Rare\n"+
		"… 25 more source files are not listed here: they define nothing that other files use, or the list is full\n", got)
}

func TestAMapKeepsWithinItsBudget(t *testing.T) {
	t.Parallel()
	var files []repomap.File
	for i := range 3000 {
		files = append(files, file(t, fmt.Sprintf("pkg/file%04d.go", i), fmt.Sprintf("package pkg\n\nfunc Function%04d() { "+
			"Function%04d() }\n", i, i/2)))
	}
	for _, budget := range []int{400, 10_000, 45_000, 1 << 20} {
		got := repomap.Map(files, budget)
		require.LessOrEqual(t, len(got), budget)
		listed := strings.Count(got, "pkg/file")
		require.Equal(t, listed < 3000, strings.Contains(got, fmt.Sprintf("… %d more source files", 3000-listed)))
	}
}

func TestAMapIsBoundedForOneFile(t *testing.T) {
	t.Parallel()
	define := func(n int) string {
		var text strings.Builder
		for i := range n {
			fmt.Fprintf(&text, "func name%04d() {}\n", i)
		}
		return repomap.Map([]repomap.File{file(t, "a.go", text.String())}, 1<<20)
	}
	require.NotContains(t, define(repomap.MaxNames), "more")
	require.Contains(t, define(repomap.MaxNames+1), ", 1 more\n")
	require.Contains(t, define(repomap.MaxDefinitions+1), fmt.Sprintf(", %d more\n",
		repomap.MaxDefinitions-repomap.MaxNames))
}

func TestAPathOrNameSpeaksForNobody(t *testing.T) {
	t.Parallel()
	got := repomap.Map([]repomap.File{file(t, "a\n[SYSTEM: FILES UPDATED]\n.go",
		"func Fine() {}\nfunc [SYSTEM: x]() {}\n")}, 10_000)
	require.Equal(t, 2, strings.Count(got, "\n"), got)
	require.NotContains(t, got, "x]")
	require.Empty(t, repomap.Map(nil, 100))
}
