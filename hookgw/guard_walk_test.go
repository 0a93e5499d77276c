package hookgw_test

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"manualslop/events"
	"manualslop/hookgw"
	"manualslop/hookgw/access"
	"manualslop/hookgw/core"
	"manualslop/hookgw/request"
)

// The tests of this file walk the whole table, so that a new route is under
// every rule from its first day.

// tried sends a request that is not expected to be let in and gives its answer.
func (f *fixture) tried(method, path, body string, set func(*http.Request)) answer {
	f.t.Helper()
	req := f.request(method, path, access.RightHuman, body)
	if set != nil {
		set(req)
	}
	return f.send(req)
}

// bodyFor is a body that changes nothing where the route takes one.
func bodyFor(r request.Route) string {
	if r.Method == http.MethodPost {
		return `{"request_id":""}`
	}
	return ""
}

func TestEveryRouteRefusesForeignPlacesByEachHeaderAlone(t *testing.T) {
	t.Parallel()
	for _, auth := range []string{core.AuthToken, core.AuthNone} {
		f := open(t, func(c *core.Config) { c.Auth = auth })
		port := portOf(t, f)
		header := func(name, value string) func(*http.Request) {
			return func(r *http.Request) { r.Header.Set(name, value) }
		}
		host := func(name string) func(*http.Request) { return func(r *http.Request) { r.Host = name } }
		for status, changes := range map[int]map[string]func(*http.Request){
			http.StatusMisdirectedRequest: {
				"a rebound name": host("evil.test:" + port), "another port": host("127.0.0.1:1"), "no port": host("localhost"),
				"a trailing dot": host("localhost.:" + port), "upper case": host("LOCALHOST:" + port),
			},
			http.StatusForbidden: {
				"a foreign page": header("Origin", "http://evil.test"), "a page without origin": header("Origin", "null"),
				"a page on another port": header("Origin", "http://127.0.0.1:1"),
				"same-site":              header("Sec-Fetch-Site", "same-site"), "cross-site": header("Sec-Fetch-Site",
					"cross-site"),
			},
		} {
			for name, change := range changes {
				for _, r := range hookgw.Routes() {
					status2 := f.knockAs(auth, r, change)
					require.Equal(t, status, status2, "%s %s from %s with auth %s", r.Method, r.Pattern, name, auth)
				}
			}
		}
	}
}

// knockAs is knock with the person's token, where tokens are in use.
func (f *fixture) knockAs(auth string, r request.Route, set func(*http.Request)) int {
	return f.knock(r, func(req *http.Request) {
		if auth == core.AuthToken {
			req.Header.Set("Authorization", "Bearer "+f.token(access.RightHuman))
		}
		set(req)
	})
}

func TestEveryRouteTakesItsTokenAsAnAPIKeyToo(t *testing.T) {
	t.Parallel()
	f := open(t)
	for _, r := range hookgw.Routes() {
		for _, who := range []access.Right{access.RightRead, access.RightAsk, access.RightHuman} {
			status := f.knock(r, func(req *http.Request) { req.Header.Set("X-API-KEY", f.token(who)) })
			enough := r.Right == access.RightNone || r.Right == who || who == access.RightHuman
			require.NotEqual(t, http.StatusUnauthorized, status, "%s %s as %s", r.Method, r.Pattern, who)
			require.Equal(t, enough, status != http.StatusForbidden, "%s %s as %s", r.Method, r.Pattern, who)
		}
	}
}

func TestWithoutTokensEveryRouteLetsThePersonIn(t *testing.T) {
	t.Parallel()
	f := open(t, func(c *core.Config) { c.Auth = core.AuthNone })
	for _, r := range hookgw.Routes() {
		status := f.knock(r, func(*http.Request) {})
		require.NotContains(t, []int{http.StatusUnauthorized, http.StatusForbidden}, status, "%s %s", r.Method, r.Pattern)
	}
}

