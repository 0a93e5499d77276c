package llm

import (
	"bytes"
	"encoding/json"
	"strings"
)

// PlainJSON is JSON as adapters send it: '<', '>' and '&' of code stay what
// they are, and no line end comes after it. What is not a JSON is an [*Error]
// of the kind invalid_request.
func PlainJSON(v any) ([]byte, error) {
	var out bytes.Buffer
	e := json.NewEncoder(&out)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return nil, Unsendable("the request is not JSON: %v", err)
	}
	return bytes.TrimSuffix(out.Bytes(), []byte("\n")), nil
}

// PlainName returns the name of a tool or a call as a vendor takes it: at most
// the given number of bytes of ASCII letters, digits, '_', '-' and the
// characters of also. Only names that a model made up are changed by this.
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
