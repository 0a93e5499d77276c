package tools_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"manualslop/tools"
)

func TestFindTextKeepsTheOrderOfManyFilesInAFolder(t *testing.T) {
	t.Parallel()
	files, want := map[string]string{}, []string{"b/x"}
	for i := range 131 { // more than two batches, with a folder between them
		name := fmt.Sprintf("%c%03d", "ac"[i%2], i)
		files[name], want = "needle\n", append(want, name)
	}
	files["b/x"], files["b/y"] = "needle", "hay"
	slices.Sort(want)
	env, _ := setup(t, files)
	result := call(t, env, "find_text", args{"path": ".", "pattern": "needle", "max_results": 100})
	require.False(t, result.Failed, result.Text)
	found := data(t, result)
	require.EqualValues(t, 133, found["searched"])
	var got []string
	for _, file := range found["files"].([]any) {
		got = append(got, file.(map[string]any)["path"].(string))
	}
	require.Equal(t, want, got)
	var seen []tools.FileState
	for _, path := range want[:100] {
		seen = append(seen, tools.FileState{Path: path, SHA256: hash(files[path]), Size: int64(len(files[path]))})
	}
	require.Equal(t, seen, result.Files, "the files whose lines are shown")
}
