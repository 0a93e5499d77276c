package replay

import (
	"bytes"
	"fmt"
	"strings"

	"manualslop/events"
)

// differences names the fields in which the recorded decision differs from the one that follows from the record,
// or returns "" if they are the same. An older version of the body is the same if it lifts to the same body.
func differences(want, got *events.Event) string {
	var out []string
	note := func(attribute, w, g string) {
		if w != g {
			out = append(out, fmt.Sprintf("%s is %q but should be %q", attribute, g, w))
		}
	}
	note("type", want.Type, got.Type)
	note("id", want.ID, got.ID)
	note("cause", want.Cause, got.Cause)
	note("project", want.Project, got.Project)
	note("session", want.Session, got.Session)
	note("topic", topic(want), topic(got))
	note("corr", want.Corr, got.Corr)
	if !want.Time.Equal(got.Time) {
		out = append(out, fmt.Sprintf("time is %s but should be %s", got.Time, want.Time))
	}
	if want.Tier != got.Tier {
		out = append(out, fmt.Sprintf("tier is %d but should be %d", got.Tier, want.Tier))
	}
	if got.V > want.V || want.Type != got.Type && got.V != want.V {
		out = append(out, fmt.Sprintf("v is %d but should be %d", got.V, want.V))
	}
	if want.Type == got.Type {
		if body := bodyDifference(want, got); body != "" {
			out = append(out, body)
		}
	}
	return strings.Join(out, "; ")
}

// bodyDifference returns the first difference between two bodies of one type.
func bodyDifference(want, got *events.Event) string {
	if got.V == want.V && bytes.Equal(want.Data, got.Data) {
		return ""
	}
	if bad, ok := got.Payload.(events.Malformed); ok {
		return "data cannot be read: " + bad.Reason + ": " + bad.Detail
	}
	w, err := events.Canonical(want.Data)
	if err != nil {
		return err.Error()
	}
	g, err := events.BodyToday(got, want.V)
	if err != nil {
		return err.Error()
	}
	if bytes.Equal(w, g) {
		return ""
	}
	return "data differs: " + around(w, g)
}

// excerpt limits the part of a body that is shown in a detail.
const excerpt = 60

// around returns excerpts of both texts that begin shortly before the first differing byte.
func around(want, got []byte) string {
	at := 0
	for at < len(want) && at < len(got) && want[at] == got[at] {
		at++
	}
	from := max(0, at-excerpt/2)
	cut := func(b []byte) string {
		return strings.ToValidUTF8(string(b[min(from, len(b)):min(from+excerpt, len(b))]), "�")
	}
	return fmt.Sprintf("from byte %d it is %q but should be %q", at, cut(got), cut(want))
}

func topic(e *events.Event) string {
	if e.Topic == "" {
		return "-"
	}
	return e.Topic
}
