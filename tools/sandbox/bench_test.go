//go:build linux

package sandbox_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"manualslop/tools/sandbox"
)

func BenchmarkRun(b *testing.B) {
	for b.Loop() {
		_, err := sandbox.Run(b.Context(), bash(":"))
		require.NoError(b, err)
	}
}

func BenchmarkReadFile(b *testing.B) {
	dir := b.TempDir()
	w, err := sandbox.Open(sandbox.Config{Primary: dir})
	require.NoError(b, err)
	defer w.Close()
	guard, err := w.Lock(b.Context(), "a/b/c/d.txt")
	require.NoError(b, err)
	require.NoError(b, guard.Apply(b.Context(), []sandbox.Write{{Path: "a/b/c/d.txt", After: []byte("x")}}))
	guard.Release()
	for b.Loop() {
		_, err := w.ReadFile(b.Context(), "a/b/c/d.txt")
		require.NoError(b, err)
	}
}

func BenchmarkApply(b *testing.B) {
	dir := b.TempDir()
	w, err := sandbox.Open(sandbox.Config{Primary: dir})
	require.NoError(b, err)
	defer w.Close()
	before := ""
	for b.Loop() {
		guard, err := w.Lock(b.Context(), "f")
		require.NoError(b, err)
		after := []byte("x")
		require.NoError(b, guard.Apply(b.Context(), []sandbox.Write{{Path: "f", Before: before, After: after}}))
		guard.Release()
		before = sandbox.Digest(after)
	}
}
