package hookgw_test

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/url"
	"reflect"
	"regexp"
	"strings"
	"testing"
	"time"
	"unicode"

	"github.com/stretchr/testify/require"

	"manualslop/hookgw"
	"manualslop/hookgw/access"
	"manualslop/hookgw/core"
	"manualslop/hookgw/request"
)

// hostile moves the cursor, renames the window, and turns the text around, in
// the bytes of a terminal.
const hostile = "x\x1b]0;y\x07\r\n\x7f\u009b2J\u202e\u2028"

// attack is a request that brings hostile text in one place.
type attack struct {
	method, path, body string
	header             string // empty: none; its value is what a header may hold
}

// attacksOn are requests of a route, one for each place that takes text.
func attacksOn(r request.Route) []attack {
	plain := regexp.MustCompile(`\{\w+\}`).ReplaceAllString(r.Pattern, "x")
	out := []attack{
		{r.Method, regexp.MustCompile(`\{\w+\}`).ReplaceAllString(r.Pattern, url.PathEscape(hostile)), bodyFor(r), ""},
		{r.Method, plain + url.PathEscape(hostile), bodyFor(r), ""},
	}
	for _, header := range []string{"Origin", "Content-Type", "Authorization", "X-Api-Key", "Last-Event-Id",
		"Sec-Fetch-Site"} {
		out = append(out, attack{r.Method, plain, bodyFor(r), header})
	}
	for _, p := range r.Query {
		out = append(out, attack{r.Method, plain + "?" + p.Name + "=" + url.QueryEscape(hostile), bodyFor(r), ""})
	}
	if r.Method != http.MethodPost {
		return out
	}
	text, _ := json.Marshal(hostile)
	for _, member := range append(membersOf(reflect.TypeOf(r.Takes)), string(text[1:len(text)-1]), "action", "item",
		"value") {
		name, _, _ := strings.Cut(strings.TrimSuffix(member, "?"), "?: ")
		name, _, _ = strings.Cut(name, ": ")
		for _, value := range []string{string(text), "[" + string(text) + "]", "{" + string(text) + ":" + string(text) +
			"}"} {
			out = append(out, attack{r.Method, plain, `{"` + name + `":` + value + `}`, ""})
		}
	}
	return out
}

// refusal is the body of the answer to an attack if it is an error. An answer
// that is none may be a feed, which does not end.
func (f *fixture) refusal(a attack) string {
	f.t.Helper()
	ctx, leave := context.WithCancel(f.t.Context())
	defer leave()
	req := f.request(a.method, a.path, access.RightHuman, a.body).WithContext(ctx)
	if a.header != "" {
		req.Header.Set(a.header, "x\u009b2J\u202e")
	}
	resp, err := f.client.Do(req)
	require.NoError(f.t, err, "%+q", a)
	defer resp.Body.Close()
	if resp.StatusCode < http.StatusBadRequest {
		return ""
	}
	body, err := io.ReadAll(resp.Body)
	require.NoError(f.t, err, "%+q", a)
	return string(body)
}

func TestNoErrorRepeatsWhatTakesOverATerminal(t *testing.T) {
	t.Parallel()
	f := contractFixture(t, func(c *core.Config) {
		c.AskTimeout, c.Limits.AskGrace = time.Millisecond, time.Millisecond // nobody answers here
	})
	seen := 0
	for _, r := range hookgw.Routes() {
		for _, a := range attacksOn(r) {
			body := f.refusal(a)
			if body == "" {
				continue
			}
			seen++
			var said map[string]any
			require.NoError(t, json.Unmarshal([]byte(body), &said), "%+q", a)
			for name, text := range said {
				text, _ := text.(string)
				at := strings.IndexFunc(text, func(c rune) bool {
					return c != '\n' && unicode.IsControl(c) || unicode.Is(unicode.Bidi_Control, c)
				})
				require.Negative(t, at, "%+q is answered with %s: %+q", a, name, text)
			}
		}
	}
	require.Greater(t, seen, 5*len(hookgw.Routes()))
}
