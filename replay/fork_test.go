package replay_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"manualslop/events"
	"manualslop/projections"
	"manualslop/replay"
)

func TestUntilCutsAfterTheSequence(t *testing.T) {
	t.Parallel()
	history := play(2, scenarioNamed("plain")) // every third sequence
	for i, e := range history {
		require.Len(t, replay.Until(history, e.Seq), i+1)
		require.Len(t, replay.Until(history, e.Seq-1), i)
		require.Len(t, replay.Until(history, e.Seq+1), i+1, "a sequence of another session")
	}
	require.Empty(t, replay.Until(history, 0))
	require.Len(t, replay.Until(history, 1<<63), len(history))
	short := replay.Until(history, history[2].Seq)
	_ = append(short, events.Event{ID: "x"})
	require.NotEqual(t, "x", history[3].ID, "appending to the prefix leaves the history alone")
}

func TestRebuildIsTheFoldOfEveryPrefix(t *testing.T) {
	t.Parallel()
	history := play(2, scenarioNamed("failing"))
	set := projections.NewSet()
	for i := range history {
		set.Apply(&history[i])
		if i%10 == 0 || i == len(history)-1 {
			prefix := replay.Until(history, history[i].Seq)
			for j := range prefix {
				if j%2 == 0 {
					prefix[j].Payload = nil
				}
			}
			require.Equal(t, set.Digest(), replay.Rebuild(prefix).Digest())
			require.Equal(t, set.Sum(), replay.Rebuild(prefix).Sum())
		}
	}
}

func TestAForkGoesOnFromEveryPlace(t *testing.T) {
	t.Parallel()
	history := play(2, scenarioNamed("gated"))
	branch := replay.Branch{Session: "01FORK", Folder: "20260102_030405_fork", Label: "fork"}
	for i, e := range history {
		fork, err := replay.Fork(history, e.Seq, branch)
		require.NoError(t, err)
		require.Len(t, fork, i+1)
		opened, ok := fork[0].Payload.(events.SessionOpened)
		require.True(t, ok)
		require.Equal(t, branch.Folder, opened.Folder)
		for j := range fork {
			require.Equal(t, branch.Session, fork[j].Session)
			require.Zero(t, fork[j].Seq)
			fork[j].Seq, fork[j].Payload = uint64(1000+j), nil // as a log stores it
		}
		whole, wholeErr := replay.Verify(history[:i+1], replay.Deciders()...)
		report, err := replay.Verify(fork, replay.Deciders()...)
		if wholeErr == nil {
			require.NoError(t, err)
			continue
		}
		requireCode(t, replay.CodeOwed, err)
		require.Len(t, report.Owed, len(whole.Owed), "a fork owes what the session owed there")
		for j := range report.Owed {
			require.Equal(t, whole.Owed[j].ID, report.Owed[j].ID)
		}
	}
	require.NotEqual(t, branch.Session, history[0].Session, "the session itself is untouched")
}

func TestAForkNeedsASessionAndABeginningOfItsOwn(t *testing.T) {
	t.Parallel()
	history := play(2, scenarioNamed("plain"))
	good := replay.Branch{Session: "01FORK", Folder: "f"}
	for name, fork := range map[string]func() error{
		"nothing before it": func() error { _, err := replay.Fork(history, 0, good); return err },
		"no history":        func() error { _, err := replay.Fork(nil, 5, good); return err },
		"no beginning":      func() error { _, err := replay.Fork(history[1:], 99, good); return err },
		"the same session": func() error {
			_, err := replay.Fork(history, 99, replay.Branch{Session: history[0].Session, Folder: "f"})
			return err
		},
		"no session": func() error { _, err := replay.Fork(history, 99, replay.Branch{Folder: "f"}); return err },
		"no token": func() error {
			_, err := replay.Fork(history, 99, replay.Branch{Session: "a.b", Folder: "f"})
			return err
		},
		"no folder": func() error { _, err := replay.Fork(history, 99, replay.Branch{Session: "01FORK"}); return err },
	} {
		require.ErrorIs(t, fork(), replay.ErrFork, name)
	}
}
