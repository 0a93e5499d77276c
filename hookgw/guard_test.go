package hookgw_test

import (
	"bufio"
	"context"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"manualslop/events"
	"manualslop/hookgw"
	"manualslop/hookgw/access"
	"manualslop/hookgw/core"
	"manualslop/hookgw/request"
)

var methods = []string{
	http.MethodGet, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete, http.MethodHead,
	http.MethodOptions,
}

func TestAForeignHostIsMisdirectedOnEveryMethod(t *testing.T) {
	t.Parallel()
	f := open(t)
	port := portOf(t, f)
	for _, host := range []string{
		"evil.test:" + port, "127.0.0.1", "127.0.0.1:1", "localhost", "LOCALHOST:" + port, "localhost.:" + port,
		"127.0.0.2:" + port,
		"[::ffff:127.0.0.1]:" + port, "0.0.0.0:" + port, "127.0.0.1:" + port + ".evil.test", "127.0.0.1:0" + port,
	} {
		for _, method := range methods {
			req := f.request(method, "/status", access.RightHuman, "")
			req.Host = host
			require.Equal(t, http.StatusMisdirectedRequest, f.send(req).status, "%s with Host %s", method, host)
		}
	}
}

func TestARequestWithoutHostIsMisdirected(t *testing.T) {
	t.Parallel()
	f := open(t)
	require.Equal(t, http.StatusMisdirectedRequest, f.raw("GET /status HTTP/1.0\r\n\r\n"))
	require.Equal(t, http.StatusMisdirectedRequest,
		f.raw("GET http://evil.test/status HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"))
}

func TestTheThreeNamesOfLoopbackWithTheBoundPortPass(t *testing.T) {
	t.Parallel()
	f := open(t)
	for _, name := range []string{"127.0.0.1", "localhost", "[::1]"} {
		req := f.request(http.MethodGet, "/status", access.RightNone, "")
		req.Host = name + ":" + portOf(t, f)
		require.Equal(t, http.StatusOK, f.send(req).status, name)
	}
}

func TestAForeignOriginIsRefusedOnEveryMethod(t *testing.T) {
	t.Parallel()
	f := open(t)
	port := portOf(t, f)
	for _, origin := range []string{
		"http://evil.test", "null", "", "http://127.0.0.1:1", "http://127.0.0.1", "https://127.0.0.1:" + port,
		"http://LOCALHOST:" + port,
		"http://127.0.0.1:" + port + "/", "http://127.0.0.1:" + port + ".evil.test",
	} {
		for _, method := range methods {
			req := f.request(method, "/status", access.RightHuman, "")
			req.Header["Origin"] = []string{origin}
			require.Equal(t, http.StatusForbidden, f.send(req).status, "%s with Origin %q", method, origin)
		}
	}
}

func TestOneForeignOriginAmongOursIsRefused(t *testing.T) {
	t.Parallel()
	f := open(t)
	req := f.request(http.MethodGet, "/status", access.RightHuman, "")
	req.Header["Origin"] = []string{f.gw.URL(), "http://evil.test"}
	require.Equal(t, http.StatusForbidden, f.send(req).status)
}

func TestOurOriginPasses(t *testing.T) {
	t.Parallel()
	f := open(t)
	for _, name := range []string{"127.0.0.1", "localhost", "[::1]"} {
		req := f.request(http.MethodGet, "/status", access.RightNone, "")
		req.Header.Set("Origin", "http://"+name+":"+portOf(t, f))
		require.Equal(t, http.StatusOK, f.send(req).status, name)
	}
}

func TestACrossSiteRequestIsRefusedOnEveryMethod(t *testing.T) {
	t.Parallel()
	f := open(t)
	for _, site := range []string{"cross-site", "same-site", "", "Same-Origin", "same-origin, none", "unheard-of"} {
		for _, method := range methods {
			req := f.request(method, "/status", access.RightHuman, "")
			req.Header["Sec-Fetch-Site"] = []string{site}
			require.Equal(t, http.StatusForbidden, f.send(req).status, "%s with Sec-Fetch-Site %q", method, site)
		}
	}
	for _, site := range []string{"same-origin", "none"} {
		req := f.request(http.MethodGet, "/status", access.RightNone, "")
		req.Header.Set("Sec-Fetch-Site", site)
		require.Equal(t, http.StatusOK, f.send(req).status, site)
	}
}

