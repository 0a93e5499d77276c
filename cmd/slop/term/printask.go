package term

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"manualslop/events"
	"manualslop/tiers/lead"
)

// BriefLines is the number of payload and diff lines that a question shows before it says how to see the rest.
const BriefLines = 120

// PrintAsk shows a question: its subject, the payload as it would run, and the diff. Characters that hide or reorder
// text are made visible. It reports whether anything was left out. Multi-line arguments that the diff shows anyway do
// not count, because a call may change nothing but what the diff shows.
func (g *Terminal) PrintAsk(w io.Writer, a events.AskRaised, whole bool) (cut bool) {
	_, _ = io.WriteString(w, "\n")
	printExact(w, "── ", joined(a.Gate, a.Title, a.Ticket), "", "")
	PrintAbout(w, joined(a.Ask, a.Effect))
	if a.Note != "" {
		PrintAbout(w, a.Note)
	}
	body := AskText(a, whole || a.Diff == "")
	diff := len(body)
	if a.Diff != "" {
		body = append(body, strings.Split(strings.TrimRight(a.Diff, "\n"), "\n")...)
	}
	for i, line := range body {
		switch {
		case !whole && i == BriefLines:
			PrintAbout(w, fmt.Sprintf("… %d more lines: s shows all of it", len(body)-i))
			cut = true
		case i >= diff:
			printExact(w, askMargin, line, " ", g.diffColour(line)) // behind the sign
		default:
			PrintAbout(w, line)
		}
		if cut {
			break
		}
	}
	if a.DiffBlob != nil {
		PrintAbout(w, fmt.Sprintf("the diff has %d bytes; slop ask show %s prints it", a.DiffBlob.Size, a.Ask))
	}
	return cut
}

// askMargin is printed to the left of each line of a question; the first line begins with a rule instead.
const askMargin = "   "

// joined joins texts that are not empty by dots.
func joined(texts ...string) string {
	return strings.Join(slices.DeleteFunc(texts, func(s string) bool { return s == "" }), " · ")
}

// AskText returns the lines of what an ask is about, without its diff. Unless long is set, it replaces texts of several
// lines by their length.
func AskText(a events.AskRaised, long bool) []string {
	switch a.Gate {
	case events.GateQuestion:
		return questionOf(a.Args).lines()
	case events.GatePlan:
		return planLines(a.Args)
	}
	return PayloadText(a.Args, long)
}

// planLines returns the tickets of a plan with what they depend on, and every other member that says more than the
// usual value.
func planLines(args json.RawMessage) []string {
	plan, tickets, err := planOf(args)
	if err != nil {
		return PayloadText(args, true)
	}
	delete(plan, "tickets")
	out := PayloadText(encodedAs(plan), true)
	for _, t := range tickets {
		line := t.text("id")
		if file := t.text("target_file"); file != "" {
			line += " (" + file + ")"
		}
		if after := t.list("depends_on"); len(after) > 0 {
			line += " after " + strings.Join(after, ", ")
		}
		out = append(out, line)
		for _, text := range strings.Split(strings.TrimSpace(t.text("description")), "\n") {
			out = append(out, "  "+text)
		}
		for _, text := range PayloadText(encodedAs(t.others()), true) {
			out = append(out, "  "+text)
		}
	}
	return out
}

// others returns the members of a ticket that neither its first line nor its description shows and that have another
// value than tier 2 gives a ticket without one.
func (t planTicket) others() planTicket {
	out := maps.Clone(t)
	maps.DeleteFunc(out, func(name string, value json.RawMessage) bool {
		switch name {
		case "id", "description", "target_file":
			return json.Unmarshal(value, new(string)) == nil
		case "depends_on":
			return json.Unmarshal(value, new([]string)) == nil
		}
		none := []string{"null", `""`, "[]", "{}", "false", "0"}
		return slices.Contains(append(none, strconv.Quote(usualMembers()[name])), string(value))
	})
	return out
}

// usualMembers are the values that tier 2 gives members of a ticket.
func usualMembers() map[string]string {
	return map[string]string{"status": events.StatusTodo, "assigned_to": lead.DefaultAssignee,
		"priority": lead.DefaultPriority}
}

// question is a question of a model.
type question struct {
	Question string   `json:"question"`
	Choices  []string `json:"choices"`
}

// questionOf returns the question in an ask, or an empty one if its payload is of another kind.
func questionOf(args json.RawMessage) question {
	var q question
	_ = json.Unmarshal(args, &q) // what does not fit is left empty
	return q
}

