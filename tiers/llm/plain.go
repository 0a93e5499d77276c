package llm

import (
	"bytes"
	"encoding/json"
	"strings"
)

// PlainJSON returns v as JSON in the form that adapters send: '<', '>' and '&' are not escaped,
// and there is no trailing newline. It returns an [*Error] of kind invalid_request if v cannot be
// encoded.
func PlainJSON(v any) ([]byte, error) {
	var out bytes.Buffer
	e := json.NewEncoder(&out)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return nil, Unsendable("the request is not JSON: %v", err)
	}
	return bytes.TrimSuffix(out.Bytes(), []byte("\n")), nil
}

// PlainName returns the name of a tool or a call in a form that a vendor accepts: at most the
// given number of bytes of ASCII letters, digits, '_', '-' and the characters of also. It only
// changes names that a model made up.
func PlainName(name, also string, most int) string {
	plain := strings.Map(func(r rune) rune {
		switch {
		case 'a' <= r && r <= 'z', 'A' <= r && r <= 'Z', '0' <= r && r <= '9', r == '_', r == '-', strings.ContainsRune(also,
			r):
			return r
		}
		return '_'
	}, name)
	return plain[:min(len(plain), most)]
}
