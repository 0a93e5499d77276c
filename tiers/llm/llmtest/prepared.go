package llmtest

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// prepared is the turn with what its fault makes of its content, and an id for
// each call.
func (t Turn) prepared(v View) Turn {
	if t.At < 0 {
		t.At = -1
	}
	switch t.Fault {
	case ManyCalls:
		t.Calls = nil
		for i := range 20 {
			t.Calls = append(t.Calls, Call{Name: "read_file", Args: fmt.Sprintf(`{"path":"%d"}`, i)})
		}
	case SplitEscape:
		t.Calls = []Call{{Name: "read_file", Args: `{"path":"\u00e4\n\"\\\ud83d\ude00"}`}}
	case BrokenArgs:
		t.Calls = []Call{{Name: "read_file", Args: `{"path": not json`}}
	case UnknownTool:
		t.Calls = []Call{{Name: "no_such_tool", Args: `{}`}}
	case RepeatedIDs:
		t.Calls = []Call{{ID: "call_same", Name: "read_file", Args: `{"path":"a"}`}}
	case CutInCall:
		t.Calls = []Call{{Name: "read_file", Args: `{"path":"a"}`}, {Name: "read_file", Args: `{"path":"b`}}
	case LongText:
		t.Text = strings.Repeat("All work and no play. ", 2<<20/22+1)
	case SplitUTF8, OneByte:
		t.Text += " Grüße, 世界 \U0001F600"
	}
	calls := make([]Call, len(t.Calls))
	for i, c := range t.Calls {
		if c.ID == "" {
			c.ID = fmt.Sprintf("call_%d_%d", v.Number, i)
		}
		calls[i] = c
	}
	t.Calls = calls
	return t
}

// pieces cuts a text as a vendor streams it: a few pieces of whole characters,
// or one for each byte of an escape.
func (t Turn) pieces(text string) []string {
	size := max(1, (len(text)+2)/3)
	if t.Fault == SplitEscape {
		size = 1
	}
	if t.Fault == LongText {
		size = 16 << 10
	}
	var out []string
	from := 0
	for end := 0; end < len(text); {
		_, n := utf8.DecodeRuneInString(text[end:])
		if end += n; end-from >= size {
			out, from = append(out, text[from:end]), end
		}
	}
	if from < len(text) {
		out = append(out, text[from:])
	}
	return out
}
