package site

import (
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestAnEngineLivesAsLongAsItHoldsItsLock(t *testing.T) {
	t.Parallel()
	data := t.TempDir()
	info := EngineInfo{PID: os.Getpid(), Hooks: "http://127.0.0.1:1"}
	remove, err := WriteRunFile(data, info)
	require.NoError(t, err)
	var clients sync.WaitGroup
	for range 8 {
		clients.Go(func() {
			found, err := FindEngine(data)
			if err != nil || found.PID != info.PID {
				t.Errorf("found %v, %v", found, err)
			}
		})
	}
	clients.Wait()
	said, err := os.ReadFile(filepath.Join(data, "run.json"))
	require.NoError(t, err)
	remove()
	_, err = FindEngine(data)
	require.ErrorIs(t, err, ErrNoEngine)

	require.NoError(t, os.WriteFile(filepath.Join(data, "run.json"), said, 0o600))
	_, err = FindEngine(data)
	require.ErrorIs(t, err, ErrNoEngine, "a process with the number of a dead engine is no engine")
	again, err := WriteRunFile(data, info)
	require.NoError(t, err)
	t.Cleanup(again)
	_, err = FindEngine(data)
	require.NoError(t, err)
}