func TestForeignPagesMayOnlyLeadAWindowToTheEntrance(t *testing.T) {
	t.Parallel()
	f := open(t)
	for _, c := range []struct {
		method, path, mode, dest string
		status                   int
	}{
		{http.MethodGet, access.Entrance, "navigate", "document", http.StatusOK},
		{http.MethodGet, access.Entrance, "navigate", "iframe", http.StatusForbidden},
		{http.MethodGet, access.Entrance, "no-cors", "document", http.StatusForbidden},
		{http.MethodPost, access.Entrance, "navigate", "document", http.StatusForbidden},
		{http.MethodGet, "/", "navigate", "document", http.StatusForbidden},
		{http.MethodGet, "/status", "navigate", "document", http.StatusForbidden},
	} {
		req := f.request(c.method, c.path, access.RightNone, "")
		req.Header.Set("Sec-Fetch-Site", "cross-site")
		req.Header.Set("Sec-Fetch-Mode", c.mode)
		req.Header.Set("Sec-Fetch-Dest", c.dest)
		require.Equal(t, c.status, f.send(req).status, "%+v", c)
	}
}

func TestOnlyJSONBodiesAreRead(t *testing.T) {
	t.Parallel()
	for _, auth := range []string{core.AuthToken, core.AuthNone} {
		f := open(t, func(c *core.Config) { c.Auth = auth })
		right := access.RightHuman
		if auth == core.AuthNone {
			right = access.RightNone
		}
		for _, media := range [][]string{
			nil, {""}, {"text/plain"}, {"application/x-www-form-urlencoded"}, {"multipart/form-data; boundary=x"},
			{"application/jsonp"},
			{"text/json"}, {"application/json; charset=utf-16"}, {"application/json, text/plain"},
			{"application/json", "text/plain"}, {"application/json; charset"},
		} {
			req := f.request(http.MethodPost, "/api/session", right, `{"session":{"entries":[]}}`)
			req.Header["Content-Type"] = media
			require.Equal(t, http.StatusUnsupportedMediaType, f.send(req).status, "%s: %q", auth, media)
		}
		compressed := f.request(http.MethodPost, "/api/session", right, `{"session":{"entries":[]}}`)
		compressed.Header.Set("Content-Encoding", "gzip")
		require.Equal(t, http.StatusUnsupportedMediaType, f.send(compressed).status)
		empty := f.request(http.MethodPost, "/api/ask", right, "")
		require.Equal(t, http.StatusUnsupportedMediaType, f.send(empty).status,
			"a page may send an empty POST without being asked")
		require.Empty(t, recorded[events.DiscussionChanged](f))

		req := f.request(http.MethodPost, "/api/session", right, `{"session":{"entries":[]}}`)
		req.Header.Set("Content-Type", "Application/JSON; charset=UTF-8")
		require.Equal(t, http.StatusOK, f.send(req).status)
	}
}

func TestNoAnswerGrantsOtherOriginsAnything(t *testing.T) {
	t.Parallel()
	f := open(t)
	foreign := f.request(http.MethodOptions, "/api/ask", access.RightNone, "")
	foreign.Header.Set("Origin", "http://evil.test")
	foreign.Header.Set("Access-Control-Request-Method", "POST")
	own := f.request(http.MethodGet, "/status", access.RightNone, "")
	own.Header.Set("Origin", f.gw.URL())
	for _, req := range []*http.Request{
		foreign, own, f.request(http.MethodGet, "/nowhere", access.RightNone, ""), f.request(http.MethodOptions, "/api/ask",
			access.RightHuman, ""),
	} {
		a := f.send(req)
		require.NotContains(t, a.header, "Access-Control-Allow-Origin")
		for name := range a.header {
			require.False(t, strings.HasPrefix(name, "Access-Control-"), name)
		}
		require.Equal(t, "nosniff", a.header.Get("X-Content-Type-Options"))
		require.Equal(t, "no-store", a.header.Get("Cache-Control"))
	}
}

