package hookgw_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/coder/websocket"
	"github.com/stretchr/testify/require"

	"manualslop/hookgw/access"
	"manualslop/hookgw/core"
)

// codeOf makes a link with a right and returns its code.
func (f *fixture) codeOf(t *testing.T, right access.Right) string {
	t.Helper()
	var link struct{ URL string }
	a := f.post("/api/console/link", right, `{}`)
	require.Equal(t, http.StatusOK, a.status, string(a.body))
	require.NoError(t, json.Unmarshal(a.body, &link))
	code, ok := strings.CutPrefix(link.URL, f.gw.URL()+"/#login=")
	require.True(t, ok, link.URL)
	return code
}

func (f *fixture) login(code string) answer {
	return f.post("/api/console/login", access.RightNone, `{"code":"`+code+`"}`)
}

// cookieOf signs in with a right and returns the cookie as a browser sends it.
func (f *fixture) cookieOf(t *testing.T, right access.Right) string {
	t.Helper()
	a := f.login(f.codeOf(t, right))
	require.Equal(t, http.StatusOK, a.status, string(a.body))
	require.JSONEq(t, `{"right":"`+string(right)+`"}`, string(a.body))
	cookie, err := http.ParseSetCookie(a.header.Get("Set-Cookie"))
	require.NoError(t, err)
	require.True(t, cookie.HttpOnly)
	require.Equal(t, http.SameSiteStrictMode, cookie.SameSite)
	require.Equal(t, "slop-"+portOf(t, f), cookie.Name)
	return cookie.Name + "=" + cookie.Value
}

// fromPage sends a request as a page of the gateway does, with changes to its headers; an empty value removes one.
func (f *fixture) fromPage(method, path, cookie, body string, changes ...string) answer {
	req := f.request(method, path, access.RightNone, body)
	req.Header.Set("Cookie", cookie)
	req.Header.Set("Sec-Fetch-Site", "same-origin")
	if method == http.MethodPost {
		req.Header.Set("Origin", f.gw.URL())
	}
	for i := 0; i < len(changes); i += 2 {
		if req.Header.Del(changes[i]); changes[i+1] != "" {
			req.Header.Set(changes[i], changes[i+1])
		}
	}
	return f.send(req)
}

func TestALinkOfTheConsoleSignsInOnceWithinAMinute(t *testing.T) {
	t.Parallel()
	clock := &settableClock{now: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)}
	f := open(t, func(c *core.Config) { c.Clock = clock.Now })
	requireProblem(t, f.login("wrong"), "this link is invalid")
	require.Equal(t, http.StatusBadRequest, f.login("").status)

	code := f.codeOf(t, access.RightHuman)
	require.Equal(t, http.StatusOK, f.login(code).status)
	requireProblem(t, f.login(code), "this link is invalid")

	code = f.codeOf(t, access.RightHuman)
	clock.now = clock.now.Add(access.LinkLife)
	requireProblem(t, f.login(code), "older than a minute")

	cookie := f.cookieOf(t, access.RightHuman)
	clock.now = clock.now.Add(access.CookieLife - 1)
	require.Equal(t, http.StatusOK, f.fromPage(http.MethodGet, "/api/inbox", cookie, "").status)
	clock.now = clock.now.Add(1)
	require.Equal(t, http.StatusUnauthorized, f.fromPage(http.MethodGet, "/api/inbox", cookie, "").status)
}

func TestOfTooManySignInsTheOldestEnd(t *testing.T) {
	t.Parallel()
	f := open(t)
	first, second := f.codeOf(t, access.RightHuman), f.codeOf(t, access.RightHuman)
	for range 15 { // 17 links in all
		f.codeOf(t, access.RightHuman)
	}
	requireProblem(t, f.login(first), "this link is invalid")
	require.Equal(t, http.StatusOK, f.login(second).status)

	oldest, next := f.cookieOf(t, access.RightHuman), ""
	for i := range 64 { // with that of second 66 cookies
		if cookie := f.cookieOf(t, access.RightHuman); i == 0 {
			next = cookie
		}
	}
	require.Equal(t, http.StatusUnauthorized, f.fromPage(http.MethodGet, "/api/inbox", oldest, "").status)
	require.Equal(t, http.StatusOK, f.fromPage(http.MethodGet, "/api/inbox", next, "").status)
}

