package transport

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"time"

	"manualslop/events"
)

// Status is a response without a success status.
type Status struct {
	Code   int
	Header http.Header
	// Body is the start of the body, at most [MaxFailure] bytes, with the key removed.
	Body []byte
	// RetryAfter is how long the server asks to wait, at most [MaxRetryAfter];
	// 0 if it did not say.
	RetryAfter time.Duration
}

// Error returns the status with the server's message.
func (s *Status) Error() string {
	text := fmt.Sprintf("the server answered %d %s", s.Code, http.StatusText(s.Code))
	if at := s.Header.Get("Location"); at != "" && s.Code/100 == 3 {
		return text + ": redirects are not followed with a key; set base_url to the address that it redirects to"
	}
	if said := s.Said(); said != "" {
		text += ": " + said
	}
	return text
}

// Said returns the server's message: error.message, message, error or detail of a JSON object,
// else the start of the body.
func (s *Status) Said() string {
	var said struct {
		Error   json.RawMessage `json:"error"`
		Message string          `json:"message"`
		Detail  json.RawMessage `json:"detail"`
	}
	if json.Unmarshal(s.Body, &said) != nil {
		return beginning(s.Body)
	}
	var inner struct {
		Message string `json:"message"`
	}
	var short string
	switch {
	case json.Unmarshal(said.Error, &inner) == nil && inner.Message != "":
		return inner.Message
	case json.Unmarshal(said.Error, &short) == nil && short != "":
		return short
	case said.Message != "":
		return said.Message
	case json.Unmarshal(said.Detail, &short) == nil && short != "":
		return short
	}
	return beginning(s.Body)
}

// beginning returns the start of a body that was not written for people, on one line.
func beginning(body []byte) string {
	const most = 300
	text := strings.Join(strings.Fields(strings.ToValidUTF8(string(body[:min(len(body), 4*most)]), "\uFFFD")), " ")
	if len(text) > most {
		text = strings.ToValidUTF8(text[:most], "") + "…"
	}
	return text
}

// Kind returns the kind of error for a status on which all vendors agree: one of the Model*
// constants of events. A redirect means that the configuration is wrong.
func Kind(code int) string {
	switch {
	case code == http.StatusUnauthorized, code == http.StatusForbidden, code == http.StatusPaymentRequired:
		return events.ModelAuth
	case code == http.StatusTooManyRequests:
		return events.ModelRateLimited
	case code == http.StatusRequestEntityTooLarge:
		return events.ModelContextTooLong
	case code == http.StatusRequestTimeout, code >= 500 && code <= 599:
		return events.ModelOverloaded
	case code == http.StatusConflict, code == http.StatusTooEarly:
		return events.ModelNetwork
	case code >= 300 && code <= 499:
		return events.ModelInvalidRequest
	}
	return events.ModelNetwork
}

// status reads an error response.
func (a *answer) status(resp *http.Response) error {
	body, _ := io.ReadAll(io.LimitReader(a.from, MaxFailure)) // report whatever could be read
	return &Status{
		Code: resp.StatusCode, Header: resp.Header, Body: []byte(a.call.secrets.Replace(string(body))),
		RetryAfter: retryAfter(resp.Header),
	}
}

// retryAfter reads Retry-After (seconds, or a date, compared with the server's own clock) and
// retry-after-ms, which some vendors send as well.
func retryAfter(h http.Header) time.Duration {
	var wait time.Duration
	text := strings.TrimSpace(h.Get("Retry-After"))
	if ms, err := strconv.ParseFloat(strings.TrimSpace(h.Get("Retry-After-Ms")), 64); err == nil {
		wait = bound(ms / 1000)
	} else if s, err := strconv.ParseFloat(text, 64); err == nil {
		wait = bound(s)
	} else if due, err := http.ParseTime(text); err == nil {
		now, err := http.ParseTime(h.Get("Date"))
		if err != nil {
			now = time.Now()
		}
		wait = bound(due.Sub(now).Seconds())
	}
	return wait
}

// bound converts seconds to a duration between 0 and the limit.
func bound(seconds float64) time.Duration {
	if !(seconds > 0) { // also rejects NaN
		return 0
	}
	return time.Duration(min(seconds, MaxRetryAfter.Seconds()) * float64(time.Second))
}
