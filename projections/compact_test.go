package projections_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"manualslop/events"
	"manualslop/projections"
)

// talked is a session with entries one to four, of which the first two are to be summarised.
func talked(t *testing.T) (s *story, turn string, ids []string) {
	t.Helper()
	s = opened(t, events.Settings{})
	for _, text := range []string{"one", "two", "three", "four"} {
		ids = append(ids, s.by("ada", says(text)))
	}
	entries, _ := s.set.TurnEntries("main")
	asked := s.by("ada", events.TurnRequested{Discussion: "main", Text: "the names", Compact: true, Entries: entries[:2]})
	return s, events.TurnTicket(asked), ids
}

// summarises has the model reply.
func (s *story) summarises(turn, text string) (reply string) {
	request := s.by(events.ActorContributor, events.ModelRequested{Ticket: turn, TicketAttempt: 1, Tier: 3, Provider: "p",
		Model: "m"})
	return s.by(events.ActorModels, events.ModelReplied{Request: request, Text: text, SHA256: events.Digest([]byte(text))})
}

func (s *story) turnEnds(turn, outcome string) string {
	return s.by(events.ActorContributor, events.TurnEnded{Turn: turn, Discussion: "main", Outcome: outcome})
}

func TestASummaryBeginsATakeAndTheOldOneStaysWhole(t *testing.T) {
	t.Parallel()
	s, turn, ids := talked(t)
	s.summarises(turn, "first try")
	reply := s.summarises(turn, "They counted.")
	require.Equal(t, []string{"one", "two", "three", "four"}, contents(s, "main"), "nothing happens before the turn ends")
	s.by("ada", says("five"))
	ended := s.turnEnds(turn, events.TurnDone)
	names, active := s.names()
	require.Equal(t, []string{"main", "main_take_1"}, names)
	require.Equal(t, "main_take_1", active)
	require.Equal(t, []string{"one", "two", "three", "four", "five"}, contents(s, "main"))
	require.Equal(t, []string{"They counted.", "three", "four", "five"}, contents(s, "main_take_1"))
	sent, _ := s.set.TurnEntries("")
	require.Equal(t, events.TurnEntry{Entry: ended, Role: events.RoleSummary, From: reply,
		SHA256: events.Digest([]byte("They counted.")), Size: 13, Ticket: turn, Tier: 3}, sent[0])
	require.Equal(t, ids[2], sent[1].Entry)
	found, known := s.set.Turn(turn)
	require.True(t, known)
	require.True(t, found.Compact)
	require.Empty(t, found.Entry)

	s.turnEnds(turn, events.TurnDone)
	names, _ = s.names()
	require.Len(t, names, 2, "an end counts once")
}

func TestASummaryThatDoesNotComeChangesNothing(t *testing.T) {
	t.Parallel()
	for _, outcome := range []string{events.TurnFailed, events.TurnStopped, events.TurnRefused} {
		s, turn, _ := talked(t)
		s.summarises(turn, "half")
		request := s.by(events.ActorContributor, events.ModelRequested{Ticket: turn, TicketAttempt: 1, Tier: 3,
			Provider: "p", Model: "m"})
		s.by(events.ActorModels, events.ModelFailed{Request: request, Kind: events.ModelAuth, Message: "no"})
		s.turnEnds(turn, outcome)
		names, active := s.names()
		require.Equal(t, []string{"main"}, names)
		require.Equal(t, "main", active)
		require.Equal(t, []string{"one", "two", "three", "four"}, contents(s, "main"), outcome)
	}
}

func TestASummaryGoesToWhatItsDiscussionIsMeanwhile(t *testing.T) {
	t.Parallel()
	s, turn, ids := talked(t)
	s.by("ada", events.DiscussionChanged{Operation: events.EntryDelete, Discussion: "main", Entry: ids[1]})
	s.by("ada", events.DiscussionChanged{Operation: events.DiscussionRename, Discussion: "main", To: "first"})
	s.by("ada", events.DiscussionChanged{Operation: events.DiscussionCreate, Discussion: "other"})
	s.by("ada", events.DiscussionChanged{Operation: events.DiscussionSwitch, Discussion: "other"})
	s.summarises(turn, "They counted.")
	s.turnEnds(turn, events.TurnDone)
	_, active := s.names()
	require.Equal(t, "other", active, "a person who went on elsewhere stays there")
	require.Equal(t, []string{"They counted.", "three", "four"}, contents(s, "first_take_1"))

	s, turn, _ = talked(t)
	s.by("ada", events.DiscussionChanged{Operation: events.DiscussionCreate, Discussion: "other"})
	s.by("ada", events.DiscussionChanged{Operation: events.DiscussionDelete, Discussion: "main"})
	s.summarises(turn, "They counted.")
	s.turnEnds(turn, events.TurnDone)
	names, _ := s.names()
	require.Equal(t, []string{"other"}, names)
	require.Equal(t, []string{"the summary was dropped: its discussion was deleted"}, contents(s, "other"))
}

func TestASummaryWithoutRoomForItsTakeIsTold(t *testing.T) {
	t.Parallel()
	s, turn, _ := talked(t)
	for len(s.set.Discussions()) < projections.MaxDiscussions {
		s.by("ada", events.DiscussionChanged{Operation: events.DiscussionFork, Discussion: "main"})
	}
	s.summarises(turn, "They counted.")
	s.turnEnds(turn, events.TurnDone)
	said := contents(s, "main")
	require.Len(t, said, 5)
	require.True(t, strings.HasPrefix(said[4], "no take was made for the summary: at most"), said[4])
}

func TestATakeThatASummaryBeganIsNotReplacedByUndo(t *testing.T) {
	t.Parallel()
	for _, redo := range []bool{false, true} {
		s, turn, _ := talked(t)
		s.by("ada", events.DiscussionChanged{Operation: events.DiscussionFork, Discussion: "main"})
		if redo {
			s.moves(false) // the branch can be made again
		} else {
			s.by("ada", events.DiscussionChanged{Operation: events.DiscussionDelete, Discussion: "main_take_1"})
		}
		s.summarises(turn, "They counted.")
		s.turnEnds(turn, events.TurnDone)
		summarised := []string{"They counted.", "three", "four"}
		require.Equal(t, summarised, contents(s, "main_take_1"))
		p, _, ok := s.set.Restoring(redo)
		require.True(t, ok)
		require.Contains(t, s.set.DiscussionRefusal(s.by("ada", p)), "the name main_take_1 is taken")
		require.Equal(t, summarised, contents(s, "main_take_1"))
	}
}
