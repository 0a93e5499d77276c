package site

import (
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
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

// TestAnEngineIsFoundWhateverClientsDoMeanwhile has it get the number of a killed one,
// whose lock clients find free.
func TestAnEngineIsFoundWhateverClientsDoMeanwhile(t *testing.T) {
	t.Parallel()
	data := t.TempDir()
	info := EngineInfo{PID: os.Getpid(), Hooks: "http://127.0.0.1:1"}
	remove, err := WriteRunFile(data, info)
	require.NoError(t, err)
	said, err := os.ReadFile(runFile(data))
	require.NoError(t, err)
	remove()
	var over atomic.Bool
	var clients sync.WaitGroup
	defer clients.Wait()
	defer over.Store(true)
	for range 4 {
		clients.Go(func() {
			for !over.Load() {
				_, _ = FindEngine(data)
			}
		})
	}
	for range 200 {
		require.NoError(t, os.WriteFile(lifeLock(data, info.PID).Path(), nil, 0o600))
		require.NoError(t, os.WriteFile(runFile(data), said, 0o600))
		remove, err := WriteRunFile(data, info)
		require.NoError(t, err)
		_, err = FindEngine(data)
		require.NoError(t, err)
		remove()
	}
}

func TestTheLockOfAKilledEngineIsRemovedByTheNextOne(t *testing.T) {
	t.Parallel()
	data := t.TempDir()
	killed := EngineInfo{PID: os.Getpid() + 1}
	_, err := WriteRunFile(data, killed)
	require.NoError(t, err)
	remove, err := WriteRunFile(data, EngineInfo{PID: os.Getpid()})
	require.NoError(t, err)
	require.NoFileExists(t, lifeLock(data, killed.PID).Path())
	remove()
	left, err := os.ReadDir(data)
	require.NoError(t, err)
	require.Empty(t, left)
}

func TestAnEngineThatEndsLeavesAnothersRunFile(t *testing.T) {
	t.Parallel()
	data := t.TempDir()
	old, fresh := EngineInfo{PID: os.Getpid() + 1}, EngineInfo{PID: os.Getpid()}
	removeOld, err := WriteRunFile(data, old)
	require.NoError(t, err)
	remove, err := WriteRunFile(data, fresh)
	require.NoError(t, err)
	removeOld()
	found, err := FindEngine(data)
	require.NoError(t, err)
	require.Equal(t, fresh.PID, found.PID)
	remove()
}

func TestASecondEngineWithTheSameNumberIsAnErrorAndNoWait(t *testing.T) {
	t.Parallel()
	data, info := t.TempDir(), EngineInfo{PID: 1, Hooks: "http://127.0.0.1:1"} // as in two containers
	remove, err := WriteRunFile(data, info)
	require.NoError(t, err)
	t.Cleanup(remove)
	_, err = WriteRunFile(data, EngineInfo{PID: 1, Hooks: "http://127.0.0.1:2"})
	require.ErrorContains(t, err, "another engine with this process number")
	found, err := FindEngine(data)
	require.NoError(t, err)
	require.Equal(t, info, found)
}