func TestOptionsAndHeadAreServedNowhere(t *testing.T) {
	t.Parallel()
	f := open(t)
	for _, r := range hookgw.Routes() {
		for _, method := range []string{http.MethodOptions, http.MethodHead} {
			a := f.send(f.request(method, r.Pattern, access.RightHuman, ""))
			require.Equal(t, http.StatusMethodNotAllowed, a.status, "%s %s", method, r.Pattern)
			require.Contains(t, a.header.Get("Allow"), r.Method)
		}
	}
}

func TestEveryRouteDemandsItsRight(t *testing.T) {
	t.Parallel()
	f := open(t)
	covers := map[access.Right][]access.Right{
		access.RightNone: {access.RightNone, access.RightRead, access.RightAsk, access.RightHuman},
		access.RightRead: {access.RightRead, access.RightHuman}, access.RightAsk: {access.RightAsk, access.RightHuman},
		access.RightHuman: {access.RightHuman},
	}
	for _, r := range hookgw.Routes() {
		name := r.Method + " " + r.Pattern
		for _, who := range covers[access.RightNone] {
			status := f.knock(r, func(req *http.Request) {
				if who != access.RightNone {
					req.Header.Set("Authorization", "Bearer "+f.token(who))
				}
			})
			switch allowed := contains(covers[r.Right], who); {
			case allowed:
				require.NotContains(t, []int{http.StatusUnauthorized, http.StatusForbidden}, status, "%s as %s", name, who)
			case who == access.RightNone:
				require.Equal(t, http.StatusUnauthorized, status, "%s without a token", name)
			default:
				require.Equal(t, http.StatusForbidden, status, "%s as %s", name, who)
			}
		}
	}
}

func TestAWrongTokenOpensNoRoute(t *testing.T) {
	t.Parallel()
	f := open(t)
	human := f.token(access.RightHuman)
	for name, set := range map[string]func(*http.Request){
		"another token": func(r *http.Request) {
			r.Header.Set("Authorization", "Bearer "+strings.Repeat("x",
				len(human)))
		},
		"one letter changed": func(r *http.Request) { r.Header.Set("Authorization", "Bearer "+flip(human)) },
		"a prefix":           func(r *http.Request) { r.Header.Set("Authorization", "Bearer "+human[:len(human)-1]) },
		"too long":           func(r *http.Request) { r.Header.Set("Authorization", "Bearer "+human+"x") },
		"nothing":            func(r *http.Request) { r.Header.Set("Authorization", "Bearer ") },
		"another scheme":     func(r *http.Request) { r.Header.Set("Authorization", "Basic "+human) },
		"no scheme":          func(r *http.Request) { r.Header.Set("Authorization", human) },
		"two headers":        func(r *http.Request) { r.Header["Authorization"] = []string{"Bearer " + human, "Bearer x"} },
		"a cookie":           func(r *http.Request) { r.Header.Set("Cookie", "token="+human) },
		"another header":     func(r *http.Request) { r.Header.Set("X-Token", human) },
		"a wrong API key":    func(r *http.Request) { r.Header.Set("X-Api-Key", flip(human)) },
		"an API key beside": func(r *http.Request) {
			r.Header.Set("X-Api-Key", human)
			r.Header.Set("Authorization", "Bearer "+human)
		},
		"in the URL": func(r *http.Request) {
			r.URL.RawQuery = url.Values{"token": {human}, "access_token": {human}, "authorization": {"Bearer " + human}}.Encode()
		},
		"as user of the URL": func(r *http.Request) { r.SetBasicAuth("human", human) },
	} {
		for _, r := range hookgw.Routes() {
			if r.Right != access.RightNone {
				require.Equal(t, http.StatusUnauthorized, f.knock(r, set), "%s %s with %s", r.Method, r.Pattern, name)
			}
		}
	}
	require.Empty(t, recorded[events.AskPosted](f))
	require.Empty(t, recorded[events.DiscussionChanged](f))
}

