package contributor

import (
	"fmt"
	"strings"

	"manualslop/events"
	"manualslop/events/chars"
	"manualslop/tiers"
)

// MaxReminders limits how many replies in a row that neither call a tool nor end the ticket are
// answered with a reminder; one more blocks the ticket.
const MaxReminders = 2

// First words of a reply that ends the ticket.
const (
	wordDone    = "DONE"
	wordBlocked = "BLOCKED"
)

// Reminders, as the model reads them.
const (
	remindEmpty = "Your reply was empty. Go on with a tool call, or end with DONE: or BLOCKED: and your report."
	remindCall  = "You wrote a tool call as text, so nothing ran. Send it as a tool call."
	remindEnd   = "Nothing ran: your reply has no tool call and begins with neither DONE: nor BLOCKED:. " +
		"Go on with a tool call, or end with DONE: (what changed, which check ran, its result) or BLOCKED: (why)."
)

// remindTarget returns the reminder for a ticket that was reported as done without any change.
func remindTarget(target string) string {
	return "No call of yours changed a file, and the ticket is about " + tiers.Line(target) +
		". Change it now, or reply DONE: again and say why it needs no change; a review will check that."
}

// spoke folds a reply without a call: it ends the run or is answered with a reminder. An empty
// reply is not added to the conversation, because no vendor accepts one.
func (r *run) spoke(s *State, id string, p events.ModelReplied) {
	said := chars.Trim(tiers.WithoutThoughts(p.Text))
	word, rest := lastWord(said)
	switch {
	case said == "":
		r.remindOrStop(s, remindEmpty, "the model sent an empty reply")
		return
	case word != "" && r.unread(s) && !r.lastRound(s):
		r.say(id, p)
		r.nextRound(s)
		return
	case word == wordBlocked && r.askPerson(s, id, p, said[strings.Index(said, rest):]):
		return
	case word == wordBlocked:
		r.end(events.ResolvedBlocked, p.Text, rest)
		return
	}
	r.say(id, p)
	switch {
	case writtenCall(said, r.tools, word == wordDone):
		r.remindOrStop(s, remindCall, "the model wrote its tool calls as text")
	case word != wordDone:
		r.remindOrStop(s, remindEnd, "the model replied without a tool call, DONE: or BLOCKED:")
	case r.idle() && !r.asked:
		r.asked, r.reminders = true, 0
		r.remind(s, remindTarget(r.ticket.TargetFile))
	default:
		r.end(events.ResolvedDone, p.Text, "")
		r.outcome.Unchanged = r.idle()
		r.prove(p.Request)
	}
}

// idle reports whether the ticket has a target file but nothing was changed.
func (r *run) idle() bool {
	return r.ticket.TargetFile != "" && !r.moved && r.sum() == nil
}

// remind starts another round with a reminder.
func (r *run) remind(s *State, text string) {
	r.talk.Say(r.round, events.Part{Role: "user", Text: text})
	r.nextRound(s)
}

// remindOrStop sends a reminder, or gives up after too many in a row.
func (r *run) remindOrStop(s *State, text, fault string) {
	if r.reminders++; r.reminders > MaxReminders {
		r.end(events.ResolvedBlocked, "", fmt.Sprintf("%s %d times in a row", fault, r.reminders))
		return
	}
	r.remind(s, text)
}

// say adds a reply to the conversation.
func (r *run) say(id string, p events.ModelReplied) {
	r.talk.Say(r.round, events.Part{Role: "assistant", SHA256: p.SHA256, Size: int64(len(p.Text)), From: id})
}

// lastWord returns DONE or BLOCKED if the reply begins with it, and the rest of that line; empty
// if it does not. Markdown around the word is ignored, and so is its case if a colon follows it.
func lastWord(said string) (word, rest string) {
	said = strings.TrimLeft(said, "*_#> \t\r\n")
	for _, w := range []string{wordDone, wordBlocked} {
		if len(said) < len(w) || chars.Lower(said[:len(w)]) != chars.Lower(w) {
			continue
		}
		rest := said[len(w):]
		behind, colon := strings.CutPrefix(strings.TrimLeft(rest, "*_ "), ":")
		switch {
		case colon:
			rest = behind
		case said[:len(w)] != w || rest != "" && goesOn(rest[0]):
			return "", ""
		}
		rest, _, _ = strings.Cut(strings.TrimLeft(rest, "*_: \t\r\n"), "\n")
		return w, chars.Trim(rest)
	}
	return "", ""
}

// goesOn reports whether c continues a word: an ASCII letter, a digit or an underscore.
func goesOn(c byte) bool {
	return c == '_' || c >= '0' && c <= '9' || c >= 'A' && c <= 'Z' || c >= 'a' && c <= 'z'
}
