package term

import (
	"bytes"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// keyShape is the pattern of a well-known kind of key. A text without any of the marks has no such key: searching for
// the marks is hundreds of times faster than the pattern, and nearly all texts have none.
type keyShape struct {
	marks   []string
	pattern string
}

var keyShapes = []keyShape{
	{[]string{"sk-ant-"}, `sk-ant-[A-Za-z0-9_-]{16,}`},
	{[]string{"sk-"}, wordBegin + `sk-[A-Za-z0-9_-]{20,}`},
	{[]string{"ghp_", "gho_", "ghu_", "ghs_", "ghr_"}, wordBegin + `gh[pousr]_[A-Za-z0-9]{20,}`},
	{[]string{"github_pat_"}, wordBegin + `github_pat_[A-Za-z0-9_]{20,}`},
	{[]string{"AKIA"}, wordBegin + `AKIA[0-9A-Z]{16}\b`},
	{[]string{"AIza"}, wordBegin + `AIza[0-9A-Za-z_-]{30,}`},
	{[]string{"xox"}, wordBegin + `xox[abprs]-[A-Za-z0-9-]{10,}`},
	{[]string{"eyJ"}, wordBegin + `eyJ[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{10,}`},
}

// wordBegin matches where a word begins, in JSON too: there the letter at the end of an escape, such as that of a line
// end, is not part of a word. The escape stays.
const wordBegin = `(?:(\\[bfnrt]|\\u[0-9A-Fa-f]{4})|\b)`

// masked replaces a secret.
const masked = "[secret]"

// NewMask returns a function that masks the given values, and anything that looks like a key, in bytes that are about
// to be recorded. Each writer applies it in one place, before any digest is computed.
func NewMask(secrets []string) func([]byte) []byte {
	pairs := make([]string, 0, 2*len(secrets))
	for _, s := range secrets {
		pairs = append(pairs, s, masked)
		for _, form := range inJSON(s) {
			pairs = append(pairs, form, masked)
		}
	}
	exact := strings.NewReplacer(pairs...)
	shapes, marks := keysIn(keyShapes)
	blocks := newKeyBlocks()
	kept := []byte(keptGroups(shapes.NumSubexp()) + masked)
	return func(b []byte) []byte {
		if len(secrets) > 0 {
			b = []byte(exact.Replace(string(b)))
		}
		b = blocks.hide(b)
		if !slices.ContainsFunc(marks, func(mark []byte) bool { return bytes.Contains(b, mark) }) {
			return b
		}
		return shapes.ReplaceAll(b, kept)
	}
}

// keysIn returns a pattern for keys of all shapes, and the marks: every text with a key contains at least one of
// them.
func keysIn(shapes []keyShape) (pattern *regexp.Regexp, marks [][]byte) {
	patterns := make([]string, len(shapes))
	for i, s := range shapes {
		patterns[i] = s.pattern
		for _, m := range s.marks {
			marks = append(marks, []byte(m))
		}
	}
	return regexp.MustCompile(strings.Join(patterns, "|")), marks
}

// keptGroups returns the template of the part of a key's match that remains: at most one of its groups is not empty.
func keptGroups(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "${%d}", i+1)
	}
	return b.String()
}

// inJSON returns the spellings of a text within JSON that differ from the text, with and without the escapes for
// HTML.
func inJSON(s string) []string {
	var out []string
	for _, html := range []bool{true, false} {
		var buf bytes.Buffer
		enc := json.NewEncoder(&buf)
		enc.SetEscapeHTML(html)
		if err := enc.Encode(s); err != nil {
			continue
		}
		form := buf.String()
		if form = form[1 : len(form)-2]; form != s && !slices.Contains(out, form) { // without quotes and the end of the line
			out = append(out, form)
		}
	}
	return out
}