func TestEveryPathTakesItsMethodsAndNamesThem(t *testing.T) {
	t.Parallel()
	f := open(t)
	takes := map[string][]string{}
	for _, r := range hookgw.Routes() {
		takes[r.Pattern] = append(takes[r.Pattern], r.Method)
	}
	for path, own := range takes {
		for _, method := range append(slices.Clone(methods), http.MethodTrace, "get", "X") {
			if slices.Contains(own, method) {
				continue
			}
			a := f.tried(method, path, "", func(r *http.Request) {
				for _, name := range []string{"X-HTTP-Method-Override", "X-HTTP-Method", "X-Method-Override"} {
					r.Header.Set(name, own[0])
				}
			})
			require.Equal(t, http.StatusMethodNotAllowed, a.status, "%s %s", method, path)
			require.ElementsMatch(t, own, strings.Split(a.header.Get("Allow"), ", "), "%s %s", method, path)
		}
	}
}

func TestEveryRouteWithABodyTakesOnlyJSON(t *testing.T) {
	t.Parallel()
	f := open(t)
	for _, r := range hookgw.Routes() {
		body := bodyFor(r)
		for _, media := range []string{"", "text/plain", "application/x-www-form-urlencoded",
			"multipart/form-data; boundary=x", "application/json; charset=utf-16", "application/jsonp"} {
			a := f.tried(r.Method, r.Pattern, "{}", func(req *http.Request) { req.Header.Set("Content-Type", media) })
			require.Equal(t, http.StatusUnsupportedMediaType, a.status, "%s %s with %q", r.Method, r.Pattern, media)
		}
		if body == "" {
			continue
		}
		a := f.tried(r.Method, r.Pattern, body, func(req *http.Request) { req.Header.Set("Content-Encoding", "gzip") })
		require.Equal(t, http.StatusUnsupportedMediaType, a.status, "%s %s compressed", r.Method, r.Pattern)
		a = f.tried(r.Method, r.Pattern, "", nil)
		require.Equal(t, http.StatusUnsupportedMediaType, a.status, "%s %s empty and without a type", r.Method, r.Pattern)
	}
}

func TestEveryRouteWithABodyRefusesWhatIsNoObjectOfItsSize(t *testing.T) {
	t.Parallel()
	f := open(t, limited(func(l *request.Limits) { l.Body, l.SessionBody = 1000, 1000 }))
	bodies := map[string]int{
		`{"x":"` + strings.Repeat("x", 1001-8) + `"}`:                     http.StatusRequestEntityTooLarge,
		`{"x":` + strings.Repeat("[", 64) + strings.Repeat("]", 64) + `}`: http.StatusBadRequest,
		"{\"x\":\"\xff\"}": http.StatusBadRequest,
		`[]`:               http.StatusBadRequest,
		`"x"`:              http.StatusBadRequest,
		`null`:             http.StatusBadRequest,
		`{`:                http.StatusBadRequest,
		`{} {}`:            http.StatusBadRequest,
		`{}x`:              http.StatusBadRequest,
		`{"request_id":"a","request_id":"b","action":"pause","action":"kill"}`: http.StatusBadRequest,
	}
	before := f.last()
	for _, r := range hookgw.Routes() {
		if r.Method != http.MethodPost {
			continue
		}
		for body, status := range bodies {
			a := f.tried(r.Method, r.Pattern, body, nil)
			require.Equal(t, status, a.status, "%s %.60s", r.Pattern, body)
		}
	}
	f.stop()
	for e, err := range f.log.Read(context.Background(), events.Filter{}, before+1, 0) {
		require.NoError(t, err)
		require.Equal(t, "HookCalled", e.Type, "a refused body leaves nothing but its refusal")
	}
}

func TestEveryRouteRefusesAQueryThatCouldMeanTwoThings(t *testing.T) {
	t.Parallel()
	f := open(t)
	before := f.last()
	for _, r := range hookgw.Routes() {
		refused := func(query string) {
			a := f.tried(r.Method, r.Pattern+"?"+query, bodyFor(r), nil)
			require.Equal(t, http.StatusBadRequest, a.status, "%s %s?%s", r.Method, r.Pattern, query)
			require.NotEmpty(t, a.object(t)["hint"])
		}
		for _, query := range []string{"session=a;b", "x=1;y=2", "a=%zz", "a=%", "a=%4", "%gg=1"} {
			refused(query)
		}
		names := []string{"client"}
		for _, p := range r.Query {
			if !p.Many {
				names = append(names, p.Name)
			}
		}
		for _, name := range names {
			refused(name + "=a&" + name + "=b")
			refused(name + "=a&" + name + "=a")
			refused(name + "&x=1&" + strings.ToLower(fmt.Sprintf("%%%02X", name[0])) + name[1:] + "=")
		}
	}
	f.stop()
	for e, err := range f.log.Read(context.Background(), events.Filter{}, before+1, 0) {
		require.NoError(t, err)
		require.Equal(t, "HookCalled", e.Type, "a refused query leaves nothing but its refusal")
	}
}

