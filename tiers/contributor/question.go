package contributor

import (
	"fmt"
	"strings"

	"manualslop/events"
	"manualslop/events/chars"
	"manualslop/tiers"
	"manualslop/tiers/fence"
)

// Limits of questions to a user.
const (
	// MaxQuestions limits the questions of one attempt; one more blocks the ticket.
	MaxQuestions = 5
	// MaxChoices limits the answers that a question proposes; more are left out.
	MaxChoices = 8
	// maxChoice limits one of them in bytes; a longer one is cut.
	maxChoice = 256
)

// questionOf returns the question of a reply that begins with BLOCKED:, in which a line ends with a
// question mark, and the choices: its lines that begin with a dash. said is the text after the
// word. A choice becomes text of the user who takes it, so it is one line.
func questionOf(said string) (text string, choices []string) {
	var lines []string
	asks := false
	for line := range strings.SplitSeq(said, "\n") {
		line = chars.Trim(line)
		if choice, is := strings.CutPrefix(line, "- "); is {
			if len(choices) < MaxChoices {
				choices = append(choices, tiers.Line(tiers.Clip(chars.Trim(choice), maxChoice)))
			}
			continue
		}
		line = strings.Trim(line, "*_ ")
		lines = append(lines, line)
		asks = asks || strings.HasSuffix(line, "?") || strings.HasSuffix(line, "？")
	}
	if !asks {
		return "", nil
	}
	return tiers.Clip(chars.Trim(strings.Join(lines, "\n")), MaxReason), choices
}

// askPerson asks a user the question of a reply, and reports whether it holds one. An attempt that cannot continue
// with the answer ends for good: another model would only ask again.
func (r *run) askPerson(s *State, id string, p events.ModelReplied, said string) bool {
	if s.basis.Decision(events.ActorContributor) < 3 {
		return false
	}
	text, choices := questionOf(said)
	switch {
	case text == "":
		return false
	case r.questions == MaxQuestions:
		r.end(events.ResolvedBlocked, p.Text, fmt.Sprintf("it asked %d questions, which is the limit; the next one: %s",
			MaxQuestions, text))
		r.outcome.Final = true
	case r.lastRound(s):
		r.end(events.ResolvedBlocked, p.Text, "it asked a question in its last round: "+text)
		r.outcome.Final = true
	default:
		r.say(id, p)
		r.questions++
		r.question = events.QuestionRequested{Ticket: r.ticket.ID, Attempt: r.attempt, Round: r.round, Text: text,
			Choices: choices}
		r.phase = needAnswer
	}
	return true
}

// questionAnswered continues with a user's answer, which is a note to the ticket; without an answer the run ends for
// good.
func (s *State) questionAnswered(p events.QuestionAnswered) {
	r := s.running(p.Ticket, p.Attempt)
	if r == nil || r.phase != awaitAnswer || r.round != p.Round {
		return
	}
	if p.Answer == "" {
		r.end(events.ResolvedBlocked, "", "nobody answered its question: "+r.question.Text)
		r.outcome.Final = true
		return
	}
	s.notes[p.Ticket] = append(s.notes[p.Ticket], note{by: p.By, text: p.Answer,
		question: tiers.QuestionLine(r.question.Text), fence: fence.Nonce(r.questionID, 0)})
	r.nextRound(s)
}
