package search

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/agnivade/levenshtein"

	"manualslop/events"
)

// Qualifier is one kind of qualifier, for help and completion.
type Qualifier struct {
	Name string // without the colon
	Doc  string // what it selects
}

// Qualifiers returns all qualifiers that a query may use.
func Qualifiers() []Qualifier {
	return []Qualifier{
		{"type", "the type of an event, such as ToolSettled"},
		{"tier", "1 to 4"},
		{"ticket", "the id of a ticket"},
		{"tool", "the name of a tool"},
		{"session", "the id of a session, or its beginning or end"},
		{"before", "a day, a time, or an age such as 2h"},
		{"after", "a day, a time, or an age such as 7d"},
	}
}

// qualified parses the value of a qualifier.
func (p *parser) qualified(from int, name string, not bool) error {
	known := slices.ContainsFunc(Qualifiers(), func(q Qualifier) bool { return q.Name == strings.ToLower(name) })
	if !known {
		return p.unknown(from, name)
	}
	if not {
		return p.wrong(from, "a qualifier cannot be excluded", "Only words can be excluded: -word.")
	}
	at := p.at
	value, _, err := p.value()
	if err != nil {
		return err
	}
	if value == "" {
		return p.wrong(at, name+": has no value", "Write it without a space: "+name+":VALUE.")
	}
	q := &p.query
	switch strings.ToLower(name) {
	case "type":
		return p.ofType(at, value)
	case "tier":
		n, err := strconv.Atoi(value)
		if err != nil || n < 1 || n > 4 {
			return p.wrong(at, fmt.Sprintf("there is no tier %q", clip(value, 40)), "Tiers are 1 to 4.")
		}
		q.tiers = append(q.tiers, n)
	case "ticket":
		q.tickets = append(q.tickets, strings.ToLower(value))
	case "tool":
		q.tools = append(q.tools, strings.ToLower(value))
	case "session":
		q.sessions = append(q.sessions, strings.ToLower(value))
	case "before":
		return p.moment(at, value, &q.before)
	case "after":
		return p.moment(at, value, &q.after)
	}
	return nil
}

func (p *parser) unknown(from int, name string) error {
	names := make([]string, 0, len(Qualifiers()))
	for _, q := range Qualifiers() {
		names = append(names, q.Name)
	}
	return p.wrong(from, fmt.Sprintf("there is no qualifier %q", clip(name, 40)),
		fmt.Sprintf("The nearest is %s:. The qualifiers are %s. To search for the text itself, put it in "+
			"quotes.", nearest(name, names),
			strings.Join(names, ", ")))
}

func (p *parser) ofType(at int, value string) error {
	var names []string
	for _, d := range events.Catalogue().Defs() {
		if strings.EqualFold(d.Type.Name, value) {
			p.query.types = append(p.query.types, d.Type.Name)
			return nil
		}
		names = append(names, d.Type.Name)
	}
	return p.wrong(at, fmt.Sprintf("there is no type %q", clip(value, 40)), "The nearest is "+nearest(value, names)+
		"; docs/events.md lists all types.")
}

// moment parses a day, a time or an age into to, which must not be set before.
func (p *parser) moment(at int, value string, to *time.Time) error {
	if !to.IsZero() {
		return p.wrong(at, "a time is given twice", "Remove one.")
	}
	for _, layout := range []string{time.DateOnly, time.RFC3339, "2006-01-02T15:04:05", "2006-01-02T15:04"} {
		if t, err := time.ParseInLocation(layout, value, p.now.Location()); err == nil {
			*to = t
			return nil
		}
	}
	if age, ok := age(value); ok {
		*to = p.now.Add(-age)
		return nil
	}
	return p.wrong(at, fmt.Sprintf("%q is not a time", clip(value, 40)), "Write 2026-01-31, 2026-01-31T15:04, or an age: "+
		"30m, 2h, 7d.")
}

// age parses ages such as 30m, 2h or 7d.
func age(value string) (time.Duration, bool) {
	units := map[string]time.Duration{"s": time.Second, "m": time.Minute, "h": time.Hour, "d": 24 * time.Hour,
		"w": 7 * 24 * time.Hour}
	if len(value) < 2 {
		return 0, false
	}
	n, err := strconv.Atoi(value[:len(value)-1])
	unit, known := units[value[len(value)-1:]]
	if err != nil || !known || n < 0 || n > 100_000 {
		return 0, false
	}
	return time.Duration(n) * unit, true
}

// maxComparedName limits the length of names that are compared, in bytes, and so the work for
// hostile input.
const maxComparedName = 64

// nearest returns the name with the smallest edit distance from word, ignoring case.
func nearest(word string, names []string) string {
	word = strings.ToLower(clip(word, maxComparedName))
	changes := func(name string) int { return levenshtein.ComputeDistance(word, strings.ToLower(name)) }
	return slices.MinFunc(names, func(a, b string) int { return changes(a) - changes(b) })
}
