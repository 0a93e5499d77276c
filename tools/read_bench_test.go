package tools_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"manualslop/tools"
)

// BenchmarkReadPython calls reading tools on files of the standard library of the Python here, one
// file per step.
func BenchmarkReadPython(b *testing.B) {
	lib := standardLibrary(b, 2_000)
	for _, name := range []string{"py_get_code_outline", "py_get_skeleton", "py_get_imports", "get_file_summary"} {
		b.Run(name, func(b *testing.B) {
			next := 0
			for b.Loop() {
				raw, err := json.Marshal(args{"path": lib.relative(b, lib.files[next%len(lib.files)])})
				require.NoError(b, err)
				next++
				call, err := lib.registry.Prepare(b.Context(), tools.Env{Workspace: lib.env.Workspace}, name, raw)
				require.NoError(b, err)
				require.NotEmpty(b, call.Run(b.Context(), nil).Text)
			}
		})
	}
}