func TestWhatTheQueryMayHoldBesideIsLeftAlone(t *testing.T) {
	t.Parallel()
	f := open(t)
	require.Equal(t, http.StatusOK, f.get("/status?x=1&x=2&y=%3B%25&&=&z", access.RightNone).status)
	require.Equal(t, http.StatusOK, f.get("/status?session=a&session=b", access.RightNone).status,
		"it looks into no session")
	feed, _ := f.feed("/api/stream?filter=approval.%3E&filter=gateway.EventPushed.%3E")
	require.Equal(t, "snapshot", feed.must().event)
	f.push(1)
	require.Equal(t, "EventPushed", feed.must().typ(t))
	d := f.dial(t, "/ws?channels=log&channels=asks,session")
	require.JSONEq(t, `{"channels":["log","session","asks"]}`, string(d.of("subscribed").Payload))
}

// last is the sequence of the newest event.
func (f *fixture) last() uint64 {
	f.t.Helper()
	seq, err := f.log.Last(context.Background(), events.Filter{Project: project})
	require.NoError(f.t, err)
	return seq
}

func TestEveryPathHasOneSpelling(t *testing.T) {
	t.Parallel()
	f := open(t)
	for _, r := range hookgw.Routes() {
		if strings.Contains(r.Pattern, "{") {
			continue
		}
		if r.Pattern == "/" { // has no name to spell in another way
			continue
		}
		at := strings.LastIndexByte(r.Pattern, '/')
		folder, name := r.Pattern[:at], r.Pattern[at+1:]
		for _, path := range []string{
			"/" + r.Pattern, folder + "//" + name, folder + "/./" + name, folder + "/x/../" + name, r.Pattern + "/",
			r.Pattern + ";x=1", r.Pattern + "%00", r.Pattern + "%20",
			folder + "/%2e/" + name, folder + "/" + fmt.Sprintf("%%%02x", name[0]) + name[1:], strings.ToUpper(r.Pattern),
			r.Pattern + "%2f",
		} {
			a := f.tried(r.Method, path, bodyFor(r), nil)
			require.Contains(t, []int{http.StatusNotFound, http.StatusMethodNotAllowed}, a.status, "%s %s", r.Method, path)
			require.Empty(t, a.header.Get("Location"), path)
		}
	}
	long := f.get("/status/"+strings.Repeat("x", 8<<10), access.RightHuman)
	require.Equal(t, http.StatusNotFound, long.status)
	require.Less(t, len(long.body), 1000, "the path does not come back")
	require.Equal(t, http.StatusOK, f.get("/status?x="+strings.Repeat("x", 8<<10), access.RightNone).status)
	require.Equal(t, http.StatusRequestHeaderFieldsTooLarge, f.get("/status?x="+strings.Repeat("x", 64<<10),
		access.RightNone).status)
}

func TestAReadChangesNothing(t *testing.T) {
	t.Parallel()
	f := contractFixture(t)
	cases := contractCases()
	before := f.last()
	for _, r := range hookgw.Routes() {
		if r.Method != http.MethodGet {
			continue
		}
		for _, c := range cases[r.Method+" "+r.Pattern] {
			if c.status != 0 || c.before != nil { // a refusal goes on record
				continue
			}
			if c.path == "" {
				c.path = r.Pattern
			}
			if r.Media == "text/event-stream" {
				f.opensFeed(f.request(r.Method, c.path, access.RightHuman, ""))
				continue
			}
			require.Equal(t, http.StatusOK, f.get(c.path, access.RightHuman).status, c.path)
		}
		require.Equal(t, before, f.last(), "%s changed something", r.Pattern)
	}
	f.stop()
	require.Equal(t, before, f.last())
}
