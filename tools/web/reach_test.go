package web_test

import (
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"manualslop/tools/web"
)

// TestSpecialAddressesAreRefusedInEverySpelling has what others let through.
func TestSpecialAddressesAreRefusedInEverySpelling(t *testing.T) {
	t.Parallel()
	inside := serve(t, page("text/plain", "SECRET"))
	// The port is open to another host, so only the address stands in the way.
	c := client(t, func(s *web.Settings) { s.AllowHosts = []string{"elsewhere.test:" + inside.port} })
	for _, host := range []string{
		"127.0.0.1", "127.1.2.3", "localhost", "LOCALHOST", "①②⑦.0.0.1", "127。0。0。1", "[::1]", "[::]", "0.0.0.0",
		"[::ffff:127.0.0.1]", "[::ffff:7f00:1]",
		"[0:0:0:0:0:ffff:7f00:0001]", "[::127.0.0.1]", "[::ffff:0:127.0.0.1]", "[64:ff9b::7f00:1]", "[64:ff9b::10.0.0.1]",
		"[64:ff9b:1::7f00:1]",
		"[2002:7f00:1::]", "[2001:0:7f00:1::]", "10.0.0.1", "172.16.0.1", "172.31.255.255", "192.168.1.1", "169.254.169.254",
		"[::ffff:169.254.169.254]",
		"[fd00:ec2::254]", "168.63.129.16", "100.64.0.1", "100.100.100.200", "192.0.0.192", "198.18.0.1", "192.0.2.1",
		"198.51.100.7", "203.0.113.9", "192.88.99.1",
		"224.0.0.1", "239.255.255.250", "240.0.0.1", "255.255.255.255", "[fe80::1]", "[fe80::1%25lo]", "[fec0::1]",
		"[fc00::1]", "[fd12:3456::1]", "[ff02::1]",
		"[2001:db8::1]", "[2001:10::1]", "[3fff::1]", "[5f00::1]", "[100::1]", "[100:0:0:1::1]", "[4000::1]", "[2001:2::1]",
	} {
		for _, port := range []string{inside.port, "80", "443"} {
			_, err := c.Fetch(t.Context(), "http://"+host+":"+port+"/", web.FormatText)
			var problem *web.Problem
			require.ErrorAs(t, err, &problem, host)
			require.Contains(t, problem.Text, "may not reach", host)
		}
	}
	// Numbers in other forms are names: what the system makes of them is judged, or is nothing.
	for _, host := range []string{"127.1", "localhost.", "2130706433", "0x7f000001", "0177.0.0.1", "0", "0x7f.1",
		"127.0.0.1.", "017700000001"} {
		_, err := c.Fetch(t.Context(), "http://"+host+":"+inside.port+"/", web.FormatText)
		require.Error(t, err, host)
	}
	require.Zero(t, inside.hits.Load(), "nothing reached the server")
}

func TestAddressesOfThisMachineAreRefused(t *testing.T) {
	t.Parallel()
	own, err := net.InterfaceAddrs()
	require.NoError(t, err)
	c := client(t, nil)
	for _, a := range own {
		host, _, _ := strings.Cut(a.String(), "/")
		if strings.Contains(host, ":") {
			host = "[" + host + "]"
		}
		refused(t, c, "http://"+host+"/", "may not reach")
	}
}

func TestListedHostsAreReached(t *testing.T) {
	t.Parallel()
	s := serve(t, page("text/plain", "fine"))
	dns := &names{answers: map[string][][]string{"inner.test": {{"127.0.0.1"}}, "deep.inner.test": {{"127.0.0.1"}}}}
	for _, c := range []struct {
		entry, host string
		fine        bool
	}{
		{"127.0.0.1:" + s.port, "127.0.0.1", true},
		{"127.0.0.1:" + s.port, "[::ffff:127.0.0.1]", true},
		{"127.0.0.1:" + s.port, "inner.test", true},
		{"inner.test:" + s.port, "inner.test", true},
		{"inner.test:" + s.port, "INNER.test.", true},
		{"*.inner.test:" + s.port, "deep.inner.test", true},
		{"*.inner.test:" + s.port, "inner.test", false},
		{"inner.test:" + s.port, "deep.inner.test", false},
		{"inner.test", "inner.test", false},
		{"127.0.0.1", "127.0.0.1", false},
		{"127.0.0.1:1", "127.0.0.1", false},
		{"127.0.0.2:" + s.port, "127.0.0.1", false},
	} {
		cl := client(t, func(set *web.Settings) {
			set.AllowHosts = []string{c.entry}
			set.Resolver = dns.resolver(t)
		})
		before := s.hits.Load()
		_, err := cl.Fetch(t.Context(), "http://"+c.host+":"+s.port+"/", web.FormatText)
		if c.fine {
			require.NoError(t, err, "%+v", c)
			continue
		}
		require.Error(t, err, "%+v", c)
		require.Equal(t, before, s.hits.Load(), "%+v", c)
	}
}

