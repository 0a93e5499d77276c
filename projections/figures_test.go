package projections_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"manualslop/events"
)

func TestOnlyTheTimeOfTheModelCountsAsModelSeconds(t *testing.T) {
	t.Parallel()
	s := opened(t, events.Settings{})
	due := at(s.last.Seq + 5)
	retry := s.by(events.ActorContributor, events.ModelRequested{Provider: "lab", Model: "m", Attempt: 2, NotBefore: &due})
	guarded := s.by(events.ActorContributor, events.ModelRequested{Provider: "lab", Model: "m", Guarded: true})
	for range 4 {
		s.by("ada", events.Paused{})
	}
	s.by(events.ActorModels, events.ModelReplied{Request: retry})
	require.Equal(t, due, s.last.Time.Add(-2e9), "the reply came two seconds after the end of the pause")
	s.by(events.ActorApproval, events.ModelApproved{Request: guarded})
	s.by(events.ActorModels, events.ModelReplied{Request: guarded})
	got := s.set.Figures().Models["lab/m replied"]
	require.EqualValues(t, 2, got.Count)
	require.EqualValues(t, 2000+1000, got.SumMS)
}

func TestAModelThatWasAskedHasBothOutcomes(t *testing.T) {
	t.Parallel()
	s := opened(t, events.Settings{})
	request := s.by(events.ActorContributor, events.ModelRequested{Provider: "lab", Model: "m"})
	s.by(events.ActorModels, events.ModelFailed{Request: request, Kind: events.ModelNetwork})
	models := s.set.Figures().Models
	require.Len(t, models, 2)
	require.Zero(t, models["lab/m replied"].Count)
	require.EqualValues(t, 1, models["lab/m failed"].Count)
}
