package app

import (
	"bytes"
	"encoding/json"
	"regexp"
	"slices"
	"strings"
)

// keyPatterns are the shapes of well-known keys. The first group, where there
// is one, stays.
var keyPatterns = []string{
	`sk-ant-[A-Za-z0-9_-]{16,}`,
	`\bsk-[A-Za-z0-9_-]{20,}`,
	`\bgh[pousr]_[A-Za-z0-9]{20,}`,
	`\bgithub_pat_[A-Za-z0-9_]{20,}`,
	`\bAKIA[0-9A-Z]{16}\b`,
	`\bAIza[0-9A-Za-z_-]{30,}`,
	`\bxox[abprs]-[A-Za-z0-9-]{10,}`,
	`\beyJ[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{10,}`,
	`-----BEGIN [A-Z ]*PRIVATE KEY-----[A-Za-z0-9+/=\\nr\s]*-----END [A-Z ]*PRIVATE KEY-----`,
}

// masked stands where a secret was.
const masked = "[secret]"

// newMask hides the given values, and what looks like a key, in bytes that are
// about to be put on record. It is applied at one place per writer, before any
// digest is made.
func newMask(secrets []string) func([]byte) []byte {
	pairs := make([]string, 0, 2*len(secrets))
	for _, s := range secrets {
		pairs = append(pairs, s, masked)
		for _, form := range inJSON(s) {
			pairs = append(pairs, form, masked)
		}
	}
	exact := strings.NewReplacer(pairs...)
	shapes := regexp.MustCompile(strings.Join(keyPatterns, "|"))
	return func(b []byte) []byte {
		if len(secrets) > 0 {
			b = []byte(exact.Replace(string(b)))
		}
		return shapes.ReplaceAll(b, []byte(masked))
	}
}

// inJSON are the spellings of a text within JSON that differ from the text: with
// and without the escapes for HTML.
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