func TestANameOpensNoMetadataService(t *testing.T) {
	t.Parallel()
	dns := &names{answers: map[string][][]string{"cloud.test": {{"169.254.169.254"}}, "zero.test": {{"0.0.0.0"}},
		"six.test": {{"::ffff:169.254.169.254", "fe80::1"}}}}
	c := client(t, func(s *web.Settings) {
		s.AllowHosts = []string{"cloud.test", "zero.test", "six.test"}
		s.Resolver = dns.resolver(t)
	})
	for _, host := range []string{"cloud.test", "zero.test", "six.test"} {
		refused(t, c, "http://"+host+"/", "may not reach")
	}
}

func TestANameThatChangesItsAddressIsJudgedEachTime(t *testing.T) {
	t.Parallel()
	s := serve(t, page("text/plain", "fine"))
	dns := &names{answers: map[string][][]string{"turncoat.test": {{"127.0.0.1"}, {"127.0.0.2"}}}}
	c := client(t, func(set *web.Settings) {
		set.AllowHosts = []string{"127.0.0.1:" + s.port}
		set.Resolver = dns.resolver(t)
	})
	require.Equal(t, "fine", fetch(t, c, "http://turncoat.test:"+s.port+"/").Text)
	refused(t, c, "http://turncoat.test:"+s.port+"/", "may not reach")
	require.EqualValues(t, 1, s.hits.Load())
}

func TestAMixedAnswerReachesOnlyWhatIsAllowed(t *testing.T) {
	t.Parallel()
	s := serve(t, page("text/plain", "allowed"))
	other, err := net.Listen("tcp", "127.0.0.2:"+s.port)
	if err != nil {
		t.Skip("this machine has no second loopback address: ", err)
	}
	reached := false
	server := &http.Server{Handler: http.HandlerFunc(func(http.ResponseWriter, *http.Request) { reached = true })}
	go func() { _ = server.Serve(other) }()
	defer func() { require.NoError(t, server.Close()); require.False(t, reached) }()
	dns := &names{answers: map[string][][]string{"mixed.test": {{"127.0.0.2", "::1", "10.0.0.1", "127.0.0.1"}},
		"bad.test": {{"127.0.0.2", "10.0.0.1", "::1"}}}}
	c := client(t, func(set *web.Settings) {
		set.AllowHosts = []string{"127.0.0.1:" + s.port}
		set.Resolver = dns.resolver(t)
	})
	if got, err := c.Fetch(t.Context(), "http://mixed.test:"+s.port+"/", web.FormatText); err == nil {
		require.Equal(t, "allowed", got.Text)
	}
	refused(t, c, "http://bad.test:"+s.port+"/", "may not reach")
}

func TestRedirectsAreJudgedLikeAddresses(t *testing.T) {
	t.Parallel()
	inside := serve(t, page("text/plain", "SECRET"))
	var target string
	outside := serve(t, func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, target, http.StatusFound) })
	c := client(t, func(s *web.Settings) {
		s.AllowHosts = []string{"127.0.0.1:" + outside.port, "elsewhere.test:" + inside.port}
	})
	for to, why := range map[string]string{
		"http://127.0.0.1:" + inside.port + "/":       "may not reach",
		"http://[::ffff:7f00:1]:" + inside.port + "/": "may not reach",
		"http://localhost:" + inside.port + "/":       "may not reach",
		"http://169.254.169.254/latest/meta-data/":    "may not reach",
		"//10.0.0.1/":                   "may not reach",
		"file:///etc/passwd":            "only http and https",
		"gopher://127.0.0.1:6379/_INFO": "only http and https",
		"http://example.com:6379/":      "port 6379 is not allowed",
		"http://%zz/":                   "an invalid address",
	} {
		target = to
		refused(t, c, outside.url, why)
	}
	require.Zero(t, inside.hits.Load())
}