func TestACookieHasTheRightOfTheTokenThatMadeItsLink(t *testing.T) {
	t.Parallel()
	f := open(t)
	reader, human := f.cookieOf(t, access.RightRead), f.cookieOf(t, access.RightHuman)
	const pause = "/api/mma/pipeline/pause"
	require.Equal(t, http.StatusOK, f.fromPage(http.MethodGet, "/api/inbox", reader, "").status)
	require.Equal(t, http.StatusForbidden, f.fromPage(http.MethodPost, "/api/ask/respond", reader, `{}`).status)
	require.Equal(t, http.StatusBadRequest, f.fromPage(http.MethodPost, "/api/ask/respond", human, `{}`).status)
	require.Equal(t, http.StatusForbidden, f.post("/api/console/link", access.RightAsk, `{}`).status)
	a := f.fromPage(http.MethodGet, "/api/inbox", human, "", "Authorization", "Bearer wrong")
	require.Equal(t, http.StatusUnauthorized, a.status, "a wrong token is not replaced by a cookie")

	require.Equal(t, http.StatusOK, f.fromPage(http.MethodPost, "/api/console/logout", human, `{}`).status)
	require.Equal(t, http.StatusUnauthorized, f.fromPage(http.MethodGet, "/api/inbox", human, "").status)
	require.Equal(t, http.StatusUnauthorized, f.fromPage(http.MethodPost, pause, human, `{}`).status)
}

func TestACookieCountsOnlyOnRequestsOfTheGatewaysOwnPage(t *testing.T) {
	t.Parallel()
	f, other := open(t), open(t)
	cookie := f.cookieOf(t, access.RightHuman)
	const site, origin = "Sec-Fetch-Site", "Origin"
	for name, changes := range map[string][]string{
		"typed into the address": {site, "none"}, "no page": {site, ""}, "another site": {site, "cross-site"},
		"another port": {site, "same-site"}, "a foreign origin": {origin, "http://evil.test"},
		"an origin at another port": {origin, other.gw.URL()},
	} {
		for _, method := range []string{http.MethodGet, http.MethodPost} {
			path, body := "/api/inbox", ""
			if method == http.MethodPost {
				path, body = "/api/goal", `{"goal":"steal"}`
			}
			a := f.fromPage(method, path, cookie, body, changes...)
			require.Contains(t, []int{http.StatusUnauthorized, http.StatusForbidden}, a.status, "%s, %s", method, name)
		}
	}
	a := f.fromPage(http.MethodPost, "/api/goal", cookie, `{"goal":"steal"}`, origin, "")
	require.Equal(t, http.StatusUnauthorized, a.status, "a POST names its origin")
	a = f.fromPage(http.MethodGet, "/ws", cookie, "", "Upgrade", "websocket", "Connection", "Upgrade")
	require.Equal(t, http.StatusUnauthorized, a.status, "and so does a WebSocket")

	a = other.fromPage(http.MethodGet, "/api/inbox", cookie, "")
	require.Equal(t, http.StatusUnauthorized, a.status, "the cookie of one listener is nothing to another")
	renamed := strings.Replace(cookie, portOf(t, f), portOf(t, other), 1)
	require.Equal(t, http.StatusUnauthorized, other.fromPage(http.MethodGet, "/api/inbox", renamed, "").status)
}