// lines returns the question and its choices, numbered from 1.
func (q question) lines() []string {
	out := strings.Split(q.Question, "\n")
	for i, c := range q.Choices {
		out = append(out, fmt.Sprintf("  %d  %s", i+1, c))
	}
	return out
}

// AnswerTo returns the arguments that answer a question: the typed text, or the choice with that number.
func AnswerTo(args json.RawMessage, typed string) json.RawMessage {
	q := questionOf(args)
	if n, err := strconv.Atoi(typed); err == nil && n >= 1 && n <= len(q.Choices) {
		typed = q.Choices[n-1]
	}
	switch strings.ToLower(typed) {
	case "y":
		typed = events.Yes
	case "n":
		typed = events.No
	}
	b, err := json.Marshal(map[string]string{"answer": typed})
	if err != nil {
		panic("term: " + err.Error()) // strings cannot fail
	}
	return b
}

// AnswerOf returns the answer to a question of a model; empty for a no and for asks of other gates.
func AnswerOf(p events.AskSettled) string {
	var said struct {
		Answer string `json:"answer"`
	}
	if p.Gate != events.GateQuestion || p.Outcome != events.Yes || json.Unmarshal(p.Args, &said) != nil {
		return ""
	}
	return said.Answer
}

// HasChoices reports whether a question of a model proposes answers.
func HasChoices(args json.RawMessage) bool { return len(questionOf(args).Choices) > 0 }

// PayloadText returns the payload, one line per argument. Multi-line texts are printed in full, or only their length.
func PayloadText(args json.RawMessage, long bool) []string {
	var m map[string]json.RawMessage
	dec := json.NewDecoder(bytes.NewReader(args))
	if len(args) == 0 || dec.Decode(&m) != nil {
		if len(args) == 0 {
			return nil
		}
		return []string{string(args)}
	}
	var out []string
	for _, k := range slices.Sorted(maps.Keys(m)) {
		var s string
		var list []json.RawMessage
		if json.Unmarshal(m[k], &list) == nil && len(list) > 0 {
			out = append(append(out, k+":"), listText(list, long)...)
			continue
		}
		if m[k][0] == '{' && len(m[k]) > len("{}") {
			out = append(out, k+":")
			for _, line := range PayloadText(m[k], long) {
				out = append(out, "  "+line)
			}
			continue
		}
		if json.Unmarshal(m[k], &s) != nil {
			out = append(out, k+": "+string(m[k]))
			continue
		}
		lines := strings.Split(s, "\n")
		if len(lines) == 1 {
			out = append(out, k+": "+s)
			continue
		}
		if !long {
			out = append(out, fmt.Sprintf("%s: %d lines", k, strings.Count(strings.TrimSuffix(s, "\n"), "\n")+1))
			continue
		}
		out = append(out, k+":")
		for _, l := range lines {
			out = append(out, "  "+l)
		}
	}
	return out
}

// listText returns the items of a list, each after a dash.
func listText(list []json.RawMessage, long bool) []string {
	var out []string
	for _, item := range list {
		var s string
		lines := []string{string(item)}
		if json.Unmarshal(item, &s) == nil {
			lines = strings.Split(s, "\n")
		} else if item[0] == '{' && len(item) > len("{}") {
			lines = PayloadText(item, long)
		}
		for i, line := range lines {
			head := "  "
			if i == 0 {
				head = "- "
			}
			out = append(out, "  "+head+line)
		}
	}
	return out
}

// Printable returns someone else's text on one line in a form that is safe to show: line ends inside it are marked,
// and the rest is as Visible returns it.
func Printable(s string) string {
	lines := strings.Split(strings.TrimRight(s, "\r\n\t "), "\n")
	for i := range lines {
		lines[i] = Visible(strings.TrimSuffix(lines[i], "\r"))
	}
	return strings.Join(lines, " ⏎ ")
}

// Visible spells out characters that a terminal would act on or not show: controls, direction marks, zero-width
// characters, and line ends. Variation selectors are kept.
func Visible(s string) string {
	s = strings.ToValidUTF8(s, "\uFFFD")
	hidden := func(r rune) bool {
		return r != '\t' && (unicode.IsControl(r) || unicode.In(r, unicode.Cf, unicode.Other_Default_Ignorable_Code_Point) ||
			unicode.Is(unicode.Variation_Selector, r) && r != '\uFE0E' && r != '\uFE0F' || r == '\u2028' || r == '\u2029')
	}
	if strings.IndexFunc(s, hidden) < 0 {
		return s
	}
	var b strings.Builder
	for _, r := range s {
		if hidden(r) {
			fmt.Fprintf(&b, "<U+%04X>", r)
			continue
		}
		b.WriteRune(r)
	}
	return b.String()
}