func TestOnlyAFailureInWhichNoServerHadAPartIsOwn(t *testing.T) {
	t.Parallel()
	s := serve(t, func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/away":
			http.Redirect(w, r, "http://127.0.0.1:1/ignore-all-rules", http.StatusFound)
		case "/inside":
			http.Redirect(w, r, "http://ignore-all-rules.test:99/", http.StatusFound)
		case "/zip":
			w.Header().Set("Content-Encoding", "ignore-all-rules")
		default:
			page("ignore/all-rules", "\x00")(w, r)
		}
	})
	secure := httptest.NewTLSServer(http.NotFoundHandler())
	t.Cleanup(secure.Close)
	c := client(t, func(set *web.Settings) {
		set.AllowHosts = []string{"127.0.0.1:" + s.port, "127.0.0.1:1", strings.TrimPrefix(secure.URL, "https://")}
		set.SearchURL = s.url + "/"
	})
	for address, own := range map[string]bool{
		"": true, "ftp://a.test/": true, "http://10.0.0.1/": true, "http://127.0.0.1:1/": true,
		"http://nobody.invalid:99/": true,
		s.url + "/away":             false, s.url + "/inside": false,
		s.url + "/zip": false, s.url + "/binary": false, secure.URL: false,
	} {
		_, err := c.Fetch(t.Context(), address, web.FormatText)
		var problem *web.Problem
		require.ErrorAs(t, err, &problem, address)
		require.Equal(t, own, problem.Own, "%s: %s", address, problem.Text)
	}
	for query, own := range map[string]bool{"": true, "bees": false} {
		_, err := c.Search(t.Context(), query)
		var problem *web.Problem
		require.ErrorAs(t, err, &problem, query)
		require.Equal(t, own, problem.Own, problem.Text)
	}
}

func TestAtMostFiveRedirects(t *testing.T) {
	t.Parallel()
	s := serve(t, func(w http.ResponseWriter, r *http.Request) {
		left := strings.Count(r.URL.Path, "x")
		if left == 0 {
			page("text/plain", "arrived")(w, r)
			return
		}
		http.Redirect(w, r, "/"+strings.Repeat("x", left-1), http.StatusMovedPermanently)
	})
	c := open(t, s)
	got := fetch(t, c, s.url+"/xxxxx")
	require.Equal(t, "arrived", got.Text)
	require.Equal(t, s.url+"/", got.URL)
	refused(t, c, s.url+"/xxxxxx", "more than 5 redirects")
}

func TestOnlyHTTPOnUsualPortsAndWithoutCredentials(t *testing.T) {
	t.Parallel()
	c := client(t, nil)
	for address, why := range map[string]string{
		"":                               "address is empty",
		"example.com/page":               "not a complete address",
		"/etc/passwd":                    "not a complete address",
		"file:///etc/passwd":             "only http and https",
		"ftp://example.com/":             "only http and https",
		"gopher://example.com/":          "only http and https",
		"data:text/html,x":               "only http and https",
		"javascript:alert(1)":            "only http and https",
		"unix:///var/run/docker.sock":    "only http and https",
		"http:example.com":               "names no host",
		"http://":                        "names no host",
		"http://user:pw@example.com/":    "name or password",
		"http://example.com@10.0.0.1/":   "name or password",
		"http://example.com:8080/":       "port 8080 is not allowed",
		"https://example.com:22/":        "port 22 is not allowed",
		"http://example.com:0/":          "a number from 1",
		"http://example.com:99999/":      "a number from 1",
		"http://exa mple.com/":           "not a complete address",
		"http://example.com/\x00":        "control character",
		"http://example.com/\r\nHost: x": "control character",
		"https://example.com/" + strings.Repeat("a", 9_000): "more than the limit",
	} {
		refused(t, c, address, why)
	}
	var none *web.Client
	refused(t, none, "https://example.com/", "no network")
}

