package term

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// planHead explains the text of a plan.
const planHead = `# The tickets of a plan. "## ID" begins a ticket. These lines may follow, up to an empty line:
#   after: IDs of tickets that must be done first, separated by commas
#   file: the file that it is about
#   check: the command that shows that it is done
# and then its description. Put a \ before a line of it that begins with ## or \.
`

// planTicket is a ticket in the payload of an ask; other members are kept.
type planTicket map[string]json.RawMessage

// planMember is a line of a ticket's head, and the member that it sets.
type planMember struct{ key, member string }

func planMembers() []planMember {
	return []planMember{{"after", "depends_on"}, {"file", "target_file"}, {"check", "check"}}
}

// PlanText returns the tickets of a plan as a text to edit.
func PlanText(args json.RawMessage) ([]byte, error) {
	_, tickets, err := planOf(args)
	if err != nil {
		return nil, err
	}
	var b strings.Builder
	b.WriteString(planHead)
	for _, t := range tickets {
		fmt.Fprintf(&b, "\n## %s\n", t.text("id"))
		for _, m := range planMembers() {
			value := t.text(m.member)
			if m.member == "depends_on" {
				value = strings.Join(t.list(m.member), ", ")
			}
			if strings.ContainsAny(value, "\r\n") {
				return nil, fmt.Errorf("%s of %s has several lines: type e json", m.member, t.text("id"))
			}
			if value != "" {
				fmt.Fprintf(&b, "%s: %s\n", m.key, value)
			}
		}
		b.WriteByte('\n')
		for line := range strings.SplitSeq(t.text("description"), "\n") {
			if strings.HasPrefix(line, "##") || strings.HasPrefix(line, `\`) {
				line = `\` + line
			}
			b.WriteString(line + "\n")
		}
	}
	return []byte(b.String()), nil
}

// PlanFrom returns the payload with the tickets of a text. Members that the text does not show are kept from the
// ticket with the same id. An error names the line.
func PlanFrom(args json.RawMessage, text []byte) (json.RawMessage, error) {
	plan, before, err := planOf(args)
	if err != nil {
		return nil, err
	}
	r := planReader{before: before}
	for i, line := range strings.Split(strings.ReplaceAll(string(text), "\r\n", "\n"), "\n") {
		if err := r.take(i+1, line); err != nil {
			return nil, fmt.Errorf("line %d: %w", i+1, err)
		}
	}
	r.end()
	if len(r.tickets) == 0 {
		return nil, errors.New(`the text has no ticket: begin one with "## ID", or type n to refuse the plan`)
	}
	for i, t := range r.tickets {
		for _, id := range t.list("depends_on") {
			if !slices.ContainsFunc(r.tickets, func(t planTicket) bool { return t.text("id") == id }) {
				return nil, fmt.Errorf("line %d: %s depends on %s, which is not in the plan", r.lines[i], t.text("id"), id)
			}
		}
	}
	plan["tickets"] = encodedAs(r.tickets)
	return json.Marshal(plan)
}

// planOf returns the payload of a plan and its tickets.
func planOf(args json.RawMessage) (plan map[string]json.RawMessage, tickets []planTicket, err error) {
	if err = json.Unmarshal(args, &plan); err == nil {
		err = json.Unmarshal(plan["tickets"], &tickets)
	}
	if err != nil {
		err = fmt.Errorf("the plan cannot be edited as a text: %w", err)
	}
	return plan, tickets, err
}

func (t planTicket) text(member string) string {
	var s string
	_ = json.Unmarshal(t[member], &s) // what does not fit is left empty
	return s
}

func (t planTicket) list(member string) []string {
	var list []string
	_ = json.Unmarshal(t[member], &list) // what does not fit is left empty
	return list
}

// planReader reads the text of a plan line by line.
type planReader struct {
	before  []planTicket
	tickets []planTicket
	lines   []int // where the tickets begin
	head    bool  // of a ticket
	about   []string
}

// take reads a line.
func (r *planReader) take(number int, line string) error {
	id, begins := strings.CutPrefix(line, "##")
	switch {
	case begins:
		return r.begin(number, strings.TrimSpace(id))
	case len(r.tickets) == 0 && (strings.HasPrefix(line, "#") || strings.TrimSpace(line) == ""):
		return nil
	case len(r.tickets) == 0:
		return errors.New(`expected "## ID", which begins a ticket`)
	case r.head && strings.TrimSpace(line) == "":
		r.head = false
		return nil
	case r.head:
		return r.member(line)
	}
	r.about = append(r.about, strings.TrimPrefix(line, `\`))
	return nil
}

// begin begins a ticket.
func (r *planReader) begin(number int, id string) error {
	if id == "" {
		return errors.New(`a ticket needs an id: "## T-001"`)
	}
	same := func(t planTicket) bool { return t.text("id") == id }
	if i := slices.IndexFunc(r.tickets, same); i >= 0 {
		return fmt.Errorf("%s is already the ticket of line %d", id, r.lines[i])
	}
	r.end()
	t := planTicket{}
	if i := slices.IndexFunc(r.before, same); i >= 0 {
		t = r.before[i]
	}
	for _, m := range planMembers() {
		delete(t, m.member)
	}
	t["id"] = encodedAs(id)
	r.tickets, r.lines, r.head, r.about = append(r.tickets, t), append(r.lines, number), true, nil
	return nil
}

// member reads a line of a ticket's head.
func (r *planReader) member(line string) error {
	key, value, _ := strings.Cut(line, ":")
	value = strings.TrimSpace(value)
	for _, m := range planMembers() {
		if m.key != strings.TrimSpace(key) {
			continue
		}
		t := r.tickets[len(r.tickets)-1]
		if m.member != "depends_on" {
			t[m.member] = encodedAs(value)
			return nil
		}
		ids := []string{}
		for id := range strings.FieldsFuncSeq(value, func(r rune) bool { return r == ',' || r == ' ' }) {
			ids = append(ids, id)
		}
		t[m.member] = encodedAs(ids)
		return nil
	}
	return fmt.Errorf("%q: expected after:, file: or check:, or an empty line before the description", line)
}

// end ends a ticket.
func (r *planReader) end() {
	if n := len(r.tickets); n > 0 {
		r.tickets[n-1]["description"] = encodedAs(strings.TrimRight(strings.Join(r.about, "\n"), "\n "))
	}
}

// encodedAs returns a value, whose encoding cannot fail, as JSON.
func encodedAs(v any) json.RawMessage {
	b, err := json.Marshal(v)
	if err != nil {
		panic("term: " + err.Error())
	}
	return b
}
