package request

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"time"
	"unicode/utf8"

	"manualslop/events"
	"manualslop/hookgw/problem"
)

// readBody reads a JSON object of at most limit bytes.
func (c *Call) readBody(limit int64) (json.RawMessage, *problem.Problem) {
	g, w, r := c.Core, c.Response, c.Request
	tooLarge := problem.New(http.StatusRequestEntityTooLarge, "the body is too large",
		fmt.Sprintf("Send at most %d bytes.", limit))
	if r.ContentLength > limit {
		return nil, tooLarge
	}
	// "100 Continue" must not be subject to the write deadline of the previous answer.
	if err := http.NewResponseController(w).SetWriteDeadline(time.Time{}); err != nil {
		return nil, problem.Of(err)
	}
	body, err := io.ReadAll(counting{c, http.MaxBytesReader(w, r.Body, limit)})
	var over *http.MaxBytesError
	switch {
	case errors.As(err, &over):
		return nil, tooLarge
	case errors.Is(err, errBodies):
		return nil, c.Overloaded()
	case err != nil:
		return nil, problem.New(http.StatusRequestTimeout, "the body did not arrive in time",
			"Send it whole and without pauses.").WithCause(err)
	}
	if err := ClearReadDeadline(w); err != nil {
		return nil, problem.Of(err)
	}
	if p := checkJSON(body, g.Limits.Depth); p != nil {
		return nil, p
	}
	return plain(body), nil
}

// plain replaces escapes of visible ASCII characters in valid JSON with the characters themselves, because a mask
// finds a secret only in one spelling.
func plain(text []byte) []byte {
	at := bytes.IndexByte(text, '\\')
	if at < 0 {
		return text
	}
	out := append([]byte{}, text[:at]...)
	for i := at; i < len(text); {
		switch c, size := escaped(text[i:]); {
		case size > 0:
			out, i = append(out, c), i+size
		case text[i] == '\\': // an escape that stays; what follows is part of it
			out, i = append(out, text[i], text[i+1]), i+2
		default:
			out, i = append(out, text[i]), i+1
		}
	}
	return out
}

// escaped returns the visible character that the escape at the beginning of text represents, and the length of the
// escape, or 0 if the escape must remain.
func escaped(text []byte) (c byte, size int) {
	switch {
	case text[0] != '\\':
		return 0, 0
	case text[1] == '/':
		return '/', 2
	case text[1] != 'u':
		return 0, 0
	}
	code, err := strconv.ParseUint(string(text[2:6]), 16, 16)
	if err != nil || code <= ' ' || code > '~' || code == '"' || code == '\\' {
		return 0, 0
	}
	return byte(code), 6
}

// ClearReadDeadline removes the read deadline of the request, which would otherwise end a connection on which the
// client only waits.
func ClearReadDeadline(w http.ResponseWriter) error {
	return http.NewResponseController(w).SetReadDeadline(time.Time{})
}

// checkJSON checks that body is a single JSON value in UTF-8 of limited depth.
func checkJSON(body []byte, depth int) *problem.Problem {
	switch {
	case !utf8.Valid(body):
		return problem.New(http.StatusBadRequest, "the body is not UTF-8", "Send JSON in UTF-8.")
	case events.Nesting(body) > depth:
		return problem.New(http.StatusBadRequest, "the body is nested too deeply",
			"Use at most 64 levels.")
	case !json.Valid(body):
		return problem.New(http.StatusBadRequest, "the body is not JSON", "Send exactly one JSON object.")
	}
	return nil
}

// Object splits a JSON object into its members, by exact name. It rejects an object with a repeated name, because
// readers would disagree on its meaning.
func Object(raw json.RawMessage) (map[string]json.RawMessage, bool) {
	dec := json.NewDecoder(bytes.NewReader(raw))
	if first, err := dec.Token(); err != nil || first != json.Delim('{') {
		return nil, false
	}
	members := map[string]json.RawMessage{}
	for dec.More() {
		name, _ := dec.Token()
		text, isName := name.(string)
		var value json.RawMessage
		if _, twice := members[text]; twice || !isName || dec.Decode(&value) != nil {
			return nil, false
		}
		members[text] = value
	}
	return members, true
}
