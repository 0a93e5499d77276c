package tools_test

import (
	"crypto/sha256"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"manualslop/tools/builtin"
)

// BenchmarkReadFile1MB compares read_file with reading the bytes, in one run: how much of the
// difference is the SHA-256, which every read has to give, is a figure of its own.
func BenchmarkReadFile1MB(b *testing.B) {
	text := strings.Repeat("a line of a file of ordinary length\n", 1<<20/36)
	env, dir := setup(b, map[string]string{"a.txt": text})
	path := filepath.Join(dir, "a.txt")
	b.Run("os.ReadFile", func(b *testing.B) {
		b.SetBytes(int64(len(text)))
		for b.Loop() {
			data, err := os.ReadFile(path)
			require.NoError(b, err)
			require.Len(b, data, len(text))
		}
	})
	b.Run("os.ReadFile and SHA-256", func(b *testing.B) {
		b.SetBytes(int64(len(text)))
		for b.Loop() {
			data, err := os.ReadFile(path)
			require.NoError(b, err)
			_ = sha256.Sum256(data)
		}
	})
	b.Run("read_file", func(b *testing.B) {
		b.SetBytes(int64(len(text)))
		registry := builtin.Tools()
		for b.Loop() {
			p, err := registry.Prepare(b.Context(), env, "read_file", []byte(`{"path":"a.txt"}`))
			require.NoError(b, err)
			require.False(b, p.Run(b.Context(), nil).Failed)
		}
	})
}

// BenchmarkFindText searches the Go files of this repository.
func BenchmarkFindText(b *testing.B) {
	env, _ := here(b)
	for name, in := range map[string]args{
		"plain":      {"path": ".", "pattern": "no such text anywhere " + "here"},
		"expression": {"path": ".", "pattern": `func \w+Nothing\(`, "regex": true},
		"many":       {"path": ".", "pattern": "require"},
	} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				require.False(b, call(b, env, "find_text", in).Failed)
			}
		})
	}
}