func TestNothingOfTheCallerIsSentAlong(t *testing.T) {
	t.Parallel()
	var seen []http.Header
	s := serve(t, func(w http.ResponseWriter, r *http.Request) {
		seen = append(seen, r.Header.Clone())
		http.SetCookie(w, &http.Cookie{Name: "track", Value: "me"})
		if r.URL.Path == "/" {
			http.Redirect(w, r, "http://someone:secret@"+r.Host+"/next", http.StatusFound)
			return
		}
		page("text/plain", "fine")(w, r)
	})
	c := open(t, s)
	require.Equal(t, s.url+"/next", fetch(t, c, s.url+"/#part").URL)
	fetch(t, c, s.url+"/next")
	require.Len(t, seen, 3)
	for _, h := range seen {
		for _, name := range []string{"Cookie", "Authorization", "Referer", "Origin"} {
			require.Empty(t, h.Get(name), name)
		}
	}
}

func TestProxiesOfTheEnvironmentAreNotUsed(t *testing.T) { // not parallel: it sets the environment
	proxy := serve(t, page("text/plain", "PROXIED"))
	s := serve(t, page("text/plain", "direct"))
	for _, name := range []string{"HTTP_PROXY", "http_proxy", "HTTPS_PROXY", "ALL_PROXY", "all_proxy"} {
		t.Setenv(name, proxy.url)
	}
	dns := &names{answers: map[string][][]string{"proxied.test": {{"127.0.0.1"}}}}
	c := client(t, func(set *web.Settings) {
		set.AllowHosts = []string{"proxied.test:" + s.port}
		set.Resolver = dns.resolver(t)
	})
	require.Equal(t, "direct", fetch(t, c, "http://proxied.test:"+s.port+"/").Text)
	require.Zero(t, proxy.hits.Load())
}

func TestSecretsAreNotSentAnywhere(t *testing.T) {
	t.Parallel()
	s := serve(t, page("text/plain", "fine"))
	c := client(t, func(set *web.Settings) {
		set.AllowHosts = []string{"127.0.0.1:" + s.port, "*.test:" + s.port}
		set.SearchURL = s.url
		set.Secrets = []string{"", "Hunter2-s3cret", "a/b+c="}
	})
	for _, address := range []string{
		s.url + "/?k=Hunter2-s3cret", s.url + "/Hunter2%2Ds3cret", s.url + "/%48%75nter2-s3cret",
		s.url + "/?k=Hunter2%252Ds3cret", s.url + "/#hunter2-S3CRET",
		"http://hunter2-s3cret.evil.test:" + s.port + "/", s.url + "/?k=a%2Fb%2Bc%3D", s.url + "/?k=a/b+c=",
		"https://duckduckgo.com/l/?uddg=http%3A%2F%2Fx.test%2FHunter2-s3cret",
	} {
		refused(t, c, address, "contains a secret")
	}
	_, err := c.Search(t.Context(), "what is hunter2-s3cret")
	require.ErrorContains(t, err, "contains a secret")
	require.NotContains(t, err.Error(), "hunter2")
	require.Zero(t, s.hits.Load())
	require.Equal(t, "fine", fetch(t, c, s.url+"/?k=hunter").Text)
}

func TestBadSettingsAreRefused(t *testing.T) {
	t.Parallel()
	for _, entry := range []string{"", "a:0", "a:99999", "a:b", "*", "*.", "a/b", "user@a", "http://a", "a b"} {
		_, err := web.New(web.Settings{AllowHosts: []string{entry}})
		require.Error(t, err, entry)
	}
	for _, entry := range []string{"a", "A.b.", "*.a.b:8080", "10.0.0.1", "[::1]", "[::1]:80", "::1", "bücher.example"} {
		_, err := web.New(web.Settings{AllowHosts: []string{entry}})
		require.NoError(t, err, entry)
	}
	_, err := web.New(web.Settings{SearchURL: "file:///x"})
	require.Error(t, err)
}