func TestWithoutTokensEverybodyIsThePersonAndTheLogSaysSo(t *testing.T) {
	t.Parallel()
	f := open(t, func(c *core.Config) { c.Auth = core.AuthNone })
	require.Equal(t, http.StatusOK, f.post("/api/session", access.RightNone, `{"session":{"entries":[]}}`).status)
	require.Contains(t, f.logged.String(), "level=WARN")
	require.Contains(t, f.logged.String(), "a shell tool can approve its own calls")
	require.NoDirExists(t, f.tokens)

	req := f.request(http.MethodGet, "/api/session", access.RightNone, "")
	req.Host = "evil.test:" + portOf(t, f)
	require.Equal(t, http.StatusMisdirectedRequest, f.send(req).status)
	req = f.request(http.MethodGet, "/api/session", access.RightNone, "")
	req.Header.Set("Origin", "http://evil.test")
	require.Equal(t, http.StatusForbidden, f.send(req).status)
	req = f.request(http.MethodGet, "/api/session", access.RightNone, "")
	req.Header.Set("Sec-Fetch-Site", "same-site")
	require.Equal(t, http.StatusForbidden, f.send(req).status)
}

func TestAPathHasOneSpelling(t *testing.T) {
	t.Parallel()
	f := open(t)
	for _, path := range []string{
		"//", "//status", "/status/", "/Status", "/./status", "/api/../status", "/%73tatus", "/api%2Fsession", "/status%00",
		"/api//session", "/api/session/x",
	} {
		a := f.get(path, access.RightHuman)
		require.Equal(t, http.StatusNotFound, a.status, path)
		require.NotEmpty(t, a.object(t)["hint"])
	}
}

func TestAMethodThatAPathDoesNotTakeIsNamedWithThoseThatItTakes(t *testing.T) {
	t.Parallel()
	f := open(t)
	a := f.send(f.request(http.MethodDelete, "/api/session", access.RightHuman, ""))
	require.Equal(t, http.StatusMethodNotAllowed, a.status)
	require.Equal(t, "GET, POST", a.header.Get("Allow"))
	require.NotEmpty(t, a.object(t)["error"])
}

func TestNoHeaderOverridesTheMethod(t *testing.T) {
	t.Parallel()
	f := open(t)
	req := f.request(http.MethodGet, "/api/session", access.RightRead, "")
	req.Header.Set("X-HTTP-Method-Override", "POST")
	require.Equal(t, http.StatusOK, f.send(req).status)
}

// knock sends a request to a route, changed by set, and returns the status. The
// body is one that changes nothing where the request is let in.
func (f *fixture) knock(r request.Route, set func(*http.Request)) int {
	f.t.Helper()
	body := ""
	if r.Method == http.MethodPost {
		body = `{"request_id":""}`
	}
	ctx, cancel := context.WithCancel(f.t.Context())
	defer cancel() // a feed does not end by itself
	req := f.request(r.Method, r.Pattern, access.RightNone, body).WithContext(ctx)
	set(req)
	resp, err := f.client.Do(req)
	require.NoError(f.t, err)
	defer resp.Body.Close()
	return resp.StatusCode
}

// raw sends bytes and returns the status of the answer.
func (f *fixture) raw(text string) int {
	f.t.Helper()
	conn, err := net.Dial("tcp", strings.TrimPrefix(f.gw.URL(), "http://"))
	require.NoError(f.t, err)
	defer conn.Close()
	_, err = fmt.Fprint(conn, text)
	require.NoError(f.t, err)
	resp, err := http.ReadResponse(bufio.NewReader(conn), nil)
	require.NoError(f.t, err)
	defer resp.Body.Close()
	return resp.StatusCode
}

func portOf(t *testing.T, f *fixture) string {
	t.Helper()
	u, err := url.Parse(f.gw.URL())
	require.NoError(t, err)
	return u.Port()
}

func flip(token string) string {
	last := "A"
	if strings.HasSuffix(token, last) {
		last = "B"
	}
	return token[:len(token)-1] + last
}

func contains(list []access.Right, r access.Right) bool {
	for _, have := range list {
		if have == r {
			return true
		}
	}
	return false
}
