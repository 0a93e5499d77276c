package mcp

import (
	"bytes"
	"encoding/json"
	"slices"

	"github.com/aymanbagabas/go-udiff"
)

// Change describes how a tool differs from the approved version. For a changed tool, Before and BeforeSchema hold
// the approved values.
type Change struct {
	Pin
	State        string          `json:"state"`
	Before       string          `json:"before,omitempty"`
	BeforeSchema json.RawMessage `json:"before_schema,omitempty"`
	Diff         string          `json:"diff,omitempty"` // of description and schema; empty for an unchanged tool
}

// maxDiff limits the difference of one tool in bytes.
const maxDiff = 16 << 10

// text returns what a user reads of a tool: its description and its schema.
func (p Pin) text() string {
	var schema bytes.Buffer
	if json.Indent(&schema, p.Schema, "", "  ") != nil {
		schema.Reset()
	}
	out := p.Description + "\n" + cleanText(schema.String()) + "\n"
	if p.Problem != "" {
		out += p.Problem + "\n"
	}
	return out
}

// diffOf returns the difference between the texts of a tool.
func diffOf(before, now string) string {
	if before == now {
		return "its name, its output schema, its annotations or a part beyond the size limits changed\n"
	}
	diff := udiff.Unified("approved", "now", before, now)
	if len(diff) > maxDiff {
		diff = clean(diff, maxDiff) + "\n[cut]\n"
	}
	return diff
}

// Approval returns the hash by which the user approves the current tools. It is the hash of the definition or, for a
// trusted server whose tools changed, of the definition and the changes. This ensures that the user approves only
// what was shown.
func (s Status) Approval(now []Pin) (string, error) {
	changes := slices.DeleteFunc(Compare(s.Pins, now), func(c Change) bool { return c.State == Unchanged })
	if !s.Trusted || len(changes) == 0 {
		return s.Hash, nil
	}
	var all []string
	for _, c := range changes {
		all = append(all, c.Name, c.State, c.SHA256)
	}
	sum, err := digest(map[string]any{"changes": all})
	return s.Hash + "-" + sum, err
}

// Compare lists the current tools and then the approved tools that are gone.
func Compare(approved, now []Pin) []Change {
	var out []Change
	for _, p := range now {
		i := slices.IndexFunc(approved, func(a Pin) bool { return a.Name == p.Name })
		switch {
		case i < 0:
			out = append(out, Change{Pin: p, State: New, Diff: diffOf("", p.text())})
		case approved[i].SHA256 != p.SHA256:
			out = append(out, Change{Pin: p, State: Changed, Before: approved[i].Description,
				BeforeSchema: approved[i].Schema, Diff: diffOf(approved[i].text(), p.text())})
		default:
			out = append(out, Change{Pin: p, State: Unchanged})
		}
	}
	for _, a := range approved {
		if !slices.ContainsFunc(now, func(p Pin) bool { return p.Name == a.Name }) {
			out = append(out, Change{Pin: a, State: Gone, Diff: diffOf(a.text(), "")})
		}
	}
	return out
}