func TestThePageLoadsNothingFromElsewhereAndIsNeverFramed(t *testing.T) {
	t.Parallel()
	f := open(t)
	for _, path := range []string{"/", access.Entrance, "/console/app.js", "/console/app.css"} {
		a := f.get(path, access.RightNone)
		require.Equal(t, http.StatusOK, a.status)
		policy := a.header.Get("Content-Security-Policy")
		for _, part := range []string{"default-src 'none'", "script-src 'self'", "connect-src 'self'", "base-uri 'none'",
			"frame-ancestors 'none'", "form-action 'none'", "require-trusted-types-for 'script'", "trusted-types 'none'"} {
			require.Contains(t, policy, part)
		}
		require.NotContains(t, policy, "unsafe")
		require.Equal(t, "DENY", a.header.Get("X-Frame-Options"))
	}
}

func TestTheInboxIsSentAgainOnlyWhenItChanged(t *testing.T) {
	t.Parallel()
	f := open(t)
	f.approve()
	f.raise("a1", "tool")
	first := f.get("/api/inbox", access.RightRead)
	require.Contains(t, string(first.body), `"request_id":"a1"`)
	again := func(tag string) answer {
		req := f.request(http.MethodGet, "/api/inbox", access.RightRead, "")
		req.Header.Set("If-None-Match", tag)
		return f.send(req)
	}
	same := again(first.header.Get("ETag"))
	require.Equal(t, http.StatusNotModified, same.status)
	require.Empty(t, same.body)
	f.raise("a2", "tool")
	require.Equal(t, http.StatusOK, again(first.header.Get("ETag")).status)
}

func TestAnOpenSocketEndsWithTheSignIn(t *testing.T) {
	t.Parallel()
	clock := &settableClock{now: time.Now()}
	f := open(t, func(c *core.Config) { c.Clock = clock.Now })
	socket := func(cookie string) *dialing {
		conn, _, err := websocket.Dial(t.Context(), f.gw.URL()+"/ws", &websocket.DialOptions{HTTPClient: f.client,
			HTTPHeader: http.Header{"Cookie": {cookie}, "Origin": {f.gw.URL()}, "Sec-Fetch-Site": {"same-origin"}}})
		require.NoError(t, err)
		t.Cleanup(func() { _ = conn.CloseNow() })
		return &dialing{t, conn}
	}
	out, late := f.cookieOf(t, access.RightRead), f.cookieOf(t, access.RightRead)
	signedOut, expired := socket(out), socket(late)
	require.Equal(t, http.StatusOK, f.fromPage(http.MethodPost, "/api/console/logout", out, `{}`).status)
	require.Contains(t, string(signedOut.of("disconnected").Payload), "the sign-in has ended")
	clock.advance(access.CookieLife)
	require.Contains(t, string(expired.of("disconnected").Payload), "the sign-in has ended")
}

func TestAPersonEndsTheSignInsOfOtherBrowsers(t *testing.T) {
	t.Parallel()
	f := open(t)
	reader, human := f.cookieOf(t, access.RightRead), f.cookieOf(t, access.RightHuman)
	const list, out = "/api/console/signins", "/api/console/signout"
	require.Equal(t, http.StatusForbidden, f.fromPage(http.MethodGet, list, reader, "").status)
	require.Equal(t, http.StatusForbidden, f.fromPage(http.MethodPost, out, reader, `{"id":"x"}`).status)
	var got struct{ SignIns []access.SignIn }
	require.NoError(t, json.Unmarshal(f.fromPage(http.MethodGet, list, human, "").body, &got))
	require.Len(t, got.SignIns, 2)
	for _, in := range got.SignIns {
		require.Equal(t, in.Right == string(access.RightHuman), in.Own)
		require.NotContains(t, reader+human, in.ID, "an id signs nobody in")
		if !in.Own {
			body := `{"id":"` + in.ID + `"}`
			require.Equal(t, http.StatusOK, f.fromPage(http.MethodPost, out, human, body).status)
			require.Equal(t, http.StatusNotFound, f.fromPage(http.MethodPost, out, human, body).status)
		}
	}
	require.Equal(t, http.StatusUnauthorized, f.fromPage(http.MethodGet, "/api/inbox", reader, "").status)
	require.Equal(t, http.StatusOK, f.fromPage(http.MethodGet, "/api/inbox", human, "").status)
}
