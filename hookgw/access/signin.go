package access

import (
	"cmp"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"html"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"manualslop/hookgw/problem"
)

// Limits of sign-ins. When a limit is reached, the oldest sign-in ends.
const (
	// LinkLife is how long a link can be opened, once.
	LinkLife = time.Minute
	// CookieLife is how long a browser stays signed in; it ends with the process, too.
	CookieLife = 12 * time.Hour
	maxLinks   = 16
	maxCookies = 64
)

// SignIns lets browsers use one gateway without a token. A token holder creates a link, and its code is exchanged
// once for a cookie with the right of that token. Both are kept in memory only, as digests. It is safe for concurrent
// use.
type SignIns struct {
	cookie string // name, which has the port: browsers send cookies to every port
	clock  func() time.Time

	mu      sync.Mutex
	links   map[[sha256.Size]byte]signIn
	cookies map[[sha256.Size]byte]signIn
}

type signIn struct {
	right Right
	until time.Time
	agent string // the browser's user agent
}

// SignIn is a signed-in browser.
type SignIn struct {
	ID    string    `json:"id"` // of the sign-in; not what the browser sends
	Right string    `json:"right"`
	Since time.Time `json:"since"`
	Until time.Time `json:"until"`
	Agent string    `json:"agent"` // the browser's user agent
	Own   bool      `json:"own"`   // the request's
}

// NewSignIns returns the sign-ins of the gateway at a port.
func NewSignIns(port int, clock func() time.Time) *SignIns {
	return &SignIns{cookie: fmt.Sprintf("slop-%d", port), clock: clock, links: map[[sha256.Size]byte]signIn{},
		cookies: map[[sha256.Size]byte]signIn{}}
}

// Link returns the code of a new link, and when it expires.
func (s *SignIns) Link(right Right) (code string, until time.Time) {
	until = s.clock().Add(LinkLife)
	return s.add(s.links, maxLinks, signIn{right: right, until: until}), until
}

// maxAgent limits the stored name of a browser, in bytes.
const maxAgent = 200

// Enter exchanges the code of a link for a cookie of the browser that calls itself agent.
func (s *SignIns) Enter(code, agent string) (*http.Cookie, Right, *problem.Problem) {
	s.mu.Lock()
	digest := sha256.Sum256([]byte(code))
	link, ok := s.links[digest]
	delete(s.links, digest)
	s.mu.Unlock()
	now := s.clock()
	if !ok || !now.Before(link.until) {
		return nil, RightNone, problem.New(http.StatusForbidden, "this link is invalid, was already used, or is "+
			"older than a minute",
			"Run slop console again and open its link.")
	}
	id := s.add(s.cookies, maxCookies, signIn{link.right, now.Add(CookieLife), agent[:min(len(agent), maxAgent)]})
	return &http.Cookie{Name: s.cookie, Value: id, Path: "/", MaxAge: int(CookieLife.Seconds()), HttpOnly: true,
		SameSite: http.SameSiteStrictMode}, link.right, nil
}

// Leave ends the sign-in of a request's cookie and returns a cookie that removes it from the browser.
func (s *SignIns) Leave(r *http.Request) *http.Cookie {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, c := range r.CookiesNamed(s.cookie) {
		delete(s.cookies, sha256.Sum256([]byte(c.Value)))
	}
	return &http.Cookie{Name: s.cookie, Path: "/", MaxAge: -1, HttpOnly: true, SameSite: http.SameSiteStrictMode}
}

// List returns the signed-in browsers, newest first.
func (s *SignIns) List(r *http.Request) []SignIn {
	own := map[string]bool{}
	for _, c := range r.CookiesNamed(s.cookie) {
		own[idOf(sha256.Sum256([]byte(c.Value)))] = true
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	out := []SignIn{}
	for digest, in := range s.cookies { // order-independent: sorted below
		if id := idOf(digest); s.clock().Before(in.until) {
			out = append(out, SignIn{id, string(in.right), in.until.Add(-CookieLife), in.until, in.agent, own[id]})
		}
	}
	slices.SortFunc(out, func(a, b SignIn) int { return cmp.Or(b.Since.Compare(a.Since), cmp.Compare(a.ID, b.ID)) })
	return out
}

// End ends the sign-in with the given id and reports whether it existed.
func (s *SignIns) End(id string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	for digest := range s.cookies { // order-independent: one has this id
		if idOf(digest) == id {
			delete(s.cookies, digest)
			return true
		}
	}
	return false
}

func idOf(digest [sha256.Size]byte) string { return hex.EncodeToString(digest[:8]) }

// add creates a secret for a sign-in. It drops expired sign-ins and, over the limit, the oldest one.
func (s *SignIns) add(all map[[sha256.Size]byte]signIn, most int, in signIn) string {
	secret := rand.Text() // 130 bits
	s.mu.Lock()
	defer s.mu.Unlock()
	now := s.clock()
	var oldest [sha256.Size]byte
	for digest, other := range all {
		if !now.Before(other.until) {
			delete(all, digest)
		} else if first, ok := all[oldest]; !ok || other.until.Before(first.until) {
			oldest = digest
		}
	}
	if len(all) >= most {
		delete(all, oldest)
	}
	all[sha256.Sum256([]byte(secret))] = in
	return secret
}

// OpeningPage returns the content of a file that opens a link of the gateway.
func OpeningPage(link string) string {
	to := html.EscapeString(strings.Replace(link, "/#", Entrance+"#", 1))
	return `<!doctype html><html lang="en"><meta charset="utf-8"><title>slop</title>` +
		`<meta http-equiv="refresh" content="0; url=` + to + `"><p><a href="` + to + `">Open the console</a></p></html>` + "\n"
}

// right returns the right that a request's cookie grants. To a browser, other ports of this machine are the same
// site, so the cookie is only valid on requests from the gateway's own pages; SameSite alone would not distinguish
// them.
func (s *SignIns) right(r *http.Request) Right {
	cookies := r.CookiesNamed(s.cookie)
	if len(cookies) == 0 || !ownPage(r) {
		return RightNone
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, c := range cookies {
		in, ok := s.cookies[sha256.Sum256([]byte(c.Value))]
		if ok && s.clock().Before(in.until) {
			return in.right
		}
	}
	return RightNone
}

// ownPage reports whether a request whose Host [Guard.Place] accepted was sent by a page of the gateway. Browsers
// send no Origin with a plain GET, and some send no Sec-Fetch-Site with a WebSocket.
func ownPage(r *http.Request) bool {
	sites, origins := r.Header["Sec-Fetch-Site"], r.Header["Origin"]
	ownSite := len(sites) == 1 && sites[0] == "same-origin"
	ownOrigin := len(origins) == 1 && origins[0] == "http://"+r.Host
	switch {
	case r.Header.Get("Upgrade") != "":
		return ownOrigin && (ownSite || len(sites) == 0)
	case r.Method == http.MethodGet:
		return ownSite && (ownOrigin || len(origins) == 0)
	}
	return ownSite && ownOrigin
}
