package llm

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"manualslop/events"
)

// settled is an outcome whose JSON has so many bytes.
func settled(id string, seq uint64, size int) *events.Event {
	return &events.Event{ID: id, Seq: seq, Data: make([]byte, size), Payload: events.ToolSettled{Text: "text of " + id}}
}

func TestForgottenOutcomesAreReadAgain(t *testing.T) {
	t.Parallel()
	var asked []uint64
	stored := settled("E1", 1, 0)
	var broken error
	r := &Record{recent: recent{again: func(seq uint64) (*events.Event, error) {
		asked = append(asked, seq)
		return stored, broken
	}}}
	text := func(id string) (string, error) {
		got, _, _, err := r.Resolve(nil)(events.Part{From: id})
		return got, err
	}
	r.Take(settled("E1", 1, MaxRecent-1))
	r.Take(settled("E2", 2, 1))
	got, err := text("E1")
	require.NoError(t, err)
	require.Equal(t, "text of E1", got)
	require.Empty(t, asked, "the limit is not passed")
	r.Take(settled("E3", 3, 1))
	r.Take(settled("E1", 4, 0)) // what was told twice counts as it was told first
	for _, id := range []string{"E1", "E2", "E3"} {
		got, err = text(id)
		require.NoError(t, err)
		require.Equal(t, "text of "+id, got)
	}
	require.Equal(t, []uint64{1}, asked)
	stored = settled("another", 1, 0)
	_, err = text("E1")
	require.ErrorContains(t, err, "another")
	broken = errors.New("the disk is gone")
	_, err = text("E1")
	require.ErrorIs(t, err, broken)
	_, err = text("E9")
	require.Error(t, err)
}

func TestOutcomesThatCannotBeReadAgainAreKept(t *testing.T) {
	t.Parallel()
	r := &Record{}
	for seq := range uint64(3) {
		r.Take(settled("E"+string(rune('0'+seq)), seq, MaxRecent))
	}
	got, _, _, err := r.Resolve(nil)(events.Part{From: "E0"})
	require.NoError(t, err)
	require.Equal(t, "text of E0", got)
}
