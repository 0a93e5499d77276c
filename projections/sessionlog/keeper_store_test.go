package sessionlog_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"manualslop/events"
	"manualslop/projections/sessionlog"
)

// shelf stores snapshots of one keeper at a time.
type shelf map[string][]byte

func (s shelf) PutSnapshot(_ context.Context, key string, v any) (err error) {
	s[key], err = json.Marshal(v)
	return err
}

func (s shelf) Snapshot(_ context.Context, key string, v any) error {
	if s[key] == nil {
		return errors.New("no such key")
	}
	return json.Unmarshal(s[key], v)
}

// countedLog counts the events that are read.
type countedLog struct {
	events.Log
	read atomic.Int64
}

func (l *countedLog) Read(ctx context.Context, f events.Filter, from, to uint64) iter.Seq2[events.Event, error] {
	return func(yield func(events.Event, error) bool) {
		for e, err := range l.Log.Read(ctx, f, from, to) {
			l.read.Add(1)
			if !yield(e, err) {
				return
			}
		}
	}
}

// keepOnce runs a keeper until it has written the registry file, and returns
// that and how many events it read.
func (h *household) keepOnce(kept shelf, build string) (registry string, read int64) {
	h.t.Helper()
	name := filepath.Join(h.dir, sessionlog.RegistryFile)
	require.NoError(h.t, os.RemoveAll(name))
	log := &countedLog{Log: h.log}
	k := &sessionlog.Keeper{Log: log, Registry: events.Catalogue(), Project: project, Dir: h.dir, Snapshots: kept,
		Build:  build,
		Encode: func(v any) ([]byte, error) { return json.MarshalIndent(v, "", " ") },
		Clock:  func() time.Time { return at(59) }, NewID: func() string { return "PRUNE" }}
	ctx, cancel := context.WithCancel(patient(h.t))
	defer cancel()
	ended := make(chan error, 1)
	go func() { ended <- k.Run(ctx, h.live) }()
	h.until("the registry is written", func() bool { return exists(name) })
	cancel()
	require.NoError(h.t, <-ended)
	raw, err := os.ReadFile(name)
	require.NoError(h.t, err)
	return string(raw), log.read.Load()
}

func TestAKeeperReadsWhatCameSinceItStored(t *testing.T) {
	t.Parallel()
	h, kept := keep(t, 9), shelf{}
	first, read := h.keepOnce(kept, "b1")
	require.EqualValues(t, 18, read)
	again, read := h.keepOnce(kept, "b1")
	require.Equal(t, first, again)
	require.EqualValues(t, 1, read, "the event at which it stored")

	by := tell(t)
	by.session, by.n = "S2", 200
	star := h.add(by.event("ada", events.SessionStarred{On: true}))
	require.NoError(t, h.live.WaitFor(patient(t), star.Seq))
	want, _ := h.keepOnce(shelf{}, "b1")
	got, read := h.keepOnce(kept, "b1")
	require.Equal(t, want, got)
	require.NotEqual(t, first, got)
	require.EqualValues(t, 2, read)
}

func TestStoredFactsThatCannotBeUsedCostTimeOnly(t *testing.T) {
	t.Parallel()
	for name, harm := range map[string]func(kept shelf, key string) (build string){
		"missing":            func(kept shelf, key string) string { delete(kept, key); return "b1" },
		"damaged":            func(kept shelf, key string) string { kept[key] = kept[key][:20]; return "b1" },
		"without facts":      func(kept shelf, key string) string { kept[key] = withoutFacts(kept[key]); return "b1" },
		"of another program": func(shelf, string) string { return "b2" },
		"of another log": func(kept shelf, key string) string {
			kept[key] = []byte(strings.Replace(string(kept[key]), `"last_id":"`, `"last_id":"X`, 1))
			return "b1"
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h, kept := keep(t, 5), shelf{}
			first, _ := h.keepOnce(kept, "b1")
			require.Len(t, kept, 1)
			again, read := h.keepOnce(kept, harm(kept, fmt.Sprintf("folds.%s.-logs", project)))
			require.Equal(t, first, again)
			require.GreaterOrEqual(t, read, int64(10))
		})
	}
}

// withoutFacts has null in the place of the facts of every session.
func withoutFacts(stored []byte) []byte {
	var all map[string]any
	_ = json.Unmarshal(stored, &all)
	for _, s := range all["sessions"].([]any) {
		s.(map[string]any)["facts"] = nil
	}
	out, _ := json.Marshal(all)
	return out
}
